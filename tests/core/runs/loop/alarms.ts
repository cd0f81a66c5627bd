/** Timers that a test runs out, after it has advanced the work clocks by their length. */
import { onTestFinished, vi } from 'vitest';

export interface Alarms {
  /** Advances the work clocks and runs the oldest timer. */
  ringFirst: () => void;
  /** Advances the work clocks and runs all timers. */
  ringAll: () => void;
}

/** Longest time that a work clock counts at once, in milliseconds. */
const STEP_MS = 500;
/** Interval of a work clock, in milliseconds. */
const TICK_MS = 250;

/** Replaces every timeout of `ms` milliseconds until the end of the test. */
export function createAlarms(ms: number): Alarms {
  const alarms: (() => void)[] = [];
  const ticks = new Map<unknown, () => void>();
  let advancedMs = 0;
  const realNow = performance.now.bind(performance);
  const realSetTimeout = setTimeout as (...all: unknown[]) => unknown;
  const [realSetInterval, realClearInterval] = [setInterval, clearInterval];
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + advancedMs),
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void, delay: number, ...rest: unknown[]) => {
      if (delay === ms) alarms.push(ring);
      return realSetTimeout(delay === ms ? () => undefined : ring, delay, ...rest);
    }) as never),
    vi.spyOn(globalThis, 'setInterval').mockImplementation(((tick: () => void, delay: number) => {
      const timer = realSetInterval(tick, delay);
      if (delay === TICK_MS) ticks.set(timer, tick);
      return timer;
    }) as never),
    vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
      ticks.delete(timer);
      realClearInterval(timer);
    }),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  const ring = (count: number) => {
    for (let remainingMs = ms; remainingMs > 0; remainingMs -= STEP_MS) {
      advancedMs += STEP_MS;
      for (const tick of ticks.values()) tick();
    }
    for (const alarm of alarms.splice(0, count)) alarm();
  };
  return { ringFirst: () => ring(1), ringAll: () => ring(alarms.length) };
}
