/** A watchdog ends silent work. Time in which the process was suspended does not count. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Watchdog } from '#core/base/watchdog.ts';
import { WorkClock } from '#core/base/work-clock.ts';

test('time in which a process was suspended does not count as silence', () => {
  const realNow = performance.now.bind(performance);
  let suspendedMs = 0;
  const alarms: (() => void)[] = [];
  const spies = [
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + suspendedMs),
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void) => {
      alarms.push(ring);
      return { unref: () => undefined };
    }) as never),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  const onSilence = vi.fn();
  const workClock = new WorkClock();
  const watchdog = new Watchdog(2000, onSilence, [workClock]);
  suspendedMs += 3_600_000;
  alarms.shift()!();
  expect(onSilence).not.toHaveBeenCalled();
  expect(workClock.ms).toBeLessThan(2000);
  expect(alarms).toHaveLength(1);
  watchdog.stop();
});
