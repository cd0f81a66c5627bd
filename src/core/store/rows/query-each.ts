/** One query for several owners. */
import type { Database } from '../database.ts';

/** Binds a value of a statement; returns its parameter. */
export type Bind = (value: unknown) => string;

/**
 * Runs the selects of each owner, and returns their rows in the order of the owners. All in one statement: the engine takes
 * twice as long for a hundred statements, and fifty times as long for ten thousand.
 */
export async function queryEach<T>(
  database: Pick<Database, 'query'>,
  owners: readonly T[],
  selectsOf: (owner: T, bind: Bind) => readonly string[],
): Promise<unknown[][]> {
  if (owners.length === 0) return [];
  const values: Record<string, unknown> = {};
  let bound = 0;
  const bind: Bind = (value) => {
    const name = `p${bound++}`;
    values[name] = value;
    return `$${name}`;
  };
  const lists = owners.map(
    (owner) =>
      `[${selectsOf(owner, bind)
        .map((select) => `(${select})`)
        .join(',\n')}]`,
  );
  const [found] = (await database.query(`RETURN [${lists.join(',\n')}]`, values)) as [unknown[][]];
  return found;
}
