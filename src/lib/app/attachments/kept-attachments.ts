/** What is attached to unsent messages, by conversation, kept in IndexedDB across reloads and restarts. */
import type { Attachment } from './attachment.ts';

export interface KeptAttachments {
  read(key: string): Promise<Attachment[]>;
  write(key: string, attachments: readonly Attachment[]): Promise<void>;
}

const STORE = 'attachments';

/** Methods reject where the browser keeps nothing. */
export function indexedAttachments(): KeptAttachments {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = (): void => {
    opened = null;
  };
  const store = async (mode: IDBTransactionMode): Promise<IDBObjectStore> => {
    opened ??= open(forget);
    opened.catch(forget);
    return (await opened).transaction(STORE, mode).objectStore(STORE);
  };
  return {
    // Nothing but lists of attachments is put into this store.
    read: async (key) => ((await done((await store('readonly')).get(key))) as Attachment[] | undefined) ?? [],
    write: async (key, attachments) => {
      const all = await store('readwrite');
      if (attachments.length === 0) await done(all.delete(key));
      else await done(all.put(attachments, key));
    },
  };
}

async function open(onClose: () => void): Promise<IDBDatabase> {
  const opening = indexedDB.open('triad-drafts', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  database.onversionchange = () => {
    database.close();
    onClose();
  };
  database.onclose = onClose;
  return database;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser kept nothing'));
  });
}
