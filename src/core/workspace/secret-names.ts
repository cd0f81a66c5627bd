/** The files that hold keys and passwords, by the program that uses them. Tools neither read nor write them. */
import { relative, sep } from 'node:path';
import { matches } from '../base/pattern.ts';
import { type FileGroup, FileTable, foldPath } from './file-table.ts';
import type { Workspace } from './reach.ts';

const SECRET_FILES: readonly FileGroup[] = [
  // Remote access and version control.
  {
    program: 'SSH',
    patterns: [
      '.ssh/**',
      'id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk,xmss}',
      'ssh_host_*_key',
      'deploy_key',
      '*.ppk',
    ],
  },
  { program: 'GnuPG', patterns: ['.gnupg/**', '*.{asc,gpg,pgp}'] },
  { program: 'age', patterns: ['.config/age/**', '*.{age,agekey}', 'age{,-}key{,s}.txt'] },
  { program: 'SOPS', patterns: ['.config/sops/**'] },
  { program: 'Git', patterns: ['.git-credentials', '.config/git/credentials', '.gitcookies'] },
  { program: 'GitHub CLI', patterns: ['.config/{gh,hub}/**'] },
  { program: 'GitLab CLI', patterns: ['.config/glab-cli/**'] },
  { program: 'curl and FTP', patterns: ['.netrc', '_netrc'] },
  { program: 'Apache HTTP Server', patterns: ['.htpasswd', '.htdigest'] },
  { program: 'OpenVPN', patterns: ['*.ovpn'] },
  { program: 'WireGuard', patterns: ['wg{0,1,2,3}.conf', 'etc/wireguard/**'] },
  { program: 'Kerberos', patterns: ['*.keytab', 'krb5cc_*'] },
  { program: 'Remote Desktop', patterns: ['*.rdp'] },
  { program: 'Samba', patterns: ['.smbcredentials'] },
  { program: 'rclone', patterns: ['.config/rclone/**', 'rclone.conf'] },
  { program: 'FileZilla', patterns: ['.config/filezilla/**', '.filezilla/**', 'sitemanager.xml', 'recentservers.xml'] },
  { program: 'WinSCP', patterns: ['winscp.ini'] },
  {
    program: 'FTP plugins of editors',
    patterns: ['.vscode/sftp.json', 'sftp-config.json', '.ftpconfig', '.ftppass', '.remote-sync.json'],
  },
  { program: 'JetBrains IDEs', patterns: ['.idea/webServers.xml'] },
  {
    program: 'the system',
    patterns: ['etc/{shadow,gshadow}{,-}', 'etc/ssl/private/**', '/run/secrets/**', '/proc/**'],
  },
  { program: 'NetworkManager', patterns: ['etc/NetworkManager/system-connections/**'] },
  { program: 'ngrok', patterns: ['.ngrok2/**', '.config/ngrok/**', 'ngrok.yml'] },
  { program: 'Tailscale', patterns: ['tailscaled.state'] },
  // Keys and certificates.
  { program: 'TLS servers and clients', patterns: ['*.{pem,key,p8,p12,pfx,pkcs8,pkcs12,pvk}', '.pki/**'] },
  { program: 'Java key stores', patterns: ['*.{jks,jceks,bks,keystore}'] },
  { program: '.NET strong names', patterns: ['*.snk'] },
  { program: 'macOS Keychain', patterns: ['*.{keychain,keychain-db}', 'Library/Keychains/**'] },
  { program: 'GNOME Keyring', patterns: ['.local/share/keyrings/**'] },
  { program: 'KWallet', patterns: ['.local/share/kwalletd/**'] },
  { program: 'KeePass', patterns: ['*.{kdb,kdbx}'] },
  { program: '1Password', patterns: ['.1password/**', '.config/{op,1Password}/**'] },
  { program: 'Bitwarden', patterns: ['.config/Bitwarden{, CLI}/**', '.bitwarden/**'] },
  { program: 'pass', patterns: ['.password-store/**'] },
  { program: 'Ansible Vault', patterns: ['{,.}vault_pass{,word}{,.txt}', '{,.}vault-pass{,word}{,.txt}'] },
  { program: 'HashiCorp Vault', patterns: ['.vault-token', '.vault.d/**'] },
  // Package managers.
  { program: 'npm', patterns: ['.npmrc'] },
  { program: 'Python package indexes', patterns: ['.pypirc', 'pip.conf', '.config/pypoetry/auth.toml'] },
  { program: 'Cargo', patterns: ['.cargo/credentials', '.cargo/credentials.toml'] },
  { program: 'RubyGems', patterns: ['.gem/credentials', '.local/share/gem/credentials'] },
  { program: 'Bundler', patterns: ['.bundle/config'] },
  { program: 'Maven', patterns: ['.m2/settings.xml', 'settings-security.xml'] },
  { program: 'Gradle', patterns: ['.gradle/gradle.properties'] },
  { program: 'NuGet', patterns: ['.nuget/NuGet.config', '.nuget/NuGet/NuGet.config'] },
  { program: 'Composer', patterns: ['{.composer,.config/composer}/auth.json'] },
  { program: 'Hex', patterns: ['.hex/hex.config'] },
  { program: 'Conan', patterns: ['.conan2/credentials.json', '.conan/.conan.db'] },
  // Containers and clouds.
  { program: 'Docker', patterns: ['.docker/**', '.dockercfg', '.dockerconfigjson'] },
  { program: 'Podman', patterns: ['.config/containers/**'] },
  { program: 'Kubernetes', patterns: ['.kube/**', '.minikube/**', 'kubeconfig', '*.kubeconfig'] },
  { program: 'Helm', patterns: ['{.config,Preferences}/helm/{repositories.yaml,registry/config.json}'] },
  {
    program: 'Amazon Web Services',
    patterns: ['.aws/**', '.boto', '.s3cfg', 'rootkey.csv', '{,*_}{accessKeys,credentials}.csv'],
  },
  {
    program: 'Microsoft Azure',
    patterns: ['.azure/**', 'accessTokens.json', 'azureProfile.json', 'msal_token_cache.json'],
  },
  {
    program: 'Google Cloud',
    patterns: [
      '.config/gcloud/**',
      '{,*-,*_,*.}service{,-,_}account{,-*,_*,.*}.json',
      'serviceAccountKey{,-*,_*,.*}.json',
      'application_default_credentials.json',
      'credentials.db',
      'access_tokens.db',
    ],
  },
  {
    program: 'Google APIs',
    patterns: [
      'client_secret*.json',
      '{*-,*_,*.}client{-,_}secret{,-*,_*,.*}.json',
      'client-secret*.json',
      'token.json',
    ],
  },
  {
    program: 'Firebase',
    patterns: ['{,*-,*_,*.}firebase{-,_,}adminsdk{,-*,_*,.*}.json', 'firebase-tools.json'],
  },
  {
    program: 'Terraform',
    patterns: [
      '.terraformrc',
      'terraform.rc',
      '.terraform.d/credentials.tfrc.json',
      'credentials.tfrc.json',
      '*.{tfstate,tfvars}',
      '*.{tfstate,tfvars}.json',
    ],
  },
  { program: 'Pulumi', patterns: ['.pulumi/credentials.json'] },
  { program: 'Oracle Cloud', patterns: ['.oci/**'] },
  { program: 'Alibaba Cloud', patterns: ['.aliyun/**'] },
  { program: 'IBM Cloud', patterns: ['.bluemix/**'] },
  { program: 'DigitalOcean', patterns: ['.config/doctl/**'] },
  { program: 'Hetzner Cloud', patterns: ['.config/hcloud/**'] },
  { program: 'Scaleway', patterns: ['.config/scw/**'] },
  { program: 'Linode', patterns: ['.config/linode-cli', '.config/linode-cli/**'] },
  { program: 'Heroku', patterns: ['.config/heroku/**'] },
  { program: 'Google Apps Script', patterns: ['.clasprc.json'] },
  { program: 'Vagrant', patterns: ['.vagrant/machines/*/*/private_key'] },
  { program: 'Vercel', patterns: ['{.config,.local/share,Application Support}/com.vercel.cli/auth.json'] },
  { program: 'Netlify', patterns: ['{.config,Preferences}/netlify/config.json', '.netlify/config.json'] },
  { program: 'Fly.io', patterns: ['.fly/config.yml'] },
  { program: 'Railway', patterns: ['.railway/config.json'] },
  { program: 'Render', patterns: ['.render/cli.yaml'] },
  { program: 'Supabase', patterns: ['.supabase/access-token'] },
  { program: 'Cloudflare', patterns: ['.wrangler/config/default.toml', '.cloudflared/**', '.cloudflare/**'] },
  { program: 'Stripe', patterns: ['.config/stripe/config.toml'] },
  { program: 'Databricks', patterns: ['.databricks/**', '.databrickscfg'] },
  { program: 'Snowflake', patterns: ['.snowflake/**', '.snowsql/config'] },
  { program: 'Sentry', patterns: ['.sentryclirc'] },
  { program: 'Transifex', patterns: ['.transifexrc'] },
  { program: 'Expo', patterns: ['.expo/state.json'] },
  { program: 'Kaggle', patterns: ['kaggle.json'] },
  { program: 'Hugging Face', patterns: ['{.cache/huggingface,.huggingface}/{token,stored_tokens}'] },
  { program: 'Weights & Biases', patterns: ['.config/wandb/settings'] },
  // Databases.
  { program: 'PostgreSQL', patterns: ['.pgpass', 'pgpass.conf'] },
  { program: 'MySQL', patterns: ['.my.cnf', '.mylogin.cnf'] },
  { program: 'dbt', patterns: ['.dbt/profiles.yml'] },
  { program: 'MongoDB', patterns: ['.mongorc.js', '.mongoshrc.js', '.dbshell'] },
  { program: 'Oracle Database', patterns: ['*.wallet'] },
  { program: 'DBeaver', patterns: ['credentials-config.json'] },
  { program: 'DataGrip', patterns: ['c.pwd'] },
  { program: 'Postman', patterns: ['.config/Postman/**', '.postman/**'] },
  { program: 'Insomnia', patterns: ['.config/Insomnia/**', '.insomnia/**'] },
  // Histories of commands, which often have passwords in them.
  {
    program: 'shells',
    patterns: [
      '.{bash,zsh,sh}_history',
      '.zhistory',
      '.histfile',
      '.history',
      'fish_history',
      'ConsoleHost_history.txt',
    ],
  },
  { program: 'Python', patterns: ['.python_history'] },
  { program: 'Node.js', patterns: ['.node_repl_history'] },
  { program: 'Ruby', patterns: ['.irb_history'] },
  { program: 'clients of databases', patterns: ['.{psql,mysql,sqlite,rediscli}_history'] },
  { program: 'less', patterns: ['.lesshst'] },
  // Browsers, mail and chats.
  {
    program: 'Chromium and its relatives',
    patterns: [
      '.config/{google-chrome,chromium,BraveSoftware,microsoft-edge,vivaldi,opera}/**',
      'Login Data',
      'Local State',
    ],
  },
  { program: 'Firefox', patterns: ['.mozilla/**', 'cookies.sqlite', 'key{3,4}.db', 'logins.json', 'signons.sqlite'] },
  { program: 'Safari', patterns: ['Library/Cookies/**'] },
  { program: 'Thunderbird', patterns: ['.thunderbird/**'] },
  {
    program: 'mail clients',
    patterns: ['.fetchmailrc', '.msmtprc', '.authinfo', '.mutt/passwords', '.mbsyncrc', '.offlineimaprc'],
  },
  { program: 'Slack', patterns: ['.config/Slack/**'] },
  { program: 'Discord', patterns: ['.config/discord/**'] },
  { program: 'Signal', patterns: ['.config/Signal/**'] },
  { program: 'Element', patterns: ['.config/Element/**'] },
  { program: 'Telegram', patterns: ['.local/share/TelegramDesktop/**'] },
  // Wallets.
  { program: 'Solana', patterns: ['.config/solana/id.json'] },
  { program: 'Electrum', patterns: ['.electrum/**'] },
  { program: 'Bitcoin Core', patterns: ['.bitcoin/**', 'wallet.dat'] },
  { program: 'Ethereum', patterns: ['keystore/UTC--*', '.ethereum/keystore/**'] },
  { program: 'Monero', patterns: ['.bitmonero/**'] },
  // Agents.
  { program: 'Claude Code', patterns: ['.claude.json'] },
  { program: 'Codex', patterns: ['.codex/auth.json'] },
  { program: 'opencode', patterns: ['.local/share/opencode/{auth,mcp-auth}.json'] },
  {
    program: 'Gemini CLI',
    patterns: ['.gemini/{oauth_creds,google_accounts,mcp-oauth-tokens,mcp-oauth-tokens-v2}.json'],
  },
  { program: 'GitHub Copilot', patterns: ['.config/github-copilot/**', '.copilot/config.json'] },
  { program: 'Cursor', patterns: ['.cursor/auth.json', '.config/cursor/auth.json'] },
  { program: 'Continue', patterns: ['.continue/config.{json,yaml}'] },
  { program: 'Aider', patterns: ['.aider/oauth-keys.env'] },
  // Names that many programs use. A group above that matches too is the reason.
  {
    program: 'applications that read .env files',
    patterns: [
      '.env',
      '.env{.,_,-}*',
      '.envs/*/.*',
      '*.env',
      'env.{local,dev,development,prod,production,staging,test}',
      '.dev.vars',
      '.dev.vars.*',
      'dotenv',
    ],
  },
  { program: 'direnv', patterns: ['.envrc'] },
  {
    program: 'applications',
    patterns: [
      'credentials',
      'credentials.{json,toml,xml,yaml,yml}',
      '{,*-,*_,*.}credential{,s}{,-*,_*,.*}.json',
      'secret.{json,yaml,yml}',
      'secrets.{json,toml,yaml,yml}',
      '.secrets',
      '.secrets.{json,toml,yaml,yml,ini,py}',
      'local.settings.json',
      '.credentials.json',
      '.cookies',
      'cookies.txt',
      '.config/configstore/**',
    ],
  },
  { program: 'Ruby on Rails', patterns: ['master.key'] },
  { program: 'Triad', patterns: ['instance.json'] },
];

/** Files with such a name that hold no secrets. */
const PUBLIC_FILES = new FileTable([
  // Programs need these to connect to servers.
  { program: 'certificates', patterns: ['cacert.pem', 'ca-bundle.pem', 'ca-certificates.pem'] },
  { program: 'public keys', patterns: ['public{,_key,-key}.pem', 'public.key', '*.pub.pem'] },
]);
/** Templates contain names of keys, but no keys. */
const TEMPLATE = /[._-](example|sample|template|dist|defaults)(\.json)?$/;
/** Suffixes of copies and backups, and endings that Windows ignores: dots, spaces, a stream name. */
const COPY = /(:.*|[. ]+|~|[-_. ](bak|backup|old|orig|save|swp|swo|tmp|copy|\d+)| ?\([^)]*\)|\.#.*)$/;

const TABLE = new FileTable(SECRET_FILES);

/** Returns the names of folders, wherever they are, whose files are all secret. */
export function getSecretFolders(): string[] {
  return TABLE.patterns
    .filter((pattern) => pattern.endsWith('/**') && !pattern.startsWith('/'))
    .map((pattern) => pattern.slice(0, -'/**'.length));
}

/** Returns the program whose keys or passwords a path holds; null for other files. Pass an absolute, resolved path. */
export function findSecretProgram(path: string): string | null {
  const name = foldPath(path.slice(path.search(/[^/\\]*$/)));
  const original = removeCopySuffix(name);
  const isPublic = TEMPLATE.test(original) || PUBLIC_FILES.hasName(name);
  const entries = TABLE.find(path, original === name ? [] : [original]);
  return (isPublic ? entries.find(({ pattern }) => pattern.endsWith('/**')) : entries[0])?.program ?? null;
}

/** Returns whether a file holds keys or passwords, also by the person's own patterns. `path`: absolute and resolved. */
export function isSecret({ folder, secrets }: Pick<Workspace, 'folder' | 'secrets'>, path: string): boolean {
  return findSecretProgram(path) !== null || isListed(secrets.patterns, relative(folder, path));
}

/** Returns whether one of the patterns matches a path relative to the workspace, or its last part. */
function isListed(patterns: readonly string[], path: string): boolean {
  if (patterns.length === 0) return false;
  const listedPath = path.split(sep).join('/');
  const name = listedPath.slice(listedPath.lastIndexOf('/') + 1);
  return patterns.some((pattern) =>
    [listedPath, name].some((one) => matches(pattern, one, { path: true, loose: true })),
  );
}

/** Returns false if no path with this last part is secret, in whatever folder that is not secret itself. */
export function canBeSecret(name: string): boolean {
  const folded = foldPath(name);
  return TABLE.hasName(folded) || TABLE.hasName(removeCopySuffix(folded));
}

/** Returns the program of a folder whose files are all secret, or of one in such a folder; null for other folders. */
export function findSecretFolder(path: string): string | null {
  return TABLE.findFolder(path)?.program ?? null;
}

function removeCopySuffix(name: string): string {
  const shorter = name.replace(COPY, '');
  return shorter === name || shorter === '' ? name : removeCopySuffix(shorter);
}
