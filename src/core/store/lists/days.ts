/** The totals of days: from the totals by hour, or if these are not enough, from the newest entries that match. */
import type { Output, Parsed } from '#contract/rpc.ts';
import type { Totals } from '#contract/history/history-methods.ts';
import type { Database } from '../database.ts';
import { addTotals, type Figures, type Group, hourOf, NO_TOTALS, type Sum } from './figures.ts';
import { type Listing, readList } from './list-reader.ts';
import { readIndexed } from './list-segments.ts';
import { readHours } from './totals.ts';

type Days = Output<'workflow.days'>;
type Bounds = Omit<Parsed<'workflow.days'>, 'by'>;

/** Most entries that are added up for one answer. */
const MOST = 2000;
const HOUR_MS = 3_600_000;

interface Asked {
  query: Bounds;
  listing: Listing;
  /** Ids of the unfinished workflows. */
  unfinished: readonly string[];
  /** Whose totals are asked for, and of which groups there are parts. */
  group: Group;
  by?: Group | undefined;
}

/** In the order of the days. */
export async function daysOf(database: Database, asked: Asked): Promise<Days> {
  const { group, by } = asked;
  const query = { ...asked.query, days: asked.query.days.map((day) => within(day, asked.query)) };
  const days = query.days.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const isKept = asked.listing.wanted.length === 0 && query.minCostUsd === undefined && days.every(isInHours);
  const { sums, whole } = await (isKept ? keptIn : foundIn)(database, { ...asked, query });
  return {
    whole,
    days: days.map(({ from, to }) => {
      const own = sums.filter(({ at }) => at >= from && at < to);
      const all = own.filter((one) => one.group === group);
      const parts = by === undefined ? {} : { parts: partsOf(own.filter((one) => one.group === by)) };
      return { ...totalOf(all), ...parts };
    }),
  };
}

/** The part of a day that a filter leaves; of nothing it is empty. */
function within({ from, to }: Bounds['days'][number], { from: first = from, to: last = to }: Bounds) {
  const begin = greatest([from, first]);
  return { from: begin, to: greatest([begin, least([to, last])]) };
}

/** A sum and when it was, in milliseconds. */
type Timed = Sum & { at: number };

interface Found {
  sums: Timed[];
  whole: boolean;
}

/** Hours are kept in UTC: a time zone that is half an hour off has no days of whole hours. */
function isInHours({ from, to }: { from: number; to: number }): boolean {
  return from % HOUR_MS === 0 && to % HOUR_MS === 0;
}

async function keptIn(database: Database, { query, listing, unfinished, group, by }: Asked): Promise<Found> {
  const spans = joined(query.days).map(({ from, to }) => ({ from: hourOf(from), to: hourOf(to) }));
  const groups = by === undefined ? [group] : [group, by];
  const kept = await Promise.all(
    groups.map(async (one) => (await readHours(database, one, spans)).map((hour) => ({ group: one, ...hour }))),
  );
  const at = (hour: string): number => Date.parse(`${hour}:00:00.000Z`);
  const timed = ({ hour, sums }: Figures, sign: 1 | -1): Timed[] =>
    sums.map((sum) => ({ ...sum, ...addTotals(NO_TOTALS, sum, sign), at: at(hour) }));
  const before = [...(await readIndexed(database, unfinished)).values()].filter(({ isListed }) => isListed);
  return {
    sums: [
      ...kept.flat().map(({ hour, ...sum }) => ({ ...sum, at: at(hour) })),
      // A workflow that is resumed is in the index as it was.
      ...before.flatMap(({ entries }) => entries[listing.list]).flatMap(({ figures }) => timed(figures, -1)),
      ...listing.live.flatMap(({ figures }) => timed(figures, 1)),
    ],
    whole: true,
  };
}

async function foundIn(database: Database, { query, listing }: Asked): Promise<Found> {
  const [from, to] = [least(query.days.map((day) => day.from)), greatest(query.days.map((day) => day.to))];
  const found = await readList(database, listing, { ...query, from, to, limit: MOST }, { figures: true });
  const sums = found
    .slice(0, MOST)
    .flatMap(({ createdAt, figures }) => (figures?.sums ?? []).map((sum) => ({ ...sum, at: createdAt })));
  return { whole: found.length <= MOST, sums };
}

/** Days that follow each other as one span. */
function joined(days: Bounds['days']): Bounds['days'] {
  const spans: Bounds['days'] = [];
  for (const { from, to } of [...days].sort((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    const last = spans.at(-1);
    if (last && Date.parse(last.to) >= Date.parse(from)) last.to = greatest([last.to, to]);
    else spans.push({ from, to });
  }
  return spans;
}

function totalOf(sums: readonly Totals[]): Totals {
  return sums.reduce((total, one) => addTotals(total, one), NO_TOTALS);
}

function partsOf(sums: readonly Timed[]): (Totals & { name: string })[] {
  return [...Map.groupBy(sums, ({ name }) => name)]
    .map(([name, own]) => ({ name, ...totalOf(own) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.nanoUsd - a.nanoUsd || b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
}

function least(instants: readonly string[]): string {
  return instants.reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a));
}

function greatest(instants: readonly string[]): string {
  return instants.reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a));
}
