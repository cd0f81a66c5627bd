/** Servers are shared, end when nobody uses them, and are tried again with patience. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { fullTest, inFullRun } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';
import {
  areAlive,
  commandOf,
  expectGone,
  liar,
  LIAR,
  never,
  newPool,
  reportOf,
  said,
  serverOf,
  testPool,
} from './support.ts';

const FOLDER = process.cwd();
const faultOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

test('three users share one server process, and another folder or configuration gets its own process', async () => {
  const pool = testPool();
  const uses = [1, 2, 3].map(() => pool.use(liar(), FOLDER));
  expect(pool.state(FOLDER)).toMatchObject([{ name: 'liar', status: 'idle', pid: null, users: 3 }]);
  const elsewhere = pool.use(liar(), await folderWith());
  const otherwise = pool.use(liar(['speaks']), FOLDER);
  const [one, two, three, four, five] = await Promise.all([...uses, elsewhere, otherwise].map(reportOf));
  expect(new Set([one, two, three].map((it) => it?.pid)).size).toBe(1);
  expect(new Set([one, four, five].map((it) => it?.pid)).size).toBe(3);
  expect(pool.state(FOLDER)[0]).toMatchObject({
    status: 'ready',
    pid: one?.pid,
    users: 3,
    error: null,
    words: { name: 'liar', version: '0', instructions: null },
  });
});

test('the state of a server shows no configured values', async () => {
  const pool = testPool();
  const { transport } = liar();
  pool.use({ ...liar(), transport: { ...transport, env: { TOKEN: 'secret-1' } } as typeof transport }, FOLDER);
  pool.use(
    { ...liar(), transport: { kind: 'http', url: 'http://localhost:1/secret-2', headers: { a: 'secret-3' } } },
    FOLDER,
  );
  expect(JSON.stringify(pool.state(FOLDER))).not.toMatch(/secret/);
});

fullTest(
  'tests/core/mcp/mcp-server.test.ts › a server without users is closed after a time, unless a new use or a running request comes before',
)('a server ends some time after its last user and call, and a new use in between keeps the process', async () => {
  const pool = testPool({ idleMs: 150 });
  const [first, second] = [pool.use(liar(), FOLDER), pool.use(liar(), FOLDER)];
  const { pid } = await reportOf(first);
  first.release();
  first.release();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(areAlive([pid])).toEqual([true]);
  second.release();
  const third = pool.use(liar(), FOLDER);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await reportOf(third)).pid).toBe(pid);
  const call = said(third, 'works', { ms: 500 });
  third.release();
  expect(await call).toMatch(/steps/);
  await expectGone([pid]);
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'idle', pid: null, users: 0, error: null }]);
  expect((await reportOf(pool.use(liar(), FOLDER))).pid).not.toBe(pid);
});

test('a server with an old configuration ends when its last user leaves', async () => {
  const pool = testPool({ idleMs: 50 });
  const old = pool.use(liar(), FOLDER);
  const { pid } = await reportOf(old);
  const own = pool.use(liar(['speaks']), FOLDER);
  old.release();
  await expectGone([pid]);
  await eventually(() => expect(pool.state(FOLDER)).toMatchObject([{ status: 'idle', users: 1 }]));
  own.release();
  pool.use(liar(), FOLDER);
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'idle', users: 1 }]);
});

fullTest(
  'tests/core/mcp/mcp-server.test.ts › a crash soon after the start delays the next start; a later crash does not',
)('a crash soon after the start delays the next start, but a crash after a long life does not', async () => {
  let now = 0;
  const pool = testPool({ now: () => now });
  const use = pool.use(liar(), FOLDER);
  await faultOf(said(use, 'dies'));
  expect(await faultOf(said(use, 'work'))).toMatchObject({ code: 'unreachable' });
  now = 1000;
  const { pid } = await reportOf(use);
  now = 61_000;
  process.kill(pid, 'SIGKILL');
  await eventually(() =>
    expect(pool.state(FOLDER)).toMatchObject([
      { status: 'failed', pid: null, since: 61_000, error: 'The MCP server "liar" was ended by SIGKILL' },
    ]),
  );
  expect((await reportOf(use)).pid).not.toBe(pid);
});

test('a failing server is tried again at the first use after 1, 2, 4 … 60 s; an earlier use fails and names the wait', async () => {
  let now = 0;
  const pool = testPool({ now: () => now });
  const exits = serverOf('liar', { ...commandOf(''), command: '/bin/sh', args: ['-c', 'exit 4'] });
  const use = pool.use(exits, FOLDER);
  const waits: number[] = [];
  for (let round = 0; round < (inFullRun ? 8 : 2); round += 1) {
    expect(await faultOf(use.server.tools(never))).toMatchObject({
      message: expect.stringContaining('exit code 4') as string,
    });
    const [state] = pool.state(FOLDER);
    waits.push((state!.retryAt! - now) / 1000);
    now = state!.retryAt! - 1;
    const starts = state!.log.length;
    expect(await faultOf(use.server.tools(never))).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/exit code 4.*\. It is tried again at the first use in 1 s or later$/) as string,
    });
    expect(pool.state(FOLDER)[0]!.log.length).toBe(starts);
    now += 1;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].slice(0, inFullRun ? 8 : 2));
});

test('a stopped server and its child processes end, and only a restart starts the server again', async () => {
  const pool = testPool();
  const use = pool.use(liar(['kin']), FOLDER);
  const { pid, kin } = await reportOf(use);
  const call = faultOf(said(use, 'silent'));
  await said(use, 'work');
  await pool.stop(liar(['kin']), FOLDER);
  expect(areAlive([pid, ...kin])).toEqual([false, false, false]);
  expect(await call).toMatchObject({ code: 'disconnected' });
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'stopped', pid: null, users: 1, error: null }]);
  expect(await faultOf(said(use, 'work'))).toMatchObject({ code: 'conflict' });
  await pool.restart(liar(['kin']), FOLDER);
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'ready' }]);
  expect(await said(use, 'work')).toBe('done');
});

// The test of a server that has failed just now needs none either.
fullTest(
  'tests/core/mcp/mcp-server.test.ts › a restart opens a new connection at once for a used, failed or stopped server',
)('a restart skips the retry delay and starts a new process', async () => {
  const pool = testPool({ now: () => 0 });
  const use = pool.use(liar(), FOLDER);
  const { pid } = await reportOf(use);
  await pool.restart(liar(), FOLDER);
  expect(areAlive([pid])).toEqual([false]);
  await faultOf(said(use, 'dies'));
  await pool.restart(liar(), FOLDER);
  expect(await said(use, 'work')).toBe('done');
  await expect(pool.restart(liar(['exits']), FOLDER)).rejects.toMatchObject({ code: 'unreachable' });
});

test('an abort during the start of a server ends only the wait of the aborting user', async () => {
  const pool = testPool({ handshakeMs: 400 });
  const use = pool.use(liar(['never-starts']), FOLDER);
  const stop = new AbortController();
  const [given, other] = [faultOf(use.server.tools(stop.signal)), faultOf(use.server.tools(never))];
  stop.abort();
  expect(await given).toMatchObject({ code: 'cancelled' });
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'starting' }]);
  expect(await other).toMatchObject({ code: 'unreachable' });
});

test('an aborted request does not start a server', async () => {
  const pool = testPool();
  const use = pool.use(liar(), FOLDER);
  expect(await faultOf(use.server.tools(AbortSignal.abort()))).toMatchObject({ code: 'cancelled' });
  expect(pool.state(FOLDER)).toMatchObject([{ status: 'idle' }]);
});

test('simultaneous restarts leave one process running', async () => {
  const pool = testPool();
  const file = join(await folderWith(), 'starts');
  const server = serverOf('liar', commandOf(LIAR, [], { env: { STARTS: file } }));
  const use = pool.use(server, FOLDER);
  await Promise.all([pool.restart(server, FOLDER), pool.restart(server, FOLDER), said(use, 'work')]);
  const started = (await readFile(file, 'utf8')).trim().split('\n').map(Number);
  const { pid } = await reportOf(use);
  expect(areAlive(started)).toEqual(started.map((one) => one === pid));
});

test('ending the pool ends running and starting servers with their children, and allows no new start', async () => {
  const pool = newPool();
  onTestFinished(() => pool.end());
  const use = pool.use(liar(['kin']), FOLDER);
  const { pid, kin } = await reportOf(use);
  const starting = faultOf(pool.use(liar(['never-starts']), FOLDER).server.tools(never));
  await eventually(() => expect(pool.state(FOLDER)).toMatchObject([{ status: 'ready' }, { status: 'starting' }]));
  const end = pool.end();
  expect(() => pool.use(liar(), FOLDER)).toThrow(expect.objectContaining({ code: 'interrupted' }) as Error);
  await end;
  expect(areAlive([pid, ...kin])).toEqual([false, false, false]);
  expect(await starting).toMatchObject({ code: 'interrupted' });
  expect(await faultOf(use.server.tools(never))).toMatchObject({ code: 'interrupted' });
});
