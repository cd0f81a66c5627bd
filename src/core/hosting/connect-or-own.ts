/** The one way to the runtime for every host: as the owner of the data folder, or as a client of the process that is it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '../base/errors.ts';
import { claimOwnership, type Ownership } from './ownership.ts';
import type { Instance } from './ping-server.ts';
import { folderOf } from '../store/opening/folder.ts';
import { browserSecret } from './browser-secret.ts';
import type { HostingOptions } from './options.ts';

/** How long to follow owners that come and go before anybody can be connected to. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
const OWNER_RETURNS_MS = 2500;

/** What every host gets: the same, whether this process owns the data folder or another one does. */
export interface Connected {
  readonly client: Client;
  /** Whether this process does the work and writes the history. */
  readonly owner: boolean;
  /**
   * Owner: the history cannot be written any more, all work was stopped; its reason is the error.
   * Client: the owner has gone, and connecting again finds another one or makes this process it.
   */
  readonly lost: AbortSignal;
  /** Of the browsers that were let in; made once and kept with the keys. */
  browserSecret(): Promise<string>;
  /**
   * A client leaves. An owner stops what runs, closes the store and gives the folder up; with `leave` it first waits
   * until the workflows of other processes have ended, or the signal aborts.
   */
  close(leave?: AbortSignal): Promise<void>;
}

/**
 * Ownership is claimed before the store is opened, so no two processes ever open it. After the close of an owner's
 * connection its process must end: the engine keeps the store's folder until then.
 */
export async function connectOrOwn(options: HostingOptions): Promise<Connected> {
  const { environment, folders, signal } = options;
  if (environment.storeUrl !== undefined) folderOf(environment.storeUrl);
  const deadline = Date.now() + PATIENCE_MS;
  for (let locked = false; ;) {
    const claim = await claimOwnership(folders.data, { signal });
    try {
      if (claim.kind === 'own') return await own(options, claim.ownership);
      const connected = await join(options, claim.owner, deadline);
      if (connected !== null) return connected;
      if (Date.now() > deadline) throw silent(claim.owner, folders.data);
    } catch (error) {
      // An owner that was taken for dead has the store: it puts its file back, and can be found then.
      if (locked || !(error instanceof TriadError) || error.code !== 'store_locked') throw error;
      locked = true;
    }
    const pause = locked ? OWNER_RETURNS_MS : PAUSE_MS;
    await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function own(options: HostingOptions, ownership: Ownership): Promise<Connected> {
  const { environment, version, secrets, report, warn } = options;
  try {
    // A client needs none of the engine, so it is loaded only here.
    const [{ openRuntime }, { openEndpoint }] = await Promise.all([
      import('./open-runtime.ts'),
      import('./owner-endpoint.ts'),
    ]);
    const { runtime, failed } = await openRuntime(options);
    ownership.guard();
    const endpoint = openEndpoint(ownership, { runtime, version, storeUrl: environment.storeUrl, report });
    const shut = async () => {
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
      browserSecret: () => browserSecret(secrets),
      close: async (leave) => {
        if (leave && !failed.aborted) {
          const signal = AbortSignal.any([leave, failed]);
          await endpoint.idle(signal, (count) => warn(staying(count)));
        }
        await (closing ??= shut());
      },
    };
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

/** Null where this owner has gone before it answered. */
async function join(
  { environment, version, folder, secrets, works, signal }: HostingOptions,
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
    browserSecret: () => browserSecret(secrets),
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
