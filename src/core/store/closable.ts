/** Wraps a database so that `close` waits for running queries, and later ones are rejected; and so that it can pause. */
import { TriadError } from '../base/errors.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import type { Database } from './database.ts';

export interface Closable extends Database {
  /** Does something, that makes no queries itself, while no query runs: those that come meanwhile wait. One at a time. */
  still<T>(work: () => Promise<T>): Promise<T>;
}

/** The engine aborts the whole process when it gets a query after its close. */
export function closable(database: Database): Closable {
  const running = new Set<Promise<unknown>>();
  const pauses = new SerialQueue();
  let pause: Promise<unknown> | null = null;
  let closed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    while (pause) await pause;
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
    still: (work) =>
      pauses.add(async () => {
        const over = Promise.withResolvers<null>();
        pause = over.promise;
        try {
          await Promise.allSettled(running);
          return await work();
        } finally {
          pause = null;
          over.resolve(null);
        }
      }),
    close: async () => {
      closed = true;
      await pauses.settled();
      await Promise.allSettled(running);
      await database.close();
    },
  };
}
