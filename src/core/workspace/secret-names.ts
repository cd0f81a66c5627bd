/** Files that hold keys and passwords by their usual names; tools neither read nor write them. */
import { matches } from '../base/pattern.ts';

const EXACT = new Set([
  // Shells, remote access and version control.
  '.envrc',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.gitcookies',
  '.htpasswd',
  '.s3cfg',
  '.boto',
  '.smbcredentials',
  '.fetchmailrc',
  '.msmtprc',
  '.authinfo',
  '.authinfo.gpg',
  // Package managers and registries.
  '.npmrc',
  '.pypirc',
  'pip.conf',
  'settings-security.xml',
  // Containers and clouds.
  '.dockercfg',
  '.dockerconfigjson',
  '.vault-token',
  '.terraformrc',
  'terraform.rc',
  'credentials.tfrc.json',
  'kubeconfig',
  'service-account.json',
  'serviceaccount.json',
  'service_account.json',
  'application_default_credentials.json',
  'accesstokens.json',
  'azureprofile.json',
  'msal_token_cache.json',
  'credentials.db',
  'access_tokens.db',
  // Databases.
  '.pgpass',
  'pgpass.conf',
  '.my.cnf',
  '.mylogin.cnf',
  '.mongorc.js',
  '.mongoshrc.js',
  '.dbshell',
  // What was typed at a prompt.
  '.bash_history',
  '.zsh_history',
  '.zhistory',
  '.sh_history',
  '.histfile',
  '.history',
  'fish_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  '.rediscli_history',
  '.lesshst',
  '.irb_history',
  'consolehost_history.txt',
  // Browsers and mail.
  'login data',
  'cookies.sqlite',
  'key3.db',
  'key4.db',
  'logins.json',
  'signons.sqlite',
  'local state',
  // Agents.
  '.claude.json',
  '.credentials.json',
  // By what they are called.
  'credentials',
  'credentials.json',
  'credentials.toml',
  'credentials.xml',
  'credentials.yaml',
  'credentials.yml',
  'secret.json',
  'secret.yaml',
  'secret.yml',
  'secrets.json',
  'secrets.toml',
  'secrets.yaml',
  'secrets.yml',
  'secrets.env',
  'local.settings.json',
  'master.key',
  // The address and key of a program of this kind that runs.
  'instance.json',
]);

/** Everything in a folder of such a name, wherever it lies. */
export const SECRET_FOLDERS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.azure',
  '.docker',
  '.password-store',
  '.oci',
  '.aliyun',
  '.bluemix',
  '.databricks',
  '.snowflake',
  '.minikube',
  '.vault.d',
  '.pki',
  '.1password',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/doctl',
  '.config/heroku',
  '.config/op',
  '.config/rclone',
  '.config/containers',
  '.config/sops',
  '.config/age',
  '.config/slack',
  '.config/discord',
  '.config/signal',
  '.config/element',
  '.config/google-chrome',
  '.config/chromium',
  '.config/bravesoftware',
  '.mozilla',
  '.thunderbird',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.local/share/telegramdesktop',
  'library/keychains',
  'library/cookies',
] as const;

/** Files that hold keys only there; elsewhere they are ordinary ones of the same name. */
const PATHS = [
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.nuget/nuget.config',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.codex/auth.json',
  '.local/share/opencode/auth.json',
];
/** What Linux shows of a process, its environment too, where the workspace is the whole machine. */
const PROCESS = /^proc\/(self|thread-self|\d+)\//;
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/;
const ENDING =
  /\.(env|pem|key|p8|p12|pfx|pkcs8|pkcs12|jks|jceks|bks|keystore|kdb|kdbx|ppk|asc|gpg|pgp|age|ovpn|rdp|tfstate|tfvars|keychain|keychain-db|agekey|pvk|snk|wallet)$/;
const ENDING_JSON = /\.(tfvars|tfstate)\.json$/;
/** Keys of a service that its console offers under a name with the project's. */
const KEY_JSON = /(^|[-_.])(service[-_]?account|credentials?|client[-_]secret|firebase[-_]adminsdk)([-_.].*)?\.json$/;
/** Suffixes of copies and backups, and endings that Windows ignores: dots, spaces, a stream name. */
const COPY = /(:.*|[. ]+|~|[-_. ](bak|backup|old|orig|save|swp|swo|tmp|copy|\d+)| ?\([^)]*\)|\.#.*)$/;
/** Public certificates that each environment of Python has, without which nothing there reaches a server. */
const PUBLIC = 'cacert.pem';
/** `.env`, `.env.local`, `.env-prod`, `.env_prod`, `env.local`, `.dev.vars`. */
const ENV = /^(\.env($|[._-])|env\.(local|dev|development|prod|production|staging|test)$|\.dev\.vars$|dotenv$)/;
/** Templates of `.env` hold no secrets. */
const ENV_TEMPLATE = /^\.env([._-][^.]+)*[._-](example|sample|template|dist|defaults)$/;

/**
 * Whether a path inside the workspace (relative, any separator) names such a file. `more`: patterns of paths and names
 * that count too.
 */
export function isSecret(path: string, more: readonly string[] = []): boolean {
  const whole = path.normalize('NFC').toLowerCase().replaceAll('\\', '/');
  const parts = whole.split('/');
  const last = parts.pop() ?? '';
  const name = nameOf(last);
  const folders = `/${parts.join('/')}/`;
  if (SECRET_FOLDERS.some((folder) => folders.includes(`/${folder}/`))) return true;
  if (PROCESS.test(whole)) return true;
  if (PATHS.some((one) => `/${whole}`.endsWith(`/${one}`))) return true;
  if (more.some((pattern) => isMatch(pattern, whole) || isMatch(pattern, last))) return true;
  if (last === PUBLIC) return false;
  if (ENV.test(name)) return !ENV_TEMPLATE.test(name);
  return EXACT.has(name) || [KEY_FILE, ENDING, ENDING_JSON, KEY_JSON].some((one) => one.test(name));
}

/** Last parts of the paths above. */
const LAST_PARTS: ReadonlySet<string> = new Set([...SECRET_FOLDERS, ...PATHS].map((path) => path.split('/').at(-1)!));

/** Returns false if no path with this last part is secret, in whatever folder that is not secret itself. */
export function canBeSecret(name: string): boolean {
  return LAST_PARTS.has(name.normalize('NFC').toLowerCase()) || isSecret(name);
}

/** Returns whether a path inside the workspace is a folder whose files are all secret. */
export function isSecretFolder(path: string): boolean {
  const whole = `/${path.normalize('NFC').toLowerCase().replaceAll('\\', '/')}`;
  return SECRET_FOLDERS.some((folder) => whole.endsWith(`/${folder}`));
}

function isMatch(pattern: string, path: string): boolean {
  return matches(pattern, path, { path: true, loose: true });
}

function nameOf(name: string): string {
  const shorter = name.replace(COPY, '');
  return shorter === name || shorter === '' ? name : nameOf(shorter);
}
