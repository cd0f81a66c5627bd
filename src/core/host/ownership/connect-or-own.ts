/** How every host gets a runtime: as the owner of the data folder, or as a client of the process that owns it. */
import { existsSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#contract/rpc.ts';
import { redactAgain, TriadError } from '#core/base/errors.ts';
import { INSTANCE_FILE, refuseUnguarded } from '#core/settings/guarded-files.ts';
import { registerKeys, registerSettingSecrets } from '#core/settings/own-secrets.ts';
import { claimOwnership, type Ownership } from './ownership.ts';
import type { Instance } from './ping-server.ts';
import { folderOf } from '#core/store/opening/folder.ts';
import type { OpenedRuntime, OpeningOptions } from './open-runtime.ts';
import type { HostingOptions } from './options.ts';

/** Longest time, in milliseconds, to retry while owners come and go. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
const OWNER_RETURNS_MS = 2500;

/** The same interface whether this process owns the data folder or another one does. */
export interface Connected {
  readonly client: Client;
  /** Whether this process owns the data folder: it does the work and writes the store. */
  readonly owner: boolean;
  /**
   * Owner: aborts when the store cannot be written any more and all work was stopped; its reason is the error.
   * Client: aborts when the owner has gone; `connectOrOwn` again finds another owner or makes this process it.
   */
  readonly lost: AbortSignal;
  /**
   * A client disconnects. An owner stops running work, closes the store and releases the folder; with `leave` it first
   * waits until the workflows of other processes have ended, or the signal aborts.
   */
  close(leave?: AbortSignal): Promise<void>;
}

/**
 * Claims ownership before it opens the store, so that no two processes open it. After an owner's `close` its process
 * must exit: the engine holds the store's folder until then. Rejects with `store_locked` if the owner does not answer, with
 * `not_allowed` where others may write what decides.
 */
export async function connectOrOwn(options: HostingOptions): Promise<Connected> {
  const { folders, environment } = options;
  await registerKeys(folders.config, environment.programs);
  let registered: Promise<void> | null = null;
  const registerSecrets = () => (registered ??= registerSettingSecrets(folders.config, environment.programs));
  try {
    return await claimOrJoin(options, registerSecrets);
  } catch (error) {
    // The caller shows it to the person.
    await registerSecrets();
    throw redactAgain(error);
  }
}

async function claimOrJoin(options: HostingOptions, registerSecrets: () => Promise<void>): Promise<Connected> {
  const { environment, folders, signal } = options;
  if (environment.storeUrl !== undefined) folderOf(environment.storeUrl);
  await refuseUnguarded(folders);
  // Where nobody says that he owns it, this process will: what an owner needs is loaded during the claim.
  if (!existsSync(pathOf(folders.data, INSTANCE_FILE))) loadStoreOpening().catch(() => undefined);
  const deadline = Date.now() + PATIENCE_MS;
  for (let locked = false; ;) {
    const claim = await claimOwnership(folders.data, { signal });
    try {
      if (claim.kind === 'own') return await own({ ...options, registerSecrets }, claim.ownership);
      // A client shows errors and warnings of its own, too.
      await registerSecrets();
      const connected = await join(options, claim.owner, deadline);
      if (connected !== null) return connected;
      if (Date.now() > deadline) throw silent(claim.owner, folders.data);
    } catch (error) {
      // An owner that was taken for dead holds the store: it restores its instance file and is found by the next try.
      if (locked || !(error instanceof TriadError) || error.code !== 'store_locked') throw error;
      locked = true;
    }
    const pause = locked ? OWNER_RETURNS_MS : PAUSE_MS;
    await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Only an owner needs the engine. */
const loadStoreOpening = () => import('./open-runtime.ts');

async function own(options: OpeningOptions, ownership: Ownership): Promise<Connected> {
  try {
    const { openRuntime } = await loadStoreOpening();
    const opened = await openRuntime(options);
    return await serve(options, ownership, opened).catch(async (error: unknown) => {
      await opened.runtime.close();
      throw error;
    });
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

/** Lets other processes connect to the runtime. */
async function serve(
  { folders, environment, version, report, warn }: HostingOptions,
  ownership: Ownership,
  { runtime, failed }: OpenedRuntime,
): Promise<Connected> {
  const { openEndpoint } = await import('./owner-endpoint.ts');
  ownership.guard();
  const closed = new AbortController();
  if (environment.storeUrl === undefined) {
    const { keepDailyBackups } = await import('./daily-backups.ts');
    await keepDailyBackups({ ...folders, client: runtime, warn, signal: closed.signal });
  }
  const endpoint = openEndpoint(ownership, { runtime, version, storeUrl: environment.storeUrl, report });
  const shut = async () => {
    closed.abort();
    endpoint.close();
    try {
      await runtime.close();
    } finally {
      await ownership.release();
    }
  };
  let closing: Promise<void> | null = null;
  return {
    client: runtime,
    owner: true,
    lost: failed,
    close: async (leave) => {
      if (leave && !failed.aborted) {
        const signal = AbortSignal.any([leave, failed]);
        await endpoint.idle(signal, (count) => warn(staying(count)));
      }
      await (closing ??= shut());
    },
  };
}

/** Connects to the owner; null if it exits before it answers. */
async function join(
  { environment, version, folder, works, signal }: HostingOptions,
  owner: Instance,
  deadline: number,
): Promise<Connected | null> {
  const { connectToOwner } = await import('./owner-connection.ts');
  const late = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
  const hello = {
    version,
    folder,
    baseUrl: works ? (environment.baseUrl ?? null) : null,
    storeUrl: environment.storeUrl ?? null,
  };
  const connection = await connectToOwner(owner, hello, AbortSignal.any([signal, late])).catch((error: unknown) => {
    if (late.aborted && !signal.aborted) return null;
    throw error;
  });
  if (connection === null) return null;
  const { client, lost } = connection;
  return {
    client,
    lost,
    owner: false,
    close: async () => connection.close(),
  };
}

function staying(count: number): string {
  const work = count === 1 ? 'A workflow of another program runs' : `${count} workflows of other programs run`;
  return `${work} here: waiting for the end (Ctrl-C leaves; the work then goes on in the other program).`;
}

function silent({ pid }: Instance, folder: string): TriadError {
  const message = `Triad is running with this data folder (pid ${pid}) but does not let anybody in: stop it, or set TRIAD_HOME to another folder than ${folder}.`;
  return new TriadError('store_locked', message);
}
