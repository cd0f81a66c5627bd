/** The key of this browser, kept in IndexedDB: scripts of this origin may use it, and nobody can read it. */

export interface BrowserKey {
  /** Not extractable. */
  privateKey: CryptoKey;
  /** SPKI in base64url. */
  publicKey: string;
}

/** Methods reject where the browser keeps nothing. */
export interface KeyStore {
  load(): Promise<BrowserKey | null>;
  /** Puts a key beside the one that counts, so that what cannot be kept is known before it is used. */
  stage(key: BrowserKey): Promise<void>;
  /** The staged key counts from now on. */
  adopt(): Promise<void>;
}

const STORE = 'keys';
const [CURRENT, STAGED] = ['current', 'staged'];

export const indexedKeys: KeyStore = {
  load: () =>
    within('readonly', async (store) => {
      // Nothing but keys is put into this store.
      const found = (await done(store.get(CURRENT))) as BrowserKey | undefined;
      return found ?? null;
    }),
  stage: (key) => within('readwrite', (store) => done(store.put(key, STAGED)).then(() => undefined)),
  adopt: () =>
    within('readwrite', async (store) => {
      store.put(await done(store.get(STAGED)), CURRENT);
      store.delete(STAGED);
    }),
};

async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open('triad', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('The key was not kept'));
    });
    const [value] = await Promise.all([work(transaction.objectStore(STORE)), ended]);
    return value;
  } finally {
    database.close();
  }
}

function done(request: IDBOpenDBRequest): Promise<IDBDatabase>;
function done(request: IDBRequest): Promise<unknown>;
function done(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The key store of the browser failed'));
  });
}
