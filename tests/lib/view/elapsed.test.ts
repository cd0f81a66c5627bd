// A clock that goes on counts the time of work, not the time between an interruption and its resumption.
import { describe, expect, it } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { elapsedMs } from '#lib/view/elapsed.ts';

const START = Date.parse('2026-01-02T03:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const user = (n: number, seconds: number): Entry => ({
  kind: 'user',
  n,
  at: at(seconds),
  source: 'person',
  text: 'Do it',
});
const resumed = (n: number, seconds: number): Entry => ({
  kind: 'system',
  n,
  at: at(seconds),
  code: 'resumed',
  text: 'Resumed',
});
const running = { startedAt: at(0), durationMs: null };

describe('elapsedMs', () => {
  it('is null before the start, and the stored duration after the end', () => {
    expect(elapsedMs({ startedAt: null, durationMs: null }, [], START)).toBeNull();
    expect(elapsedMs({ startedAt: at(0), durationMs: 1234 }, [resumed(1, 50)], START + 99_000)).toBe(1234);
  });

  it('leaves out every pause before a further attempt', () => {
    expect(elapsedMs(running, [user(0, 1)], START + 10_000)).toBe(10_000);
    const entries = [user(0, 1), user(1, 10), resumed(2, 3610), user(3, 3620), resumed(4, 7220)];
    expect(elapsedMs(running, entries, START + 7230_000)).toBe(7230_000 - 3600_000 - 3600_000);
  });
});
