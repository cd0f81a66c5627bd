/** Quiet hours go by the clock on the wall: over midnight, and on the nights when it is changed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isQuiet } from '#contract/attention/quiet-hours.ts';
import { TimeOfDay } from '#contract/attention/signals.ts';

const zone = process.env['TZ'];
beforeAll(() => void (process.env['TZ'] = 'Europe/Berlin'));
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const at = (time: string, day = '2026-06-10') => new Date(`${day}T${time}:00`);
const quietAt = (from: string | null, to: string | null) => (time: string) =>
  isQuiet({ quietFrom: from, quietTo: to }, at(time));

test('quiet hours within a day include their start and exclude their end', () => {
  const times = ['12:59', '13:00', '14:29', '14:30'];
  expect(times.map(quietAt('13:00', '14:30'))).toEqual([false, true, true, false]);
});

test('quiet hours can span midnight', () => {
  const times = ['21:59', '22:00', '23:59', '00:00', '06:59', '07:00', '12:00'];
  expect(times.map(quietAt('22:00', '07:00'))).toEqual([false, true, true, true, true, false, false]);
});

test('quiet hours are off if an end is missing or both ends are equal', () => {
  for (const quiet of [quietAt('22:00', null), quietAt(null, '07:00'), quietAt('07:00', '07:00')])
    expect(['00:00', '07:00', '22:30'].map(quiet)).toEqual([false, false, false]);
});

test('quiet hours end at the next existing time when clocks go forward', () => {
  // 02:00 is 03:00 on this day.
  const quiet = (instant: string, from: string, to: string) =>
    isQuiet({ quietFrom: from, quietTo: to }, new Date(instant));
  expect(new Date('2026-03-29T00:59:00Z').getHours(), 'the zone of the test').toBe(1);
  expect(quiet('2026-03-29T00:59:00Z', '22:00', '02:30')).toBe(true);
  expect(quiet('2026-03-29T01:00:00Z', '22:00', '02:30'), '03:00 on the wall').toBe(false);
  expect(quiet('2026-03-29T01:00:00Z', '22:00', '07:00')).toBe(true);
  expect(quiet('2026-03-29T05:00:00Z', '22:00', '07:00'), '07:00 on the wall').toBe(false);
});

test('quiet hours apply to both occurrences of the repeated hour when clocks go back', () => {
  const quiet = (instant: string) => isQuiet({ quietFrom: '02:15', quietTo: '02:45' }, new Date(instant));
  expect(quiet('2026-10-25T00:30:00Z'), '02:30, summer time').toBe(true);
  expect(quiet('2026-10-25T01:00:00Z'), '02:00, winter time').toBe(false);
  expect(quiet('2026-10-25T01:30:00Z'), '02:30, winter time').toBe(true);
  expect(quiet('2026-10-25T01:45:00Z')).toBe(false);
});

test.for(['24:00', '7:00', '07:60', '', '22'])('rejects %s as a time of day', (text) => {
  expect(TimeOfDay.safeParse(text).success).toBe(false);
});
