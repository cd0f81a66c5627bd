/** Who waits is called for at once, then after 1, 3 and 10 minutes and every 10, as often as is wanted, and never in silence. */
import { describe, expect, test } from 'vitest';
import { Calls, callsDue } from '#contract/attention/calls.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-04T12:00:00Z');
const one = [{ key: 'q', at: START }];

/** At which of these minutes it calls; `silent` names the minutes of silence. */
function calledAt(minutes: readonly number[], repeats = 10, silent: readonly number[] = []): number[] {
  const calls = new Calls();
  calls.due([], { now: START - 1, repeats, silent: false });
  return minutes.filter(
    (minute) => calls.due(one, { now: START + minute * MINUTE, repeats, silent: silent.includes(minute) }).length > 0,
  );
}

describe('attention calls', () => {
  test('repeat after 1, 3 and 10 minutes, then every 10 minutes', () => {
    const minutes = Array.from({ length: 42 }, (_, minute) => minute);
    expect(calledAt(minutes)).toEqual([0, 1, 3, 10, 20, 30, 40]);
    expect(callsDue(0.99 * MINUTE, 10)).toBe(1);
  });

  test.for([0, 1, 2, 4])('repeat at most %i times', (repeats) => {
    const minutes = Array.from({ length: 90 }, (_, minute) => minute);
    expect(calledAt(minutes, repeats)).toEqual([0, 1, 3, 10, 20].slice(0, 1 + repeats));
  });

  test('start after a minute for a person who saw the request arrive, if the person is away by then', () => {
    expect(calledAt([0, 0.5, 1], 3, [0])).toEqual([1]);
  });

  test('that fall into quiet hours become one call when the quiet hours end', () => {
    expect(calledAt([0, 1, 3, 5, 6, 7, 10], 3, [1, 3, 5])).toEqual([0, 6, 10]);
  });

  test('treat a request that disappears and returns later as new', () => {
    const calls = new Calls();
    const moment = (minute: number) => ({ now: START + minute * MINUTE, repeats: 3, silent: false });
    calls.due([], moment(-1));
    expect(calls.due(one, moment(0))).toEqual(['q']);
    expect(calls.due([], moment(0.1))).toEqual([]);
    expect(calls.due(one, moment(30)), 'asked long ago, and woken up').toEqual(['q']);
  });

  test('skip the first call for requests that are older than a minute when the window opens, and repeat them when due', () => {
    const calls = new Calls();
    const moment = (minute: number) => ({ now: START + minute * MINUTE, repeats: 3, silent: false });
    const fresh = { key: 'fresh', at: START + 1.9 * MINUTE };
    expect(calls.due([...one, fresh], moment(2))).toEqual(['fresh']);
    expect(calls.due([...one, fresh], moment(2.5))).toEqual([]);
    expect(calls.due([...one, fresh], moment(3))).toEqual(['q', 'fresh']);
  });
});
