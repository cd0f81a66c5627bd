/** The key of this browser, kept in IndexedDB: scripts of this origin may use it, and nobody can read it. */

export interface BrowserKey {
  /** Not extractable. */
  privateKey: CryptoKey;
  /** SPKI in base64url. */
  publicKey: string;
}

/** Methods reject where the browser keeps nothing. */
export interface KeyStore {
  current(): Promise<BrowserKey | null>;
  /** The key of a sign-in whose end is not known here: perhaps the host has it already. */
  staged(): Promise<BrowserKey | null>;
  /** Puts a key beside the current one, so that what cannot be kept is known before it is used. */
  stage(key: BrowserKey): Promise<void>;
  /** This key is the current one from now on, and none is staged. */
  adopt(key: BrowserKey): Promise<void>;
}

const STORE = 'keys';
const [CURRENT, STAGED] = ['current', 'staged'];

/** Opened when it is first asked for, and again where it was closed from outside. */
export function indexedKeys(): KeyStore {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = (): void => {
    opened = null;
  };
  const database = (): Promise<IDBDatabase> => {
    opened ??= open(forget);
    opened.catch(forget);
    return opened;
  };
  return {
    current: async () => read(await database(), CURRENT),
    staged: async () => read(await database(), STAGED),
    stage: async (key) =>
      within(await database(), 'readwrite', async (store) => void (await done(store.put(key, STAGED)))),
    adopt: async (key) =>
      within(await database(), 'readwrite', async (store) => {
        store.put(key, CURRENT);
        await done(store.delete(STAGED));
      }),
  };
}

async function open(onClose: () => void): Promise<IDBDatabase> {
  const opening = indexedDB.open('triad', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  // Whoever clears what this site keeps need not wait for its pages.
  database.onversionchange = () => {
    database.close();
    onClose();
  };
  database.onclose = onClose;
  return database;
}

function read(database: IDBDatabase, name: string): Promise<BrowserKey | null> {
  return within(database, 'readonly', async (store) => {
    // Nothing but keys is put into this store.
    const found = (await done(store.get(name))) as BrowserKey | undefined;
    return found ?? null;
  });
}

async function within<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction(STORE, mode);
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('The key was not kept'));
  });
  const [value] = await Promise.all([work(transaction.objectStore(STORE)), ended]);
  return value;
}

function done(request: IDBOpenDBRequest): Promise<IDBDatabase>;
function done(request: IDBRequest): Promise<unknown>;
function done(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The key store of the browser failed'));
  });
}
