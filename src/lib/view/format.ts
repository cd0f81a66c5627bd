/** Numbers, times and amounts as people read them. */
import type { Tally } from '#contract/outcome.ts';
import { dateOf } from './calendar.ts';
import { perLanguage } from './language.ts';

const compact = perLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }),
);
const small = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const tenths = perLanguage(
  (language) =>
    new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false }),
);
const dollarsTo = (digits: number) =>
  perLanguage(
    (language) =>
      new Intl.NumberFormat(language, {
        style: 'currency',
        currency: 'USD',
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        useGrouping: false,
      }),
  );
const cents = dollarsTo(2);
const partsOfCents = dollarsTo(4);
const whole = perLanguage((language) => new Intl.NumberFormat(language));
const sameYear = perLanguage(
  (language) =>
    new Intl.DateTimeFormat(language, {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);
const timeOfDay = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);
const dayOfYear = perLanguage((language) => new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }));
const otherYear = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { year: 'numeric', month: 'short', day: 'numeric' }),
);
const weekday = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { weekday: 'short', month: 'short', day: 'numeric' }),
);
const weekdayOfYear = perLanguage(
  (language) =>
    new Intl.DateTimeFormat(language, {
      weekday: 'short',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
    }),
);
const month = perLanguage((language) => new Intl.DateTimeFormat(language, { month: 'long' }));
const monthOfYear = perLanguage((language) => new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' }));
const exact = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
);

/** Shown in place of an unknown number. */
export const UNKNOWN = '—';

/** Milliseconds as `0:42`, `12:05`, `1:02:03`: for work that goes on. */
export function clockTime(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const seconds = String(total % 60).padStart(2, '0');
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes}:${seconds}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${seconds}`;
}

/** Milliseconds as `84 ms`, `3.2 s`, `2 min 5 s`: for work that ended. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${oneDecimal(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds as `27 s`, `4:23`: short enough to stand in a line. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${oneDecimal(ms / 1000)} s`;
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : clockTime(ms);
}

/** With exactly one decimal: `3.2`. */
export function oneDecimal(value: number): string {
  return tenths().format(value);
}

export function count(value: number): string {
  return whole().format(value);
}

/** A number of tokens as `950`, `3.4K`, `1.2M`. */
export function tokens(value: number): string {
  return compact().format(value);
}

/** The cost in dollars; unknown if any request has no price. */
export function cost(tally: Pick<Tally, 'nanoUsd' | 'unpriced'>): string {
  return tally.unpriced > 0 ? UNKNOWN : dollars(tally.nanoUsd);
}

/** Billionths of a US dollar as an amount; null is unknown. */
export function dollars(nanoUsd: number | null): string {
  if (nanoUsd === null) return UNKNOWN;
  const usd = nanoUsd / 1e9;
  if (usd > 0 && usd < 0.00005) return `<${partsOfCents().format(0.0001)}`;
  return (usd > 0 && usd < 0.01 ? partsOfCents() : cents()).format(usd);
}

/** As `dollars`, of an amount in dollars. */
export function usd(amount: number | null): string {
  return dollars(amount === null ? null : amount * 1e9);
}

/** Minutes as `3`, `2.5`: at most one decimal; below one at most two, `0.05`. */
export function minutes(value: number): string {
  return (value < 1 ? small() : compact()).format(value);
}

/** The month of an ISO instant, with its year unless that is this one's; `now`: epoch milliseconds. */
export function monthName(instant: string, now: number): string {
  const date = new Date(instant);
  return (date.getFullYear() === new Date(now).getFullYear() ? month() : monthOfYear()).format(date);
}

/** An ISO instant as day and time, in the reader's time zone; `now`: epoch milliseconds. */
export function moment(instant: string, now: number): string {
  const date = new Date(instant);
  return date.getFullYear() === new Date(now).getFullYear() ? sameYear().format(date) : otherYear().format(date);
}

/** The time of day of an ISO instant. */
export function timeOf(instant: string): string {
  return timeOfDay().format(new Date(instant));
}

/** An ISO instant at its shortest: the time if today, the day if this year, otherwise the date. */
export function shortMoment(instant: string, now: number): string {
  const date = new Date(instant);
  if (date.toDateString() === new Date(now).toDateString()) return timeOfDay().format(date);
  return date.getFullYear() === new Date(now).getFullYear() ? dayOfYear().format(date) : otherYear().format(date);
}

/** A day of the reader's calendar, `2026-01-31`, as `Sat, Jan 31`, with its year unless that is today's. */
export function dayName(day: string, today: string): string {
  const at = dateOf(day);
  return (day.slice(0, 4) === today.slice(0, 4) ? weekday() : weekdayOfYear()).format(at);
}

/** At its shortest: `Jan 31`. */
export function shortDay(day: string): string {
  return dayOfYear().format(dateOf(day));
}

export function exactTime(instant: string): string {
  return exact().format(new Date(instant));
}
