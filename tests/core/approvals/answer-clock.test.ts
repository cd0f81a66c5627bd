/** The time of open questions: it runs only while someone could answer, and a minute after the last one left it ends as no. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApprovalRequest } from '#contract/approval.ts';
import { ANSWERER_GRACE_MS } from '#contract/limits.ts';
import { AnswerClock } from '#core/approvals/answer-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Only what the clock looks at. */
function clockWith(remainingMs: number) {
  const requests = [{ id: 'q', remainingMs } as ApprovalRequest];
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

describe('the time of a question', () => {
  test('runs out while someone is there', () => {
    const { clock, expired } = clockWith(10_000);
    clock.attach();
    vi.advanceTimersByTime(9_500);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual(['Nobody answered in time']);
  });

  test('stands still while nobody is there, and after the grace the answer is no', () => {
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

  test('with nobody there from the start, the grace begins with the question', () => {
    const { expired } = clockWith(10_000);
    vi.advanceTimersByTime(ANSWERER_GRACE_MS - 1_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(expired).toEqual(['Nobody was there to answer']);
  });

  test('what is left is stored, so that a restart goes on from there', () => {
    const { clock, saved } = clockWith(60_000);
    clock.attach();
    vi.advanceTimersByTime(12_000);
    expect(saved.length).toBeGreaterThanOrEqual(2);
    expect(saved.at(-1)).toBeLessThan(51_000);
  });

  test('a machine that slept does not wake up to an expired question', () => {
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
