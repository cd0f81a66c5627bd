/** Stores on a server, several of them on one, with short times. */
import { onTestFinished } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { RemoteOptions, RemoteTimes } from '#core/store/remote/options.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { startStoreServer, type StoreServer } from '../../../support/store-server/server.ts';
import { schemaDir } from '../support.ts';

/** A machine that is busy takes its time: what must not happen is waited for with these, what must with patience. */
export const SHORT: RemoteTimes = { call: 1000, patience: 4000, start: 2000, lease: 1500, renew: 300 };

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

/** Everything that the server has of events, whoever wrote it. */
export async function numbersIn(server: StoreServer): Promise<{ conversation: string; first: number; last: number }[]> {
  const [rows] = await server.query(
    'SELECT record::id(id)[0] AS conversation, record::id(id)[1] AS first, last FROM event ORDER BY conversation, first',
  );
  return rows as { conversation: string; first: number; last: number }[];
}

export type { DurableEvent };
