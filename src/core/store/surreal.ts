/** How the store is opened, and the embedded database: with `remote/session.ts` the only import of the driver. */
import { createNodeEngines } from '@surrealdb/node';
import { type DriverContext, RecordId, Surreal, type SurrealEngine } from 'surrealdb';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { TriadError } from '../base/errors.ts';
import type { Database } from './database.ts';
import { type Closable, closable } from './closable.ts';
import { applyEngineSettings } from './opening/engine-settings.ts';
import { findDiskFull, namingFullDisk } from './disk-space.ts';
import { mapStoreFault, StoreDamaged } from './faults.ts';
import { checkFolder, folderOf } from './opening/folder.ts';
import { migrate, type Migration, readMigrations, versionIn } from './opening/migrate.ts';
import { prepareFolder, recordVersion } from './opening/prepare.ts';
import { endUpgrade } from './opening/upgrade.ts';
import { watchFolder } from './opening/folder-watch.ts';
import type { Recovered } from './commits/commits.ts';
import { listArchivedConversations } from './archive/archive-folder.ts';
import type { OpenRecovered } from './recovery/damage-recovery.ts';
import { finishRecovery } from './recovery/finish-recovery.ts';
import { findRecoveryCause, MISSING_STORE, type RecoveryCause } from './recovery/recovery-cause.ts';
import { StoreNotices } from './recovery/store-notices.ts';
import { getJournalFolder } from './journal/journal.ts';
import { CONFLICT_TRIES, isConflict, rootOf } from './failure.ts';
import { remoteAddress } from './remote/address.ts';
import type { RemoteOptions } from './remote/options.ts';
import type { Store } from './store.ts';

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
  /**
   * Receives a line for the person: a store is missing, was never finished, or was rebuilt, or the archive cannot be
   * written.
   */
  warn?: ((line: string) => void) | undefined;
  /** The store is built from another source, so an empty folder is expected. */
  isRebuilt?: boolean;
  /** Folder of the archive; left out for none. Ignored for a store on a server. */
  archive?: string | undefined;
  /** For a store on a server. */
  remote?: RemoteOptions | undefined;
}

/** Loads the modules that are needed only after the engine has opened the store. */
const loadStore = () => import('./store-on.ts');

const SCHEMA = join(import.meta.dirname, '../../../schema');
/** A disk that others keep busy takes its time for what a crash has left. */
const OPEN_MS = 30_000;

/**
 * Opens and migrates the store, in bounded time. Rejects with `store_unwritable`, `store_locked` or `store_failed`; with
 * `not_allowed` where a server lets nobody in.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, schemaDir = SCHEMA, signal, onBegin } = options;
  signal?.throwIfAborted();
  const folder = folderOf(url);
  const migrations = await readMigrations(schemaDir);
  const address = remoteAddress(url);
  if (address !== null) {
    onBegin?.();
    const { openRemoteStore } = await import('./remote/open-remote.ts');
    return openRemoteStore(address, migrations, { ...options.remote, signal });
  }
  if (folder === null) return openFiles(null, migrations, options, new StoreNotices(null, options.warn));
  return namingFullDisk(folder, () => openFolder(folder, migrations, options));
}

/** Opens the store in a folder. A damaged one is recovered from its archive. */
async function openFolder(folder: string, migrations: readonly Migration[], options: StoreOptions): Promise<Store> {
  const { archive = null } = options;
  const notices = new StoreNotices(folder, options.warn);
  await finishRecovery(folder);
  try {
    if (archive !== null && (await isLost(folder, archive))) throw new StoreDamaged(folder, MISSING_STORE);
    return await openFiles(folder, migrations, options, notices);
  } catch (error) {
    if (!(error instanceof StoreDamaged) || archive === null) throw error;
    const cause = findRecoveryCause(error.detail);
    // A child process does the work.
    options.onBegin?.();
    const recovered = await recoverFiles(folder, folder, options, notices, cause).catch((failure: unknown) => {
      // With more space the next start recovers the store.
      if (failure instanceof TriadError && failure.code === 'store_unwritable') throw failure;
      return null;
    });
    // The error of the damage says what else can be done.
    if (recovered === null) throw error;
    return openFiles(recovered, migrations, options, notices);
  }
}

/** Returns whether the store was deleted and its archive was not. */
async function isLost(folder: string, archive: string): Promise<boolean> {
  return !existsSync(join(folder, 'CURRENT')) && (await listArchivedConversations(archive)).length > 0;
}

/** Builds a new store from a damaged one and returns its folder. `base`: folder of the store in the data folder. */
async function recoverFiles(
  base: string,
  damaged: string,
  { archive = '', schemaDir = SCHEMA }: StoreOptions,
  notices: StoreNotices,
  cause: RecoveryCause,
): Promise<string> {
  const { describeRecovery, recoverStore } = await import('./recovery/recover-store.ts');
  const { folder, report } = await recoverStore({ base, damaged, archive, schemaDir }, { connect, openStore });
  await notices.add(describeRecovery(report, notices.countRecovery(), cause));
  return folder;
}

/** Opens a store in this folder, or in memory. */
async function openFiles(
  folder: string | null,
  migrations: readonly Migration[],
  options: StoreOptions,
  notices: StoreNotices,
): Promise<Store> {
  const { url, signal, timeoutMs = OPEN_MS, onBegin, warn = () => undefined, archive = null } = options;
  if (folder === null) {
    const database = await connect(url, { signal, timeoutMs, onBegin });
    await migrate(database, migrations);
    return (await loadStore()).storeOn(database).store;
  }
  await checkFolder(folder);
  const before = options.isRebuilt ? 0 : await prepareFolder(folder, migrations, warn);
  const connected = await connect(`rocksdb://${folder}`, { signal, timeoutMs, onBegin });
  const { database, lost } = await guarded(connected, folder);
  try {
    const { storeOn } = await loadStore();
    if (before > 0 && (await versionIn(database)) === 0)
      throw new StoreDamaged(folder, 'it has no schema version any more');
    const version = await migrate(database, migrations, before === 0);
    if (before !== version) await recordVersion(folder, version);
    // Also of one that was killed right before this.
    await endUpgrade(folder);
    const openRecovered: OpenRecovered = async (damaged, cause) => {
      const recovered = await recoverFiles(folderOf(url) ?? folder, damaged, options, notices, cause);
      const next = await connect(`rocksdb://${recovered}`, { timeoutMs: OPEN_MS });
      return { database: (await guarded(next, recovered)).database, folder: recovered };
    };
    const { store, recover } = storeOn(database, {
      folder,
      lost,
      archive,
      warn,
      notices,
      diskFull: () => findDiskFull(folder),
      mode: { kind: 'behind', journal: getJournalFolder(folder) },
      openRecovered: archive === null ? null : openRecovered,
    });
    const recovered = await recover();
    if (recovered) for (const says of describeRecovered(recovered)) await notices.add(says);
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns sentences for the person about a journal of another store or with damage. */
function describeRecovered({ setAside, damage }: NonNullable<Recovered>): Phrase[] {
  return [
    ...(setAside === null ? [] : [phrase('journal_set_aside', { folder: setAside })]),
    ...(damage === null ? [] : [phrase('journal_damaged', { part: damage })]),
  ];
}

/** The database with its folder watched: rejects all work after the folder is gone, and writes while the disk is full. */
async function guarded(connected: Closable, folder: string): Promise<{ database: Closable; lost: AbortSignal }> {
  const watch = await watchFolder(folder);
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
    },
    close: async () => {
      watch.end();
      await connected.close();
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
    if (options.signal?.aborted) throw error;
    throw openingFault(url, error);
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
  engine.subscribe('error', (error) => failed(openingFault(target, error)));
  const open = engine.open.bind(engine);
  engine.open = (state) => {
    state.url.toString = () => target;
    open(state);
    onBegin();
  };
  return engine;
}

function openingFault(url: string, error: unknown): TriadError {
  const folder = folderOf(url);
  return mapStoreFault(error, { folder, otherwise: `The store in ${folder ?? url} cannot be opened`, isOpen: false });
}

function timeout(url: string, timeoutMs: number): TriadError {
  const message = `The store in ${folderOf(url) ?? url} did not open within ${timeoutMs / 1000} s: close other programs that use it, or set TRIAD_HOME to another folder.`;
  return new TriadError('store_failed', message);
}

function database(surreal: Surreal, folder: string | null): Database {
  return {
    query: async (sql, values) => {
      try {
        return await surreal.query<unknown[]>(sql, values);
      } catch (error) {
        throw mapStoreFault(error, { folder, otherwise: 'The store could not be read', isOpen: true });
      }
    },
    transaction: async (sql, values) => {
      for (let tries = 1; ; tries++) {
        // One statement is a transaction by itself; no text or name of ours has a semicolon.
        const isOne = sql.indexOf(';') === sql.length - 1;
        const cause = await failureOf(surreal, isOne ? sql : `BEGIN;\n${sql}\nCOMMIT;`, values);
        if (cause === null) return;
        if (tries < CONFLICT_TRIES && isConflict(cause)) continue;
        throw mapStoreFault(cause, { folder, otherwise: 'The store refused a write', isOpen: true });
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
