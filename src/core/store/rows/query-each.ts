/** One query for several owners. */
import type { Database } from '../database.ts';

/** Binds a value of a statement; returns its parameter. */
export type Bind = (value: unknown) => string;

/** Runs the statements of each owner, all in one query; returns the results of each, in the order of the owners. */
export async function queryEach<T>(
  database: Pick<Database, 'query'>,
  owners: readonly T[],
  statementsOf: (owner: T, bind: Bind) => readonly string[],
): Promise<unknown[][]> {
  if (owners.length === 0) return [];
  const values: Record<string, unknown> = {};
  let bound = 0;
  const bind: Bind = (value) => {
    const name = `p${bound++}`;
    values[name] = value;
    return `$${name}`;
  };
  const statements = owners.map((owner) => statementsOf(owner, bind));
  const results = await database.query(statements.flat().join(';\n'), values);
  let next = 0;
  return statements.map(({ length }) => results.slice(next, (next += length)));
}
