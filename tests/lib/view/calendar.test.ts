// Days of the reader's calendar, also where one has 23 or 25 hours.
import { expect, it } from 'vitest';
import { dayAfter, dayOf, daysUntil, spanOfDay, startOfDay } from '#lib/view/calendar.ts';

it('converts between a moment and its day', () => {
  const moment = new Date(2026, 0, 31, 23, 59, 59, 999);
  expect(dayOf(moment.getTime())).toBe('2026-01-31');
  expect(dayOf(moment.toISOString())).toBe('2026-01-31');
  expect(startOfDay('2026-01-31')).toBe(new Date(2026, 0, 31).toISOString());
  expect(dayOf(startOfDay('2026-01-31', 1))).toBe('2026-02-01');
});

it('consecutive days meet without gaps across clock changes', () => {
  const days = daysUntil('2026-12-31', 366);
  expect(days).toHaveLength(366);
  for (const [at, day] of days.entries()) {
    expect(dayAfter(day, -1) < day).toBe(true);
    if (at > 0) expect(spanOfDay(day).from).toBe(spanOfDay(days[at - 1] ?? '').to);
  }
});

it('lists days back to a first day, or a number of days', () => {
  expect(daysUntil('2026-03-02', 3)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
  expect(daysUntil('2026-03-02', '2026-03-01')).toEqual(['2026-03-01', '2026-03-02']);
  expect(daysUntil('2026-03-02', '2020-01-01', 4)).toHaveLength(4);
  expect(daysUntil('2026-03-02', '2026-04-01')).toEqual(['2026-03-02']);
});
