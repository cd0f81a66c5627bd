/** Files that hold keys are neither read, searched nor written, under any name that leads to them. */
import { link, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { canBeSecret, findSecretFolder, findSecretProgram } from '#core/workspace/secret-names.ts';
import { writeFileTool } from '#core/tools/write-file.ts';
import { WAYS } from '../../support/searching.ts';
import { call, contextIn, folderWith, workspaceIn } from '../../support/workspace.ts';

const secrets = [
  '.env',
  '.env.local',
  '.ENV',
  'a/.env.production',
  'server.pem',
  'x/tls.KEY',
  'id_rsa',
  'id_ed25519',
  '.npmrc',
  '.netrc',
  '.ssh/config',
  '.aws/credentials',
  '.envrc',
  'deploy/prod.env',
  '.env~',
  '.env.',
  '.env ::$DATA',
  'id_rsa.bak',
  'x/server.key.old',
  'config/SECRETS.yaml',
  'infra/terraform.tfstate.backup',
  'a/.SSH/known_hosts',
  'a\\.aws\\credentials',
  '.env-production',
  '.env_local',
  '.Env.Development.Local',
  'env.prod',
  '.dev.vars',
  '.config/gcloud/application_default_credentials.json',
  '.config/gh/hosts.yml',
  '.oci/config',
  'client_secret_4711.json',
  'my-app-firebase-adminsdk-x1.json',
  '.docker/config.json',
  '.kube/config',
  'kubeconfig',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mongoshrc.js',
  '.bash_history',
  '.python_history',
  '.psql_history',
  'fish_history',
  '.config/Slack/Cookies',
  '.mozilla/firefox/x/logins.json',
  'Login Data',
  'Library/Keychains/login.keychain-db',
  'apns.p8',
  'vault.kdbx',
  'secret.gpg',
  'backup.age',
  'vpn.ovpn',
  'prod.tfvars',
  'prod.auto.tfvars.json',
  'id_rsa-1',
  'server.key (copy)',
  '.credentials.json',
  'instance.json',
  '/proc/4711/environ',
  'config/deploy_key',
  '.vscode/sftp.json',
  '.idea/webServers.xml',
  'alice_accessKeys.csv',
  'serviceAccountKey.json',
  'app-service-account-key-1.json',
  '.clasprc.json',
  '.vagrant/machines/default/virtualbox/private_key',
  '.dbt/profiles.yml',
  '.mbsyncrc',
  'rclone.conf',
  '.envs/.production/.django',
  '.secrets.toml',
];
/** Names with the program that a refusal names. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'Google APIs': ['client_secrets.json', 'client_secret_12-ab.apps.json', 'app/token.json', 'my-client_secret.json'],
  'Ansible Vault': ['.vault_pass', 'vault_pass.txt', 'group_vars/.vault_pass.txt', '.vault_password'],
  Kaggle: ['.kaggle/kaggle.json', 'kaggle.json'],
  'Hugging Face': ['.cache/huggingface/token', '.cache/huggingface/stored_tokens', '.huggingface/token'],
  'GitHub Copilot': ['.config/github-copilot/hosts.json', '.config/github-copilot/apps.json'],
  'Gemini CLI': ['.gemini/oauth_creds.json', '.gemini/google_accounts.json'],
  Codex: ['.codex/auth.json'],
  opencode: ['.local/share/opencode/auth.json'],
  'Claude Code': ['.claude.json'],
  Vercel: ['.local/share/com.vercel.cli/auth.json'],
  Netlify: ['.config/netlify/config.json'],
  'Fly.io': ['.fly/config.yml'],
  Railway: ['.railway/config.json'],
  Render: ['.render/cli.yaml'],
  Supabase: ['.supabase/access-token'],
  Cloudflare: ['.wrangler/config/default.toml', '.config/.wrangler/config/default.toml', '.cloudflared/cert.json'],
  Stripe: ['.config/stripe/config.toml'],
  ngrok: ['.config/ngrok/ngrok.yml', '.ngrok2/ngrok.yml'],
  Solana: ['.config/solana/id.json'],
  Electrum: ['.electrum/wallets/default_wallet'],
  'Bitcoin Core': ['.bitcoin/wallet.dat', 'backup/wallet.dat'],
  Ethereum: ['node/keystore/UTC--2024-01-01T00-00-00.000Z--ab12'],
  Kerberos: ['etc/krb5.keytab', 'http.keytab'],
  WireGuard: ['wg0.conf', '/etc/wireguard/home.conf'],
  'the system': ['/etc/shadow', 'backup/etc/shadow-', '/etc/ssl/private/a.txt', '/run/secrets/db'],
  SSH: ['/etc/ssh/ssh_host_ed25519_key', '.ssh/id_work', 'putty.ppk'],
  DigitalOcean: ['.config/doctl/config.yaml'],
  Pulumi: ['.pulumi/credentials.json'],
  Terraform: ['.terraform.d/credentials.tfrc.json', '.terraformrc'],
  Cargo: ['.cargo/credentials.toml', '.cargo/credentials'],
  RubyGems: ['.gem/credentials', '.local/share/gem/credentials'],
  Bundler: ['.bundle/config'],
  Maven: ['.m2/settings.xml', '.m2/settings.xml.bak'],
  Composer: ['.config/composer/auth.json'],
  Docker: ['.docker/config.json', '.dockercfg'],
  Helm: ['.config/helm/repositories.yaml', '.config/helm/registry/config.json'],
  Postman: ['.config/Postman/storage/userData.json'],
  Insomnia: ['.config/Insomnia/insomnia.Request.db'],
  DBeaver: ['.local/share/DBeaverData/workspace6/General/.dbeaver/credentials-config.json'],
  FileZilla: ['.config/filezilla/layout.xml', 'sitemanager.xml', 'recentservers.xml'],
  WinSCP: ['WinSCP.ini'],
  Bitwarden: ['.config/Bitwarden CLI/data.json'],
  KeePass: ['team.kdbx'],
  age: ['age-key.txt', '.config/age/keys.txt'],
  SOPS: ['.config/sops/age/keys.txt'],
  'Apache HTTP Server': ['.htdigest', 'www/.htpasswd'],
  applications: ['.config/configstore/update.json', '.cookies', 'cookies.txt'],
  Firebase: ['.config/firebase-tools.json', 'x-firebase-adminsdk-1.json'],
  Expo: ['.expo/state.json'],
  Sentry: ['.sentryclirc'],
  Transifex: ['.transifexrc'],
  'Python package indexes': ['.pypirc', '.config/pypoetry/auth.toml'],
  'Java key stores': ['release.keystore'],
  'GNOME Keyring': ['.local/share/keyrings/login'],
};
const plain = [
  '.env.example',
  '.env.local.sample',
  'env.ts',
  'id_rsa.pub',
  'keyboard.ts',
  'monkey',
  'pem.md',
  'src/environment.ts',
  'notes.bak',
  'secrets.md',
  'docker/config.json',
  '.env-example',
  '.env_template',
  'src/env.local.ts',
  'src/credentials/index.ts',
  'credentials.ts',
  'locales/en/auth.json',
  'inventory/hosts.yml',
  'gradle.properties',
  'tests/instance.json.ts',
  'src/history.ts',
  'public.age.md',
  'venv/certifi/cacert.pem',
  'etc/ssl/certs/ca-certificates.crt',
  'keys/public.pem',
  'public_key.pem',
  'client_secrets.json.example',
  'credentials.example.json',
  'service-account-sample.json',
  '.env.production.example',
  'design/tokens.json',
  'src/tokens/token.ts',
  'token.ts',
  'src/key.ts',
  'keys.json',
  'i18n/keys.txt',
  'src/shadow',
  'shadow.css',
  'wgsl.conf',
  'webgpu/wg.ts',
  'vault_pass.md',
  'docs/vault.md',
  'kaggle.ipynb',
  'huggingface/token',
  'src/github-copilot/hosts.json',
  'fly/config.yml',
  'fly.toml',
  'stripe/config.toml',
  'solana/id.json',
  'locales/id.json',
  'ssh/config',
  'ssh_config',
  'cert.crt',
  'config.json',
  'auth.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.yarnrc.yml',
  '.bundle/plugin',
  '.cargo/config.toml',
  'Cargo.toml',
  'helm/repositories.yaml',
  'docker-compose.yml',
  '.expo/README.md',
  'firebase.json',
  'wallet.ts',
  'keystore.ts',
  'src/keystore/index.ts',
  'cookies.ts',
  'src/credential.ts',
  'bitcoin/wallet.md',
  'nginx.conf',
  '.netlify/state.json',
  '.vercel/project.json',
  'supabase/config.toml',
  'wrangler.toml',
  'proc/notes.txt',
  'run/secrets/README.md',
];

const absolute = (path: string): string => (path.startsWith('/') ? path : `/home/me/${path}`);

test.for(secrets)('%s is secret', (path) => expect(findSecretProgram(absolute(path))).not.toBeNull());
test.for(Object.entries(programs))(
  'the secret files of %s are detected in any case and named after that program',
  ([program, paths]) => {
    for (const path of paths) {
      expect(findSecretProgram(absolute(path)), path).toBe(program);
      expect(findSecretProgram(absolute(path).toUpperCase()), path).toBe(program);
      expect(canBeSecret(path.slice(path.lastIndexOf('/') + 1)) || findSecretFolder(absolute(path)) !== null).toBe(
        true,
      );
    }
  },
);
test.for(plain)('%s is not secret', (path) => expect(findSecretProgram(absolute(path))).toBeNull());

test('read_file rejects a secret file by its name and through a link', async () => {
  const folder = await folderWith({ '.env': 'KEY=hidden', '.env.example': 'KEY=' });
  await symlink('.env', join(folder, 'notes.txt'));
  for (const path of ['.env', './.env', 'notes.txt']) {
    const result = await call(readFileTool(), { path }, contextIn(folder));
    expect(result).toMatchObject({
      status: 'error',
      output: `${path} usually holds keys or passwords of applications that read .env files: tools neither read nor write it`,
    });
  }
  expect(await call(readFileTool(), { path: '.env.example' }, contextIn(folder))).toMatchObject({
    status: 'completed',
    output: 'KEY=',
  });
});

test.each(WAYS)('grep skips secret files and rejects a path to a secret file: %s', async (_, way) => {
  const folder = await folderWith({ '.env': 'KEY=hidden', 'a.txt': 'KEY=shown' });
  expect((await call(grepTool(), { pattern: 'KEY' }, contextIn(folder, undefined, way))).output).toBe(
    'a.txt:1:KEY=shown',
  );
  const named = await call(grepTool(), { pattern: 'KEY', path: '.env' }, contextIn(folder));
  expect(named).toMatchObject({ status: 'error' });
  expect(named.output).not.toContain('hidden');
});

test('a hard link to a secret file in the workspace or the home folder counts as secret', async () => {
  const home = await folderWith({ '.ssh/id_work': 'hidden', '.netrc': 'hidden' });
  const folder = await folderWith({ 'app/.env': 'KEY=hidden', 'a.txt': 'KEY=shown' });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  await link(join(folder, 'app/.env'), join(folder, 'notes.txt'));
  await link(join(home, '.ssh/id_work'), join(folder, 'work.txt'));
  await link(join(home, '.netrc'), join(folder, 'net.txt'));
  await link(join(folder, 'a.txt'), join(folder, 'b.txt'));
  for (const path of ['notes.txt', 'work.txt', 'net.txt']) {
    expect(await call(readFileTool(), { path }, contextIn(folder)), path).toMatchObject({
      status: 'error',
      output: expect.stringContaining('no tool reaches') as string,
    });
    await expect(writeFileTool().question!({ path, content: '' }, contextIn(folder)), path).rejects.toMatchObject({
      code: 'not_allowed',
    });
  }
  expect(await call(readFileTool(), { path: 'b.txt' }, contextIn(folder))).toMatchObject({ output: 'KEY=shown' });
  for (const [, way] of WAYS) {
    const found = await call(grepTool(), { pattern: 'KEY' }, contextIn(folder, undefined, way));
    expect(found.output).toBe('a.txt:1:KEY=shown\nb.txt:1:KEY=shown');
  }
});

test('patterns in permissions.secret_files match names and paths in any case', async () => {
  const folder = await folderWith({ 'deploy/tokens/prod.txt': 'hidden', 'a/Team.Vault': 'hidden', 'b.txt': 'shown' });
  const place = { file: '/home/config.toml', line: 7 };
  const workspace = workspaceIn(folder, { secrets: { patterns: ['deploy/tokens/**', '*.vault'], place } });
  const context = contextIn(workspace);
  for (const path of ['deploy/tokens/prod.txt', 'a/Team.Vault'])
    expect(await call(readFileTool(), { path }, context), path).toMatchObject({
      status: 'error',
      output: `${path} is in permissions.secret_files (/home/config.toml:7): tools neither read nor write it`,
    });
  const known = await call(readFileTool(), { path: 'deploy/tokens/.env' }, context);
  expect(known.output).toContain('usually holds keys or passwords');
  for (const [, way] of WAYS) {
    const found = await call(grepTool(), { pattern: 'hidden|shown' }, contextIn(workspace, undefined, way));
    expect(found.output).toBe('b.txt:1:shown');
  }
});
