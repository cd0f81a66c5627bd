/** What a store on a server does when the server does not answer, refuses, or is another one: in bounded time, in words. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { openRemoteDatabase } from '#core/store/remote/open-remote.ts';
import { CERTIFICATE, KEY } from '../../../support/certificate.ts';
import { fullTest } from '../../../support/samples.ts';
import { schemaDir } from '../support.ts';
import type { Fault } from '../../../support/store-server/server.ts';
import { sharedServer, storeOf, storeServer } from './support.ts';
import { commit, eventOf, SHORT } from './writing.ts';

/** Hashes of "right" and of nothing, with the least work: the server's own take as long as a whole test, each time. */
const RIGHT = '$argon2id$v=19$m=8,t=1,p=1$dHJpYWR0cmlhZHRyaWFkMQ$vO8lZxmkO1hs4GcsvkdNEXKdHxzN+ycDhveHl/fw+9I';
const OTHER = RIGHT.replace(/.$/, 'A');

test('accepts the right password, and rejects a wrong or missing password and an invalid token', async () => {
  const server = await storeServer({ closed: true });
  await server.query(`DEFINE USER ada ON DATABASE PASSHASH '${RIGHT}' ROLES EDITOR`);
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
  server.fault = ({ method }) => (method === 'authenticate' ? { error: 'The token has expired' } : null);
  await expect(storeOf(server, { login: () => Promise.resolve({ token: 'x.y.z' }) })).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('refuses the token, which has expired') as string,
  });
  server.fault = ({ method }) => (method === 'version' ? { error: 'Not for you' } : null);
  await expect(storeOf(server)).rejects.toThrow(/cannot be used \(Not for you\)/);
  server.fault = () => null;
  await expect(storeOf(server)).rejects.toThrow(
    /cannot be used \(Sign in first\): sign in as a user with the role EDITOR/,
  );
  const store = await as('right');
  let isOver = true;
  server.fault = ({ sql }) => {
    if (!isOver || !sql.includes('event')) return null;
    isOver = false;
    return { error: 'The session has expired' };
  };
  await commit(store, eventOf('c', 1));
  expect(isOver).toBe(false);
  // Signed in again, by itself.
  server.cut();
  await commit(store, eventOf('c', 2));
  expect(await store.lastSeq('c')).toBe(2);
  // Taken away while it works: said at once.
  await server.query(`REMOVE USER ada ON DATABASE; DEFINE USER ada ON DATABASE PASSHASH '${OTHER}' ROLES EDITOR`);
  server.cut();
  await expect(commit(store, eventOf('c', 3))).rejects.toThrow(/refuses the user ada/);
  expect(store.lost.aborted).toBe(true);
});

test('reports a missing or silent server in bounded time', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}/triad/triad`;
  const times = { call: 1100, start: 600 };
  const start = performance.now();
  await expect(storeOf({ url }, { times })).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringMatching(/could not be reached for 2 s \(.+\), so nothing can be kept/) as string,
  });
  silent.close();
  await expect(storeOf({ url: 'ws://127.0.0.1:9/triad/triad' }, { times })).rejects.toThrow(/ECONNREFUSED/);
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('rejects another kind of server and an untrusted certificate at once, with a solution', async () => {
  for (const [server, protocol, words] of [
    [createHttpServer(), 'ws', /^What answers at ws:\S+ is no SurrealDB: look at the address in TRIAD_STORE\.$/],
    [createTlsServer({ key: KEY, cert: CERTIFICATE }), 'wss', /self-signed certificate.*: .*NODE_EXTRA_CA_CERTS names/],
  ] as const) {
    const echo = new WebSocketServer({ server, handleProtocols: () => 'cbor' });
    echo.on('connection', (socket) => socket.on('message', (frame: Buffer) => socket.send(frame)));
    await once(server.listen(0, 'localhost'), 'listening');
    onTestFinished(() => void server.close());
    const url = `${protocol}://localhost:${(server.address() as AddressInfo).port}/triad/triad`;
    // It would be waited for, as one that does not answer is.
    const opening = storeOf({ url }, { times: { start: 600_000 } });
    await expect(opening).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(words) as string,
    });
  }
});

fullTest([
  'tests/core/store/remote/cuts.test.ts › loses and repeats no event of one owner (%i)',
  'tests/core/store/remote/link.test.ts › gives up after the time limit, and does not count the time in which the process slept',
])('waits for a server that returns in time, and fails if the server stays away', async () => {
  const server = await sharedServer();
  const store = await storeOf(server, { times: { patience: 2000 } });
  await server.stop();
  const waiting = commit(store, eventOf('c', 1));
  setTimeout(() => void server.listen(), 300);
  await waiting;
  expect(store.lost.aborted).toBe(false);
  await server.stop();
  await expect(commit(store, eventOf('c', 2))).rejects.toThrow(/could not be reached for \d s/);
  expect(String(store.lost.reason)).toContain('then start Triad again');
  const start = performance.now();
  await store.close();
  expect(performance.now() - start).toBeLessThan(1000);
  await server.listen();
  const again = await storeOf(server, { times: { lease: 1000 } });
  expect(await again.lastSeq('c')).toBe(1);
});

const SIGN_IN =
  'tests/core/store/remote/connection.test.ts › accepts the right password, and rejects a wrong or missing password and an invalid token';

fullTest(SIGN_IN)('renews an expired sign-in', async () => {
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

test('a late attempt does not write a transaction that was rejected', async () => {
  const server = await sharedServer();
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
  // The same of one that is refused as a whole, not in one of its statements.
  const late = Promise.withResolvers<void>();
  const answers: Fault[] = [{ until: late.promise }, { error: 'Too busy' }];
  server.fault = ({ sql }) => (sql.includes('CREATE meta:z') ? answers.shift()! : null);
  await expect(database.transaction('CREATE meta:z SET version = 4 RETURN NONE;')).rejects.toThrow(/write: Too busy/);
  const then = server.executed;
  late.resolve();
  await expect.poll(() => server.executed).toBe(then + 1);
  // In each other's way: tried again.
  answers.push({ error: 'Transaction conflict' });
  server.fault = () => answers.shift() ?? null;
  await database.transaction('CREATE meta:y SET version = 3 RETURN NONE;');
  expect((await server.query('SELECT VALUE version FROM meta:x, meta:y, meta:z'))[0]).toEqual([3]);
});

test('closes without waiting for a server that does not answer', async () => {
  const server = await sharedServer();
  const store = await storeOf(server, { times: { call: 200, patience: 600_000, renew: 60_000 } });
  server.fault = () => 'drop-request';
  const start = performance.now();
  await store.close();
  expect(performance.now() - start).toBeLessThan(5000);
});

test('rejects a newer schema and a database of another application', async () => {
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

test('rejects a local backup of a remote store, with the export command', async () => {
  const server = await sharedServer();
  const store = await storeOf(server);
  await expect(store.beginBackup()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`"surreal export --endpoint http://127.0.0.1:`) as string,
  });
});
