/** Keys encrypted by the key store of the system, behind the core's port; in a plain file, with a warning, where there is none. */
import { safeStorage } from 'electron';
import { fileSecrets, type Secrets } from '#core/settings/secrets.ts';
import { tellKept } from '#core/settings/known-secrets.ts';
import { text } from './text.ts';

/** Its key is the same on every machine: it hides nothing. */
const FIXED_KEY = 'basic_text';
const SEALED_FILE = 'secrets.safe.json';

/** To be called when the app is ready. What is in the plain file stays readable, until it is set anew. */
export async function systemSecrets(configFolder: string): Promise<Secrets> {
  const plain = fileSecrets(configFolder);
  const backend = backendName();
  if (backend === FIXED_KEY || !(await safeStorage.isAsyncEncryptionAvailable())) {
    const { backend: path } = plain.place;
    return {
      ...plain,
      get place() {
        return { backend: path, warning: text().secrets.unavailable(path) };
      },
    };
  }
  const sealed = fileSecrets(configFolder, SEALED_FILE);
  let isUnreadable = false;

  const seal = async (name: string, value: string) =>
    sealed.set(name, (await safeStorage.encryptStringAsync(value)).toString('base64'));
  const open = async (name: string, content: string) => {
    try {
      const found = await safeStorage.decryptStringAsync(Buffer.from(content, 'base64'));
      if (found.shouldReEncrypt) await seal(name, found.result);
      tellKept(name, [found.result]);
      return found.result;
    } catch {
      isUnreadable = true;
      return null;
    }
  };
  return {
    get place() {
      return { backend, warning: isUnreadable ? text().secrets.unreadable : null };
    },
    get: async (name) => {
      const content = await sealed.get(name);
      return content === null ? plain.get(name) : open(name, content);
    },
    set: async (name, value) => {
      if (value === null) await sealed.set(name, null);
      else {
        tellKept(name, [value]);
        await seal(name, value);
      }
      isUnreadable = false;
      // One that is not encrypted must not stay behind.
      if ((await plain.get(name)) !== null) await plain.set(name, null);
    },
  };
}

function backendName(): string {
  if (process.platform === 'linux') return safeStorage.getSelectedStorageBackend();
  const { backends } = text().secrets;
  return process.platform === 'darwin' ? backends.darwin : backends.win32;
}
