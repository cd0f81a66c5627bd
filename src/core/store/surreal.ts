/** How the store is opened, and the embedded database: with `remote/session.ts` the only import of the driver. */
import { createNodeEngines } from '@surrealdb/node';
import { type DriverContext, RecordId, Surreal, type SurrealEngine } from 'surrealdb';
import { join } from 'node:path';
import { errorInfo, TriadError } from '../base/errors.ts';
import type { Database } from './database.ts';
import { type Closable, closable } from './closable.ts';
import { applyEngineSettings } from './opening/engine-settings.ts';
import { findDiskFull } from './disk-space.ts';
import { checkFolder, folderOf } from './opening/folder.ts';
import { damaged } from './backups/backups.ts';
import { migrate, readMigrations, versionIn } from './opening/migrate.ts';
import { prepareFolder, recordVersion } from './opening/prepare.ts';
import { endUpgrade } from './opening/upgrade.ts';
import { watchFolder } from './opening/folder-watch.ts';
import { LogWitness } from './opening/log-witness.ts';
import { CONFLICT_TRIES, isConflict, rootOf } from './failure.ts';
import { remoteAddress } from './remote/address.ts';
import type { RemoteOptions } from './remote/options.ts';
import type { Store } from './store.ts';
import { storeOn } from './store-on.ts';

export interface StoreOptions {
  /**
   * `mem://`, or `rocksdb://` and a folder as it is (not percent-encoded), opened once in the life of a process, or
   * `wss://HOST/NAMESPACE/DATABASE`.
   */
  url: string;
  schemaDir?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** Called when the engine starts opening in its own threads, so that this one is free. */
  onBegin?: (() => void) | undefined;
  /** Gets a line for the person where a store was here and is gone, or was unfinished and nothing could be made of it. */
  warn?: ((line: string) => void) | undefined;
  /** For a store on a server. */
  remote?: RemoteOptions | undefined;
}

/** A disk that others keep busy takes its time for what a crash has left. */
const OPEN_MS = 30_000;

/**
 * Opens and migrates the store, in bounded time. Rejects with `store_unwritable`, `store_locked` or `store_failed`; with
 * `not_allowed` where a server lets nobody in.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, schemaDir, signal, timeoutMs = OPEN_MS, onBegin, warn = () => undefined } = options;
  signal?.throwIfAborted();
  const folder = folderOf(url);
  const migrations = await readMigrations(schemaDir ?? join(import.meta.dirname, '../../../schema'));
  const address = remoteAddress(url);
  if (address !== null) {
    onBegin?.();
    const { openRemoteStore } = await import('./remote/open-remote.ts');
    return openRemoteStore(address, migrations, { ...options.remote, signal });
  }
  if (folder !== null) await checkFolder(folder);
  const before = folder === null ? 0 : await prepareFolder(folder, migrations, warn);
  const connected = await connect(url, { signal, timeoutMs, onBegin });
  const { database, lost } =
    folder === null ? { database: connected, lost: undefined } : await guarded(connected, folder);
  try {
    if (folder !== null && before > 0 && (await versionIn(database)) === 0)
      throw damaged(folder, 'it has no schema version any more');
    const version = await migrate(database, migrations, before === 0);
    if (folder !== null && before !== version) await recordVersion(folder, version);
    // Also of one that was killed right before this.
    if (folder !== null) await endUpgrade(folder);
    const diskFull = () => (folder === null ? null : findDiskFull(folder));
    const { store, recover } = storeOn(database, { folder, lost, diskFull });
    await recover();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The database with its folder watched: rejects all work after the folder is gone, and writes while the disk is full. */
async function guarded(connected: Closable, folder: string): Promise<{ database: Closable; lost: AbortSignal }> {
  const [watch, witness] = [await watchFolder(folder), new LogWitness(folder)];
  const database: Closable = {
    ...connected,
    query: async (sql, values) => {
      watch.lost.throwIfAborted();
      return connected.query(sql, values);
    },
    transaction: async (sql, values) => {
      watch.lost.throwIfAborted();
      const shortage = findDiskFull(folder);
      if (shortage) throw shortage;
      await connected.transaction(sql, values);
      witness.touch();
    },
    close: async () => {
      watch.end();
      await connected.close();
      if (!watch.lost.aborted) await witness.close();
    },
  };
  return { database, lost: watch.lost };
}

/**
 * Opens `mem://` or `rocksdb://<folder>`. Always settles: with the engine's own error, or after the timeout.
 * RocksDB flushes every commit to the disk before it acknowledges it.
 */
export async function connect(
  url: string,
  options: Pick<StoreOptions, 'signal' | 'onBegin'> & { timeoutMs: number },
): Promise<Closable> {
  const failed = Promise.withResolvers<never>();
  const engine = (context: DriverContext) => embedded(context, url, failed.reject, options.onBegin);
  const surreal = new Surreal({ engines: { mem: engine, rocksdb: engine } });
  const restore = applyEngineSettings();
  const opening = surreal.connect(url, { namespace: 'triad', database: 'triad', versionCheck: false });
  // Keeps the process alive while the engine opens: a pending connection does not.
  const timer = setTimeout(() => failed.reject(timeout(url, options.timeoutMs)), options.timeoutMs);
  const onAbort = () => failed.reject(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  try {
    await Promise.race([opening, failed.promise]);
    return closable(database(surreal, folderOf(url)));
  } catch (error) {
    opening.then(() => surreal.close()).catch(() => undefined);
    throw error;
  } finally {
    restore();
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** Works around two faults of the SDK: it percent-encodes folders and swallows the engine's error on opening. */
function embedded(
  context: DriverContext,
  target: string,
  failed: (error: TriadError) => void,
  onBegin: () => void = () => undefined,
): SurrealEngine {
  const factory = createNodeEngines()[target.slice(0, target.indexOf(':'))];
  if (!factory) throw new TriadError('internal', `The database driver has no engine for ${target}.`);
  const engine = factory(context);
  engine.subscribe('error', (error) => failed(openingError(target, error)));
  const open = engine.open.bind(engine);
  engine.open = (state) => {
    state.url.toString = () => target;
    open(state);
    onBegin();
  };
  return engine;
}

/** Maps the engine's error text to a code; an unknown text becomes the detail. */
function openingError(url: string, error: Error): TriadError {
  const folder = folderOf(url) ?? url;
  const detail = error.cause instanceof Error ? error.cause.message : error.message;
  const options = { cause: error, detail };
  if (/lock file|lock hold/i.test(detail)) {
    return new TriadError(
      'store_locked',
      `The store in ${folder} is open in another process: close it or set TRIAD_HOME to another folder.`,
      options,
    );
  }
  if (/permission ?denied|read-?only|no space|not a directory|AlreadyExists/i.test(detail)) {
    return new TriadError(
      'store_unwritable',
      `The store in ${folder} cannot be written: check the folder's owner, permissions and free space.`,
      options,
    );
  }
  if (DAMAGE.test(detail)) return damaged(folder, detail, error);
  return new TriadError('store_failed', `The store in ${folder} cannot be opened: ${detail}`, options);
}

function timeout(url: string, timeoutMs: number): TriadError {
  const message = `The store in ${folderOf(url) ?? url} did not open within ${timeoutMs / 1000} s: close other programs that use it, or set TRIAD_HOME to another folder.`;
  return new TriadError('store_failed', message);
}

/** What the engine says where a file is not as it wrote it, also where a definition of the schema was lost with it. */
const DAMAGE = /corrupt|checksum|missing files|no such file|no such field exists for table/i;

function database(surreal: Surreal, folder: string | null): Database {
  return {
    query: async (sql, values) => {
      try {
        return await surreal.query<unknown[]>(sql, values);
      } catch (error) {
        throw queryError(error, 'The store could not be read', folder);
      }
    },
    transaction: async (sql, values) => {
      for (let tries = 1; ; tries++) {
        // One statement is a transaction by itself; no text or name of ours has a semicolon.
        const isOne = sql.indexOf(';') === sql.length - 1;
        const cause = await failureOf(surreal, isOne ? sql : `BEGIN;\n${sql}\nCOMMIT;`, values);
        if (cause === null) return;
        if (tries < CONFLICT_TRIES && isConflict(cause)) continue;
        throw queryError(cause, 'The store refused a write', folder);
      }
    },
    record: (table, key) => new RecordId(table, typeof key === 'string' ? key : [...key]),
    // An engine that defined indexes is never freed: the process that made the schema must end by `process.exit`.
    close: async () => {
      await surreal.close();
    },
  };
}

/** Executes a transaction and returns the error that rolled it back; null if it was committed. */
async function failureOf(surreal: Surreal, sql: string, values?: Record<string, unknown>): Promise<unknown> {
  try {
    return rootOf(await surreal.query(sql, values).responses());
  } catch (error) {
    return error;
  }
}

function queryError(error: unknown, what: string, folder: string | null): TriadError {
  const { message } = errorInfo(error);
  if (folder !== null && DAMAGE.test(message)) return damaged(folder, message, error);
  if (/no space left|quota exceeded/i.test(message)) {
    const full = `The disk of ${folder ?? 'the store'} is full: free some space, then start Triad again.`;
    return new TriadError('store_unwritable', full, { cause: error, detail: message });
  }
  if (/read-only file system/i.test(message)) {
    const readOnly = `The disk of ${folder ?? 'the store'} became read-only: make it writable, then start Triad again.`;
    return new TriadError('store_unwritable', readOnly, { cause: error, detail: message });
  }
  if (/corruption/i.test(message)) {
    const damaged =
      'A part of the history cannot be read, the store is damaged: restore a backup with "triad restore DIR".';
    return new TriadError('store_failed', damaged, { cause: error, detail: message });
  }
  return new TriadError('store_failed', `${what}: ${message}`, { cause: error });
}
