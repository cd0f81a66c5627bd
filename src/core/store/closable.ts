/** Wraps a database so that `close` waits for running queries, and later queries are rejected. */
import { TriadError } from '../base/errors.ts';
import type { Database } from './database.ts';

/** The engine aborts the whole process when it gets a query after its close. */
export function closable(database: Database): Database {
  const running = new Set<Promise<unknown>>();
  let closed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw new TriadError('interrupted', 'The store is closed: the program ends');
    const result = work();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };
  return {
    query: (sql, values) => run(() => database.query(sql, values)),
    transaction: (sql, values) => run(() => database.transaction(sql, values)),
    record: (table, key) => database.record(table, key),
    close: async () => {
      closed = true;
      await Promise.allSettled(running);
      await database.close();
    },
  };
}
