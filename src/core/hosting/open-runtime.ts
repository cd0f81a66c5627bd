/** Opens the store; composes the rest of the program while the engine opens it in its own threads. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TriadError } from '../base/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { finishRestore } from '../store/backups/restore.ts';
import { remoteAddress } from '../store/remote/address.ts';
import { holderOf } from '../store/remote/holder.ts';
import { loginFor } from '../store/remote/login.ts';
import type { Store } from '../store/store.ts';
import { openStore } from '../store/surreal.ts';
import type { HostingOptions } from './options.ts';

/** Time, in milliseconds, for a previous owner to exit: the engine's lock ends with its process. */
const LEAVING_MS = 3000;
const PAUSE_MS = 50;

export interface OpenedRuntime {
  runtime: Runtime;
  /** Aborts with the error when the store can no longer be written; all work was stopped then. */
  failed: AbortSignal;
}

/** Opens store and runtime. The process must own the data folder. */
export async function openRuntime(options: HostingOptions): Promise<OpenedRuntime> {
  const failure = new AbortController();
  const begun = Promise.withResolvers<void>();
  const opening = openWhenFree(options, begun.resolve).finally(begun.resolve);
  const compose = begun.promise.then(() => compositionOf(options, (error) => failure.abort(error)));
  // Awaited below; prevents an unhandled rejection until then.
  opening.catch(() => undefined);
  compose.catch(() => undefined);
  const store = await opening;
  const runtime = await (await compose)(store);
  return { runtime, failed: failure.signal };
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
      return await openStore({ url, signal, onBegin, warn, remote });
    } catch (error) {
      const locked = error instanceof TriadError && error.code === 'store_locked';
      if (!locked || Date.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
