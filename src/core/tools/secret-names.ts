/** Files that hold keys and passwords by their usual names; tools neither read nor write them. */

const EXACT = new Set([
  '.envrc',
  '.npmrc',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.vault-token',
  '.pypirc',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  'credentials.json',
  'secrets.json',
  'secrets.toml',
  'secrets.yaml',
  'secrets.yml',
  'service-account.json',
]);
const FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.azure', '.docker', '.password-store']);
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk)$/;
const ENDING = /\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|tfstate)$/;
/** Suffixes of copies and backups, and endings that Windows ignores: dots, spaces, a stream name. */
const COPY = /(:.*|[. ]+|~|\.(bak|backup|old|orig|save|swp))$/;
const ENV = /^\.env($|\.)/;
/** Templates of `.env` hold no secrets. */
const ENV_TEMPLATE = /^\.env(\.[^.]+)*\.(example|sample|template|dist)$/;

/** Whether a path inside the workspace (relative, any separator) names such a file. */
export function isSecret(path: string): boolean {
  const parts = path.toLowerCase().split(/[\\/]/);
  const name = nameOf(parts.pop() ?? '');
  if (parts.some((part) => FOLDERS.has(part))) return true;
  if (ENV.test(name)) return !ENV_TEMPLATE.test(name);
  return EXACT.has(name) || KEY_FILE.test(name) || ENDING.test(name);
}

function nameOf(name: string): string {
  const shorter = name.replace(COPY, '');
  return shorter === name || shorter === '' ? name : nameOf(shorter);
}
