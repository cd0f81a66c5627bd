/**
 * The time of a question: what no answer in time is, and when it stands still. It runs only while someone could answer,
 * and a minute after the last one left it ends as no.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalRequest } from '#contract/approval.ts';
import { ANSWERER_GRACE_MS } from '#contract/limits.ts';
import type { SpawnSubject } from '#contract/spawn-items.ts';
import type { DurableEvent } from '#contract/event.ts';
import { AnswerClock } from '#core/approvals/answer-clock.ts';
import { Stopped } from '#core/base/stop.ts';
import { gateWith, requestOf, settled, spawnOf } from './gate-with.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => void vi.advanceTimersByTime(ms);

test('a timeout rejects the unanswered items, even with on_timeout set to approve if no client was attached', async () => {
  const { gate, asking, decisions } = gateWith();
  const answered = gate.ask(requestOf({ subject: spawnOf('a', 'b'), remainingMs: 10_000 }), asking);
  await settled();
  gate.attach();
  await gate.decide('q', 0, { kind: 'allow' });
  pass(9000);
  expect(decisions()).toHaveLength(1);
  pass(2000);
  expect((await answered).decisions).toMatchObject([
    { allowed: true, decidedBy: 'person' },
    {
      allowed: false,
      decidedBy: 'timeout',
      optionId: 'reject',
      reason: 'Nobody answered in time',
      hashAfter: 'hash-b',
    },
  ]);
  expect(decisions()).toHaveLength(2);
  const alone = gateWith();
  const left = alone.gate.ask(requestOf({ onTimeout: 'approve', remainingMs: 10_000 }), alone.asking);
  await settled();
  pass(ANSWERER_GRACE_MS + 1000);
  expect((await left).decisions).toMatchObject([
    { allowed: false, decidedBy: 'timeout', optionId: 'reject', reason: 'Nobody was there to answer' },
  ]);
});

test('a timeout approves only if on_timeout is approve and a client is attached', async () => {
  const { gate, asking } = gateWith();
  const answered = gate.ask(requestOf({ onTimeout: 'approve', remainingMs: 10_000 }), asking);
  await settled();
  gate.attach();
  pass(11_000);
  expect((await answered).decisions).toMatchObject([{ allowed: true, decidedBy: 'timeout', optionId: 'allow' }]);
});

test('an approval that the person requested does not time out, also without a client', async () => {
  const { gate, asking } = gateWith();
  const subject = spawnOf('a') as SpawnSubject;
  const of = { conversationId: 'c', workflowId: 'w', runId: 'r' };
  const items = subject.items.map((item) => ({ ...item, again: of }));
  void gate.ask(requestOf({ subject: { ...subject, items }, remainingMs: 10_000 }), asking);
  await settled();
  pass(ANSWERER_GRACE_MS + 20_000);
  gate.attach();
  pass(60_000);
  expect(gate.pending()[0]?.request.remainingMs).toBe(10_000);
});

test('a limit approval has no timeout while a client is attached, and is rejected a minute after the last one left', async () => {
  const { gate, asking, decisions } = gateWith();
  const bound = { of: 'run', name: 'iterations', value: 40 } as const;
  const subject = { kind: 'limit', bound, add: { iterations: 40 }, folder: '/work', hash: 'h' } as const;
  const leave = gate.attach();
  const answered = gate.ask(requestOf({ subject, onTimeout: 'approve', remainingMs: 10_000 }), asking);
  await settled();
  pass(10 * ANSWERER_GRACE_MS);
  expect(decisions()).toEqual([]);
  await expect(gate.explain('q', 'Why?')).rejects.toMatchObject({ code: 'conflict' });
  leave();
  pass(ANSWERER_GRACE_MS - 1000);
  expect([decisions(), gate.isAttended]).toEqual([[], true]);
  pass(2000);
  expect((await answered).decisions).toMatchObject([{ allowed: false, decidedBy: 'timeout' }]);
  expect(gate.isAttended).toBe(false);
});

test.each(['all', 'none'] as const)('the policy "%s" never extends a limit', async (policy) => {
  const { gate, asking } = gateWith({ policy });
  const bound = { of: 'run', name: 'iterations', value: 40 } as const;
  const subject = { kind: 'limit', bound, add: { iterations: 40 }, folder: '/work', hash: 'h' } as const;
  const { decisions } = await gate.ask(requestOf({ subject }), asking);
  expect(decisions).toMatchObject([{ allowed: false, decidedBy: 'rule' }]);
});

test('the timeout starts when the approval is shown, and pauses during a question back', async () => {
  const stored = Promise.withResolvers<DurableEvent>();
  const said = Promise.withResolvers<string>();
  const { gate, asking, changes } = gateWith({ explain: () => said.promise });
  gate.attach();
  void gate.ask(requestOf({ remainingMs: 10_000 }), {
    ...asking,
    record: ({ type }) => (type === 'approval-request' ? stored.promise : Promise.resolve({} as DurableEvent)),
  });
  pass(20_000);
  stored.resolve({} as DurableEvent);
  await settled();
  expect(gate.pending()[0]?.request.remainingMs).toBe(10_000);
  pass(4000);
  expect(gate.pending()[0]?.request.remainingMs).toBe(6000);
  const before = changes.mock.calls.length;
  await gate.explain('q', 'Why?');
  expect(changes.mock.calls.length).toBeGreaterThan(before);
  pass(20_000);
  expect(gate.pending()[0]?.request.remainingMs).toBe(6000);
  said.resolve('Because.');
  await settled();
  expect(gate.has('q')).toBe(true);
  // The clock begins anew with its next tick.
  pass(7000);
  expect(gate.has('q')).toBe(false);
});

test('the timeout ends with the gate and with the answer', async () => {
  const { gate, asking } = gateWith();
  gate.attach();
  void gate.ask(requestOf({ remainingMs: 10_000 }), asking);
  await settled();
  expect(vi.getTimerCount()).toBe(1);
  gate.close();
  expect(vi.getTimerCount()).toBe(0);
  const other = gateWith();
  void other.gate.ask(requestOf(), other.asking);
  await settled();
  await other.gate.decide('q', 0, { kind: 'allow' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a stop after the answer does not change the decision', async () => {
  const { gate, asking, controller, decisions } = gateWith();
  const answered = gate.ask(requestOf(), asking);
  await gate.decide('q', 0, { kind: 'allow' });
  controller.abort(new Stopped('user'));
  await answered;
  expect(decisions()).toMatchObject([{ allowed: true }]);
});

/** Only what the clock looks at. */
function clockWith(remainingMs: number) {
  const requests: ApprovalRequest[] = [requestOf({ remainingMs })];
  const expired: string[] = [];
  const saved: number[] = [];
  const clock = new AnswerClock({
    open: () => requests,
    expire: (_, reason) => {
      expired.push(reason);
      requests.length = 0;
      clock.update();
    },
    save: (open) => saved.push(...open.map((request) => request.remainingMs)),
  });
  clock.update();
  return { clock, requests, expired, saved };
}

describe('the approval timeout', () => {
  beforeEach(() => void vi.useFakeTimers());

  test('expires while a client is attached', () => {
    const { clock, expired } = clockWith(10_000);
    clock.attach();
    vi.advanceTimersByTime(9_500);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual(['Nobody answered in time']);
  });

  test('pauses while no client is attached, and rejects after the grace period', () => {
    const { clock, requests, expired } = clockWith(10_000);
    const leave = clock.attach();
    vi.advanceTimersByTime(4_000);
    leave();
    leave();
    vi.advanceTimersByTime(ANSWERER_GRACE_MS - 2_000);
    expect(requests[0]?.remainingMs).toBeCloseTo(6_000, -3);
    const back = clock.attach();
    vi.advanceTimersByTime(2_000);
    expect(requests[0]?.remainingMs).toBeCloseTo(4_000, -3);
    back();
    vi.advanceTimersByTime(ANSWERER_GRACE_MS + 1_000);
    expect(expired).toEqual(['Nobody was there to answer']);
  });

  test('starts the grace period with the request if no client was ever attached', () => {
    const { expired } = clockWith(10_000);
    vi.advanceTimersByTime(ANSWERER_GRACE_MS - 1_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(expired).toEqual(['Nobody was there to answer']);
  });

  test('stores the remaining time, so that it continues after a restart', () => {
    const { clock, saved } = clockWith(60_000);
    clock.attach();
    vi.advanceTimersByTime(12_000);
    expect(saved.length).toBeGreaterThanOrEqual(2);
    expect(saved.at(-1)).toBeLessThan(51_000);
  });

  test('does not expire because the machine slept', () => {
    const { clock, expired, requests } = clockWith(10_000);
    clock.attach();
    vi.advanceTimersByTime(1_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 3_600_000);
    vi.advanceTimersByTime(500);
    expect(expired).toEqual([]);
    expect(requests[0]?.remainingMs).toBeGreaterThan(7_000);
    vi.restoreAllMocks();
  });
});
