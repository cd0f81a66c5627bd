/** Totals by hour, `usage_hour:[group, hour, name]`, changed in the transaction that changes the index rows they sum up. */
import type { Totals } from '#contract/history/history-methods.ts';
import type { Database } from '../database.ts';
import { queryEach } from '../rows/query-each.ts';
import type { Row } from '../store.ts';
import { addTotals, type Figures, type Group, NO_TOTALS } from './figures.ts';

/** What changes, by the key of its row as JSON. */
export type HourChanges = Map<string, Totals>;

export function countFigures(changes: HourChanges, figures: Figures | null, sign: 1 | -1): void {
  for (const { group, name, ...totals } of figures?.sums ?? []) {
    const key = JSON.stringify([group, figures?.hour, name]);
    changes.set(key, addTotals(changes.get(key) ?? NO_TOTALS, totals, sign));
  }
}

const COLUMNS = ['count', 'tokens', 'estimated', 'nanoUsd', 'unpriced'] as const satisfies readonly (keyof Totals)[];

/** Statements that apply the changes; an hour of which nothing is left goes. */
export function hourChanges(changes: HourChanges, { record }: Pick<Database, 'record'>): { sql: string; values: Row } {
  const values: Row = {};
  const changed = [...changes].filter(([, totals]) => COLUMNS.some((column) => totals[column] !== 0));
  const statements = changed.map(([key, totals], index) => {
    values[`h${index}`] = record('usage_hour', JSON.parse(key) as never);
    const set = COLUMNS.map((column) => {
      values[`h${index}${column}`] = totals[column];
      return `${column} += $h${index}${column}`;
    });
    const put = `UPSERT $h${index} SET ${set.join(', ')} RETURN NONE;`;
    return totals.count < 0 ? `${put} DELETE $h${index} WHERE count = 0 RETURN NONE;` : put;
  });
  return { sql: statements.join('\n'), values };
}

/** One hour of one group; `name`: see `Sum`. */
export interface Hour extends Totals {
  hour: string;
  name: string;
}

/** The hours of each span, from `from` to before `to`, as `hourOf` names them. */
export async function hoursOf(
  database: Database,
  group: Group,
  spans: readonly { from: string; to: string }[],
): Promise<Hour[]> {
  const found = await queryEach(database, spans, ({ from, to }, bind) => {
    const [of, first, last] = [bind(group), bind(from), bind(to)];
    return [`SELECT record::id(id) AS key, ${COLUMNS.join(', ')} FROM usage_hour:[${of}, ${first}]..[${of}, ${last}]`];
  });
  const rows = found.flat(2) as (Totals & { key: [Group, string, string] })[];
  return rows.map(({ key: [, hour, name], ...totals }) => ({
    hour,
    name,
    ...(Object.fromEntries(COLUMNS.map((column) => [column, Number(totals[column])])) as unknown as Totals),
  }));
}
