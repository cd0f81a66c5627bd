/** Facet counts: the number of listed workflows for each term, updated with the index. */
import type { Output } from '#contract/rpc.ts';
import type { Database } from '../database.ts';
import type { Row } from '../store.ts';
import { ANY, type Facet } from './workflow-terms.ts';

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

/** Number of listed workflows for each of the terms. */
export async function countsOf(database: Database, terms: readonly string[]): Promise<Map<string, number>> {
  const values = Object.fromEntries(terms.map((term, index) => [`t${index}`, database.record('facet', keyOf(term))]));
  const sql = terms.map((_, index) => `SELECT VALUE count FROM ONLY $t${index};`).join('\n');
  const found = await database.query(sql, values);
  return new Map(terms.map((term, index) => [term, Number(found[index] ?? 0)]));
}

/** `running`: the terms of unfinished workflows, which the index does not have yet. */
export async function facetValues(
  database: Database,
  running: readonly (readonly string[])[],
): Promise<Output<'workflow.facets'>> {
  const valuesOf = async (facet: Facet): Promise<string[]> => {
    const sql = 'SELECT VALUE [record::id(id)[1], count] FROM facet:[$facet, NONE]..[$facet, ..]';
    const [found] = (await database.query(sql, { facet })) as [[string, number][]];
    const counts = new Map(found.map(([value, count]) => [value, Number(count)]));
    for (const term of running.flat()) {
      const [of, value] = keyOf(term);
      if (of === facet) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const frequent = [...counts].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return frequent.slice(0, MOST).map(([value]) => value);
  };
  const [agents = [], models = [], tools = [], folders = []] = await Promise.all(
    (['agent', 'model', 'tool', 'folder'] as const).map(valuesOf),
  );
  return { agents, models, tools, folders };
}

function keyOf(term: string): [string, string] {
  const colon = term.indexOf(':');
  return term === ANY ? [ANY, ''] : [term.slice(0, colon), term.slice(colon + 1)];
}
