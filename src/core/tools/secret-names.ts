/** Files that hold keys and passwords by their usual names; tools neither read nor write them. */

const EXACT = new Set([
  '.npmrc',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.pypirc',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  'credentials.json',
  'secrets.json',
]);
const FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.azure']);
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk)$/;
const ENDING = /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)$/;
const ENV = /^\.env($|\.)/;
/** Templates of `.env` are made to be shared. */
const ENV_TEMPLATE = /^\.env(\.[^.]+)*\.(example|sample|template|dist)$/;

/** Whether a path inside the workspace (relative, any separator) names such a file. */
export function isSecret(path: string): boolean {
  const parts = path.toLowerCase().split(/[\\/]/);
  const name = parts.pop() ?? '';
  if (parts.some((part) => FOLDERS.has(part))) return true;
  if (ENV.test(name)) return !ENV_TEMPLATE.test(name);
  return EXACT.has(name) || KEY_FILE.test(name) || ENDING.test(name);
}
