/** Facet counts: the number of listed workflows, or executions, for each term, updated with the index. */
import type { Database } from '../database.ts';
import type { Row } from '../store.ts';
import { ANY } from './workflow-terms.ts';

/** Count deltas by term. */
export type FacetCounts = Map<string, number>;

/** Most values of one facet that are returned. */
const MOST = 500;

/** Statements that apply the deltas. */
export function facetChanges(counts: FacetCounts, { record }: Pick<Database, 'record'>): { sql: string; values: Row } {
  const changed = [...counts].filter(([, change]) => change !== 0);
  const values: Row = {};
  const statements = changed.map(([term, change], index) => {
    values[`f${index}`] = record('facet', keyOf(term));
    values[`c${index}`] = change;
    return `UPSERT $f${index} SET count += $c${index} RETURN NONE;`;
  });
  return { sql: statements.join('\n'), values };
}

/** Number of listed workflows or executions for each of the terms. */
export async function countsOf(database: Database, terms: readonly string[]): Promise<Map<string, number>> {
  const values = Object.fromEntries(terms.map((term, index) => [`t${index}`, database.record('facet', keyOf(term))]));
  const sql = terms.map((_, index) => `SELECT VALUE count FROM ONLY $t${index};`).join('\n');
  const found = await database.query(sql, values);
  return new Map(terms.map((term, index) => [term, Number(found[index] ?? 0)]));
}

/** The values of each facet, most frequent first; `running`: the terms of what the index does not have yet. */
export async function facetValues<F extends string>(
  database: Database,
  running: readonly (readonly string[])[],
  facets: readonly F[],
): Promise<Record<F, string[]>> {
  const valuesOf = async (facet: F): Promise<[F, string[]]> => {
    const sql = 'SELECT VALUE [record::id(id)[1], count] FROM facet:[$facet, NONE]..[$facet, ..]';
    const [found] = (await database.query(sql, { facet })) as [[string, number][]];
    const counts = new Map(found.map(([value, count]) => [value, Number(count)]));
    for (const term of running.flat()) {
      const [of, value] = keyOf(term);
      if (of === facet) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const frequent = [...counts].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return [facet, frequent.slice(0, MOST).map(([value]) => value)];
  };
  return Object.fromEntries(await Promise.all(facets.map(valuesOf))) as Record<F, string[]>;
}

function keyOf(term: string): [string, string] {
  const colon = term.indexOf(':');
  return term === ANY ? [ANY, ''] : [term.slice(0, colon), term.slice(colon + 1)];
}
