/** Opens the store; loads and composes the rest of the program while the engine opens it in its own threads. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TriadError } from '#core/base/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { ARCHIVE } from '#core/store/archive/archive-folder.ts';
import { finishRestore } from '#core/store/backups/restore.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { holderOf } from '#core/store/remote/holder.ts';
import { loginFor } from '#core/store/remote/login.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import type { HostingOptions } from './options.ts';

/** Time, in milliseconds, for a previous owner to exit: the engine's lock ends with its process. */
const LEAVING_MS = 3000;
const PAUSE_MS = 50;

export interface OpeningOptions extends HostingOptions {
  /** Registers the secrets in the settings. Called when the engine has started to open, because it loads all schemas. */
  registerSecrets: () => Promise<void>;
}

export interface OpenedRuntime {
  runtime: Runtime;
  /** Aborts with the error when the store can no longer be written; all work was stopped then. */
  failed: AbortSignal;
}

/** Opens store and runtime. The process must own the data folder. */
export async function openRuntime(options: OpeningOptions): Promise<OpenedRuntime> {
  const failure = new AbortController();
  const begun = Promise.withResolvers<void>();
  const secretsRegistered = begun.promise.then(() => options.registerSecrets());
  const warn = (line: string) => {
    begun.resolve();
    secretsRegistered.then(() => options.warn(line)).catch(() => undefined);
  };
  const opening = openWhenFree({ ...options, warn }, begun.resolve).finally(begun.resolve);
  const compose = secretsRegistered.then(() => compositionOf(options, (error) => failure.abort(error)));
  // Awaited below; prevents an unhandled rejection until then.
  opening.catch(() => undefined);
  compose.catch(() => undefined);
  const store = await opening;
  try {
    const runtime = await (await compose)(store);
    return { runtime, failed: failure.signal };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function compositionOf(
  options: HostingOptions,
  onFailure: (error: TriadError) => void,
): Promise<(store: Store) => Promise<Runtime>> {
  const { composeRuntime } = await import('./compose-runtime.ts');
  return composeRuntime(options, onFailure);
}

async function openWhenFree(
  { environment, folders, secrets, signal, warn }: HostingOptions,
  onBegin: () => void,
): Promise<Store> {
  const url = environment.storeUrl ?? `rocksdb://${join(folders.data, 'store')}`;
  // Beside the store of the data folder: another store has no archive.
  const archive = environment.storeUrl === undefined ? join(folders.data, ARCHIVE) : undefined;
  const address = remoteAddress(url);
  const remote =
    address === null
      ? undefined
      : {
          login: () => loginFor(address, secrets, environment.programs),
          holder: await holderOf(folders.data),
        };
  const deadline = Date.now() + LEAVING_MS;
  await finishRestore(folders.data);
  for (;;) {
    try {
      return await openStore({ url, signal, onBegin, warn, archive, remote });
    } catch (error) {
      const locked = error instanceof TriadError && error.code === 'store_locked';
      if (!locked || Date.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
