/** A watchdog ends work that is silent, and no work of a process that was stopped meanwhile. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Watchdog } from '#core/base/watchdog.ts';
import { WorkClock } from '#core/base/work-clock.ts';

test('a process that was asleep has not been silent', () => {
  const clock = performance.now.bind(performance);
  let asleepMs = 0;
  const alarms: (() => void)[] = [];
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + asleepMs),
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void) => {
      alarms.push(ring);
      return { unref: () => undefined };
    }) as never),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  const onSilence = vi.fn();
  const worked = new WorkClock();
  const watchdog = new Watchdog(2000, onSilence, [worked]);
  asleepMs += 3_600_000;
  alarms.shift()!();
  expect(onSilence).not.toHaveBeenCalled();
  expect(worked.ms).toBeLessThan(2000);
  expect(alarms).toHaveLength(1);
  watchdog.stop();
});
