/** Days of the reader's calendar, as `2026-01-31`. Pure but for the time zone. */

/** The day of an instant: ISO, or epoch milliseconds. */
export function dayOf(instant: string | number): string {
  const date = new Date(instant);
  const part = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

/** The first moment of a day, or of one so many days after it. */
export function dateOf(day: string, daysAfter = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysAfter);
}

/** As an ISO instant. */
export function startOfDay(day: string, daysAfter = 0): string {
  return dateOf(day, daysAfter).toISOString();
}

/** The day so many days after another; before it for a negative number. */
export function dayAfter(day: string, days: number): string {
  return dayOf(startOfDay(day, days));
}

/** From its first moment to the one after its last. */
export function spanOfDay(day: string): { from: string; to: string } {
  return { from: startOfDay(day), to: startOfDay(day, 1) };
}

/** So many days that end with `last`, oldest first; or those from a day on, the newest `most` of them. */
export function daysUntil(last: string, first: number | string, most = 366): string[] {
  const days = [last];
  const count = typeof first === 'number' ? first : most;
  while (days.length < count) {
    const before = dayAfter(days[0] ?? last, -1);
    if (typeof first === 'string' && before < first) break;
    days.unshift(before);
  }
  return days;
}
