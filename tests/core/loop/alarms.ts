/** Timers of one length as alarms that a test rings after it has let their time pass for the clocks of work. */
import { onTestFinished, vi } from 'vitest';

export interface Alarms {
  /** Rings the oldest alarm. */
  ringFirst: () => void;
  ringAll: () => void;
}

/** Most milliseconds that a clock of work counts at once, and how often it looks. */
const STEP_MS = 500;
const TICK_MS = 250;

/** Replaces every timer of `ms` milliseconds until the end of the test. */
export function createAlarms(ms: number): Alarms {
  const alarms: (() => void)[] = [];
  const ticks = new Map<unknown, () => void>();
  let passed = 0;
  const clock = performance.now.bind(performance);
  const later = setTimeout as (...all: unknown[]) => unknown;
  const [repeat, end] = [setInterval, clearInterval];
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + passed),
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void, delay: number, ...rest: unknown[]) => {
      if (delay === ms) alarms.push(ring);
      return later(delay === ms ? () => undefined : ring, delay, ...rest);
    }) as never),
    vi.spyOn(globalThis, 'setInterval').mockImplementation(((tick: () => void, delay: number) => {
      const timer = repeat(tick, delay);
      if (delay === TICK_MS) ticks.set(timer, tick);
      return timer;
    }) as never),
    vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
      ticks.delete(timer);
      end(timer);
    }),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  const ring = (count: number) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      passed += STEP_MS;
      for (const tick of ticks.values()) tick();
    }
    for (const alarm of alarms.splice(0, count)) alarm();
  };
  return { ringFirst: () => ring(1), ringAll: () => ring(alarms.length) };
}
