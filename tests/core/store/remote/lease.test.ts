/** A database has one owner: whoever has lost its lease writes nothing, and says so. */
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { holderOf } from '#core/store/remote/holder.ts';
import { startChild } from '../child/run.ts';
import { testFolder } from '../support.ts';
import { sharedServer, storeOf, storeServer } from './support.ts';
import { commit, eventOf, SHORT, textsOf } from './writing.ts';
import { fullTest } from '../../../support/samples.ts';

const ada = { installation: 'a', name: 'ada on laptop (pid 1)' };
const bob = { installation: 'b', name: 'bob on desk (pid 2)' };

test('a second process is rejected with the name of the owner, and can take the lease after the owner closes', async () => {
  const server = await sharedServer();
  const first = await storeOf(server, { holder: ada, times: { lease: 60_000 } });
  const start = performance.now();
  await expect(storeOf(server, { holder: bob })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(
      /^The store ws:\S+\/triad\/triad is in use by ada on laptop \(pid 1\) since 2.*Z: stop Triad there/,
    ) as string,
  });
  expect(performance.now() - start).toBeLessThan(SHORT.lease + SHORT.renew + 10_000);
  // The wait has changed nothing; each transaction makes the lease longer.
  await server.query('UPDATE lease:owner SET until = time::now()');
  await commit(first, eventOf('c', 1));
  expect((await server.query('SELECT VALUE until > time::now() + 30s FROM lease'))[0]).toEqual([true]);
  await first.close();
  const second = await storeOf(server, { holder: bob, times: { lease: 60_000 } });
  expect(await second.lastSeq('c')).toBe(1);
  // Of a process that died the same installation takes over at once: nobody else can be it.
  const third = await storeOf(server, { holder: { ...bob, name: 'bob on desk (pid 3)' }, times: { lease: 60_000 } });
  await expect(commit(second, eventOf('c', 2))).rejects.toThrow(/taken by bob on desk \(pid 3\)/);
  expect(await third.lastSeq('c')).toBe(1);
});

test('does not write a commit that was in flight when another owner took the lease', async () => {
  const server = await sharedServer();
  const old = await storeOf(server, { holder: ada, times: { renew: 60_000, call: 60_000 } });
  const held = Promise.withResolvers<void>();
  server.fault = ({ sql }) => (sql.includes('INSERT INTO event') ? { until: held.promise } : null);
  const late = commit(old, eventOf('c', 1, 'ada'));
  late.catch(() => undefined);
  const next = await storeOf(server, { holder: bob });
  server.fault = () => null;
  await commit(next, eventOf('c', 1, 'bob'));
  expect(old.lost.aborted).toBe(false);
  held.resolve();
  await expect(late).rejects.toThrow(/taken by bob on desk \(pid 2\) at 2.*nothing more is written/);
  expect(old.lost.aborted).toBe(true);
  expect(textsOf(await next.events('c', 1, 9))).toEqual(['bob']);
  const asked = server.executed;
  await expect(commit(old, eventOf('c', 1, 'ada'))).rejects.toThrow(/taken by bob/);
  await old.close();
  expect(server.executed).toBe(asked);
  await commit(next, eventOf('c', 2, 'bob'));
});

const TAKEN = "UPDATE lease:owner SET epoch += 1, op = 'x', process = 'x', name = 'eve on phone', until = time::now()";

test('an idle owner detects the loss of its lease at the next renewal', async () => {
  const server = await sharedServer();
  const old = await storeOf(server, { holder: ada, times: { renew: 20 } });
  await server.query(TAKEN);
  await expect.poll(() => old.lost.aborted, { timeout: 10_000, interval: 10 }).toBe(true);
  expect(String(old.lost.reason)).toContain('taken by eve on phone');
});

test('retries a conflict at the start in bounded time, and detects a later loss of the lease', async () => {
  const server = await storeServer();
  const conflict = { error: 'Transaction conflict: Resource busy. This transaction can be retried' };
  server.fault = ({ sql }) => (sql.includes('UPSERT lease:owner') ? conflict : null);
  await expect(storeOf(server, { times: { lease: 60, renew: 40 } })).rejects.toThrow(/lease, and it cannot be taken/);
  // Another one makes the table at the same instant.
  let isFirst = true;
  server.fault = ({ sql }) => {
    if (!isFirst || !sql.startsWith('DEFINE TABLE')) return null;
    isFirst = false;
    return conflict;
  };
  const old = await storeOf(server, { holder: ada });
  expect(isFirst).toBe(false);
  await server.query(TAKEN);
  await expect.poll(() => old.lost.aborted, { timeout: 10_000 }).toBe(true);
  expect(String(old.lost.reason)).toContain('taken by eve on phone');
});

test('creates no tables if the lease is lost right after it was taken', async () => {
  const server = await storeServer();
  server.fault = ({ sql }) =>
    sql.includes('ON meta') ? { until: server.query(`${TAKEN} + 1h`).then(() => undefined) } : null;
  await expect(storeOf(server, { holder: ada })).rejects.toThrow(/taken by eve on phone/);
  const [info] = await server.query('INFO FOR DB');
  expect(Object.keys((info as { tables: object }).tables)).toEqual(['lease']);
});

test('a copy of the data folder counts as another installation', async () => {
  const [folder, copy] = [await testFolder(), await testFolder()];
  const first = await holderOf(folder);
  expect(await holderOf(folder)).toEqual(first);
  await cp(folder, copy, { recursive: true });
  expect((await holderOf(copy)).installation).not.toBe(first.installation);
});

const LATE_WRITE =
  'tests/core/store/remote/lease.test.ts › does not write a commit that was in flight when another owner took the lease';

fullTest(LATE_WRITE)(
  'a process that wakes after its lease expired writes nothing more',
  { timeout: 60_000 },
  async () => {
    const server = await sharedServer();
    const conversationId = newId();
    const sleeper = startChild('remote.ts', [server.url, conversationId, 'sleeper', '5']);
    for (let line = 0; line < 3; line++) await sleeper.line();
    sleeper.process.kill('SIGSTOP');
    const next = await storeOf(server, { holder: bob });
    const before = await next.lastSeq(conversationId);
    expect(before).toBeGreaterThanOrEqual(3);
    await commit(next, eventOf(conversationId, before + 1, 'bob'));
    sleeper.process.kill('SIGCONT');
    await sleeper.ended;
    expect(JSON.parse(sleeper.lines.at(-1)!)).toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('taken by bob on desk (pid 2)') as string,
    });
    await commit(next, eventOf(conversationId, before + 2, 'bob'));
    const texts = textsOf(await next.events(conversationId, 1, before + 10));
    expect(texts).toEqual([...Array<string>(before).fill('sleeper'), 'bob', 'bob']);
  },
);
