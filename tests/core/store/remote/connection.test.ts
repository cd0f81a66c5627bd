/** What a store on a server does when the server does not answer, refuses, or is another one: in bounded time, in words. */
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { openRemoteDatabase } from '#core/store/remote/open-remote.ts';
import { inSoak } from '../../../support/samples.ts';
import { schemaDir } from '../support.ts';
import { storeOf, storeServer } from './support.ts';
import { commit, eventOf, SHORT } from './writing.ts';

test('sign-in: the wrong password, none, the right one, a token', async () => {
  const server = await storeServer({ closed: true });
  await server.query("DEFINE USER ada ON DATABASE PASSWORD 'right' ROLES EDITOR");
  const as = (password: string) => storeOf(server, { login: () => Promise.resolve({ user: 'ada', password }) });
  await expect(as('wrong')).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringMatching(
      /refuses the user ada and the password: .*config key store --user ada < FILE/,
    ) as string,
  });
  await expect(storeOf(server, { login: () => Promise.resolve({ token: 'x.y.z' }) })).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringMatching(/refuses the token: .* --token < FILE/) as string,
  });
  await expect(storeOf(server)).rejects.toThrow(
    /cannot be used \(Sign in first\): sign in as a user with the role EDITOR/,
  );
  const store = await as('right');
  await commit(store, eventOf('c', 1));
  // Signed in again, by itself.
  server.cut();
  await commit(store, eventOf('c', 2));
  expect(await store.lastSeq('c')).toBe(2);
  // Taken away while it works: said at once.
  await server.query("REMOVE USER ada ON DATABASE; DEFINE USER ada ON DATABASE PASSWORD 'other' ROLES EDITOR");
  server.cut();
  await expect(commit(store, eventOf('c', 3))).rejects.toThrow(/refuses the user ada/);
  expect(store.lost.aborted).toBe(true);
});

test('no server, or one that says nothing: in bounded time', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/triad/triad`;
  const times = { call: 200, start: 600 };
  const start = performance.now();
  await expect(storeOf({ url }, { times })).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringMatching(/could not be reached for 1 s \(.+\), so nothing can be kept/) as string,
  });
  silent.close();
  await expect(storeOf({ url: 'ws://127.0.0.1:9/triad/triad' }, { times })).rejects.toThrow(/ECONNREFUSED/);
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('a server that comes back in time, and one that does not', async () => {
  const server = await storeServer();
  const store = await storeOf(server, { times: { patience: 2000 } });
  await server.stop();
  const waiting = commit(store, eventOf('c', 1));
  setTimeout(() => void server.listen(), 300);
  await waiting;
  expect(store.lost.aborted).toBe(false);
  await server.stop();
  await expect(commit(store, eventOf('c', 2))).rejects.toThrow(/could not be reached for 2 s/);
  expect(String(store.lost.reason)).toContain('then start Triad again');
  const start = performance.now();
  await store.close();
  expect(performance.now() - start).toBeLessThan(1000);
  await server.listen();
  const again = await storeOf(server, { times: { lease: 1000 } });
  expect(await again.lastSeq('c')).toBe(1);
});

test.runIf(inSoak)('a sign-in that expires is renewed', async () => {
  const server = await storeServer({ closed: true });
  await server.query(
    "DEFINE USER ada ON DATABASE PASSWORD 'right' ROLES EDITOR DURATION FOR TOKEN 1h, FOR SESSION 300ms",
  );
  const login = () => Promise.resolve({ user: 'ada', password: 'right' });
  const store = await storeOf(server, { login, times: { renew: 60_000 } });
  await sleep(400);
  await commit(store, eventOf('c', 1));
  await sleep(400);
  expect(await store.lastSeq('c')).toBe(1);
});

test('a ping of the driver that the server refuses ends nothing', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await storeServer();
  const store = await storeOf(server);
  const pinged = Promise.withResolvers<void>();
  server.fault = ({ method }) => {
    if (method !== 'ping') return null;
    pinged.resolve();
    return 'refuse';
  };
  vi.advanceTimersByTime(31_000);
  await pinged.promise;
  await commit(store, eventOf('c', 1));
});

test('a transaction that was refused is not written later, by an attempt that was late', async () => {
  const server = await storeServer();
  const address = remoteAddress(server.url)!;
  const times = { ...SHORT, call: 200, renew: 60_000 };
  const { database } = await openRemoteDatabase(address, await readMigrations(schemaDir), { times });
  onTestFinished(() => database.close());
  await server.query('CREATE meta:x SET version = 1');
  const held = Promise.withResolvers<void>();
  let frames = 0;
  server.fault = ({ sql }) => (sql.includes('CREATE meta:x') && (frames += 1) === 1 ? { until: held.promise } : null);
  await expect(database.transaction('CREATE meta:x SET version = 2 RETURN NONE;')).rejects.toThrow(/already exists/);
  expect(frames).toBe(2);
  await server.query('DELETE meta:x');
  const before = server.executed;
  held.resolve();
  await expect.poll(() => server.executed).toBe(before + 1);
  await database.transaction('CREATE meta:y SET version = 3 RETURN NONE;');
  expect((await server.query('SELECT VALUE version FROM meta:x, meta:y'))[0]).toEqual([3]);
});

test('a server that does not answer is not waited for at the end', async () => {
  const server = await storeServer();
  const store = await storeOf(server, { times: { call: 200, patience: 400 } });
  server.fault = () => 'drop-request';
  const start = performance.now();
  await store.close();
  expect(performance.now() - start).toBeLessThan(5000);
});

test('a newer schema, and a database of somebody else', async () => {
  const server = await storeServer();
  await server.query('DEFINE TABLE invoice SCHEMALESS; CREATE invoice:1 SET sum = 1;');
  await expect(storeOf(server)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/in use by something else \(it has the table invoice\)/) as string,
  });
  const [info] = await server.query('INFO FOR DB');
  expect(Object.keys((info as { tables: object }).tables).sort()).toEqual(['invoice', 'lease']);
  await server.query('REMOVE TABLE invoice');
  await (await storeOf(server)).close();
  await server.query('UPDATE meta:schema SET version = 999');
  await expect(storeOf(server)).rejects.toThrow(/schema version 999/);
  // It has let go.
  expect((await server.query('SELECT VALUE process FROM lease'))[0]).toEqual(['']);
});

test('there is nothing here to copy, and what to do', async () => {
  const server = await storeServer();
  const store = await storeOf(server);
  await expect(store.beginBackup()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`"surreal export --endpoint http://127.0.0.1:`) as string,
  });
});
