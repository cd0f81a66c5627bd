/**
 * Totals of listed entries, changed in the transaction that changes the index rows they sum up: `facet:[name, value]`, how
 * many entries have a term, and `usage_hour:[group, hour, name]`, their figures by hour.
 */
import type { Totals } from '#contract/history/history-methods.ts';
import type { Database } from '../database.ts';
import { queryEach } from '../rows/query-each.ts';
import type { Row } from '../store.ts';
import { addTotals, AMOUNTS, type Group, mapAmounts, NO_TOTALS } from './figures.ts';
import type { Entries, Statements } from './list-segments.ts';

/** Changes of the totals, by the table and the key of their row as JSON. */
export type TotalChanges = Map<string, Totals>;

/** Most values of one facet that are returned. */
const MOST = 500;

/** Adds entries to the totals, or subtracts them. */
export function countEntries(changes: TotalChanges, { workflow, execution }: Entries, sign: 1 | -1): void {
  const add = (table: 'facet' | 'usage_hour', key: readonly string[], totals: Totals): void => {
    const name = JSON.stringify([table, key]);
    changes.set(name, addTotals(changes.get(name) ?? NO_TOTALS, totals, sign));
  };
  for (const { terms, figures } of [...workflow, ...execution]) {
    for (const term of terms) add('facet', splitTerm(term), { ...NO_TOTALS, count: 1 });
    for (const { group, name, ...totals } of figures.sums) add('usage_hour', [group, figures.hour, name], totals);
  }
}

/** Statements that apply the changes; a row that counts nothing any more is deleted. */
export function applyTotals(changes: TotalChanges, { record }: Pick<Database, 'record'>): Statements {
  const values: Row = {};
  const statements = [...changes].flatMap(([name, totals], index) => {
    const changed = AMOUNTS.filter((column) => totals[column] !== 0);
    if (changed.length === 0) return [];
    const [table, key] = JSON.parse(name) as [string, [string, string]];
    const [row, amounts] = [`t${index}`, `c${index}`];
    values[row] = record(table, key);
    values[amounts] = totals;
    const set = changed.map((column) => `${column} += $${amounts}.${column}`);
    const put = `UPSERT $${row} SET ${set.join(', ')} RETURN NONE;`;
    return totals.count < 0 ? [put, `DELETE $${row} WHERE count = 0 RETURN NONE;`] : [put];
  });
  return { sql: statements.join('\n'), values };
}

/** The values of each facet, most frequent first; `running`: the terms of entries that the index does not have yet. */
export async function facetValues<F extends string>(
  database: Database,
  running: readonly (readonly string[])[],
  facets: readonly F[],
): Promise<Record<F, string[]>> {
  const readValues = async (facet: F): Promise<[F, string[]]> => {
    const sql = 'SELECT VALUE [record::id(id)[1], count] FROM facet:[$facet, NONE]..[$facet, ..]';
    const [found] = (await database.query(sql, { facet })) as [[string, number][]];
    const counts = new Map(found.map(([value, count]) => [value, Number(count)]));
    for (const term of running.flat()) {
      const [of, value] = splitTerm(term);
      if (of === facet) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const frequent = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return [facet, frequent.slice(0, MOST).map(([value]) => value)];
  };
  return Object.fromEntries(await Promise.all(facets.map(readValues))) as Record<F, string[]>;
}

function splitTerm(term: string): [string, string] {
  const colon = term.indexOf(':');
  return [term.slice(0, colon), term.slice(colon + 1)];
}

/** One hour of one group; `name`: see `Sum`. */
interface Hour extends Totals {
  hour: string;
  name: string;
}

/** The hours of each span, from `from` to before `to`, as `hourOf` names them. */
export async function readHours(
  database: Database,
  group: Group,
  spans: readonly { from: string; to: string }[],
): Promise<Hour[]> {
  const found = await queryEach(database, spans, ({ from, to }, bind) => {
    const [of, first, last] = [bind(group), bind(from), bind(to)];
    return [`SELECT record::id(id) AS key, ${AMOUNTS.join(', ')} FROM usage_hour:[${of}, ${first}]..[${of}, ${last}]`];
  });
  const rows = found.flat(2) as (Totals & { key: [Group, string, string] })[];
  return rows.map(({ key: [, hour, name], ...totals }) => ({
    hour,
    name,
    ...mapAmounts((column) => Number(totals[column])),
  }));
}
