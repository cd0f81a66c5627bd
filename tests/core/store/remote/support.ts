/** Stores on a server, several of them on one, with short times. */
import { onTestFinished } from 'vitest';
import type { RemoteOptions } from '#core/store/remote/options.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { startStoreServer, type StoreServer } from '../../../support/store-server/server.ts';
import { schemaDir } from '../support.ts';
import { SHORT } from './writing.ts';

export async function storeServer(options: { closed?: boolean } = {}): Promise<StoreServer> {
  const server = await startStoreServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Closed when the test ends. */
export async function storeOf({ url }: { url: string }, options: RemoteOptions = {}): Promise<Store> {
  const { times, ...rest } = options;
  const store = await openStore({ url, schemaDir, remote: { times: { ...SHORT, ...times }, ...rest } });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}
