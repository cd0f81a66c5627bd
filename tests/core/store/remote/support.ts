/** Stores on a server, several of them on one, with short times. */
import { onTestFinished } from 'vitest';
import type { RemoteOptions } from '#core/store/remote/options.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { Engine } from '../../../support/store-server/engine.ts';
import { startStoreServer, StoreServer } from '../../../support/store-server/server.ts';
import { schemaDir } from '../support.ts';
import { SHORT } from './writing.ts';

/** With an engine of its own, in which nothing was ever made. */
export async function storeServer(options: { closed?: boolean } = {}): Promise<StoreServer> {
  const server = await startStoreServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Engines that tests share one after the other: making a schema takes longer than most of them. */
const free: Engine[] = [];

/** As after an owner that has let go: the schema may be there, and no row. For tests that leave nothing on its way. */
export async function sharedServer(): Promise<StoreServer> {
  const engine = free.pop() ?? (await Engine.open('mem://'));
  const server = new StoreServer(engine, false);
  await server.listen();
  onTestFinished(async () => {
    await server.stop();
    const [info] = (await engine.query('INFO FOR DB', {})) as [{ tables: object }];
    const names = Object.keys(info.tables).filter((name) => name !== 'meta');
    await engine.query(`DELETE ${names.join(', ')}; DELETE meta WHERE id != meta:schema;`, {});
    free.push(engine);
  });
  return server;
}

/** Closed when the test ends. */
export async function storeOf({ url }: { url: string }, options: RemoteOptions = {}): Promise<Store> {
  const { times, ...rest } = options;
  const store = await openStore({ url, schemaDir, remote: { times: { ...SHORT, ...times }, ...rest } });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}
