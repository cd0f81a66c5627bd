/** Replaces the database of an open store when it turns out to be damaged, and repeats the work that met the damage. */
import type { Closable } from '../closable.ts';
import type { Database } from '../database.ts';
import { StoreDamaged } from '../faults.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { RecoveryCause } from './recovery-cause.ts';

/** Builds and opens another database from the damaged one in a folder. Returns it with its own folder. */
export type OpenRecovered = (
  damaged: string,
  cause: Exclude<RecoveryCause, 'missing'>,
) => Promise<{ database: Closable; folder: string }>;

/** Maximum number of replacements in one process: more of them mean a broken disk. */
const LIMIT = 3;

export class DamageRecovery {
  readonly #open: OpenRecovered | null;
  readonly #queue = new SerialQueue();
  #inner: Closable;
  #count = 0;
  #folder: string | null;
  /** Runs the work that opens the other database while nothing is committed. */
  replace: (open: () => Promise<string>) => Promise<void> = async (open) => void (await open());

  /** `open`: null if the store cannot be recovered. */
  constructor(database: Closable, folder: string | null, open: OpenRecovered | null) {
    this.#inner = database;
    this.#folder = folder;
    this.#open = open;
  }

  /** Replaces a database that lacks what the archive has. */
  recoverOlder(): Promise<boolean> {
    return this.recover(this.#inner, 'older');
  }

  /** Folder of the database; null for one in memory or on a server. */
  get folder(): string | null {
    return this.#folder;
  }

  /** A database that passes each query to the newest replacement. */
  get database(): Closable {
    return {
      query: (sql, values) => this.#inner.query(sql, values),
      transaction: (sql, values) => this.#inner.transaction(sql, values),
      record: (table, key) => this.#inner.record(table, key),
      still: (work) => this.#inner.still(work),
      close: () => this.#inner.close(),
    };
  }

  /** Wraps a database for work outside of commits: repeats a query that met damage after the replacement. */
  repeating<D extends Database>(database: D): D {
    return {
      ...database,
      query: (sql: string, values?: Record<string, unknown>) => this.repeat(() => database.query(sql, values)),
      transaction: (sql: string, values?: Record<string, unknown>) =>
        this.repeat(() => database.transaction(sql, values)),
    };
  }

  async repeat<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#inner;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreDamaged) || !(await this.recover(before))) throw error;
      return work();
    }
  }

  /** Replaces the database `before`, unless it is replaced already. Returns whether another database is in its place. */
  recover(before = this.#inner, cause: 'damaged' | 'older' = 'damaged'): Promise<boolean> {
    return this.#queue.add(async () => {
      if (this.#inner !== before) return true;
      const [open, damaged] = [this.#open, this.#folder];
      if (open === null || damaged === null || this.#count >= LIMIT) return false;
      this.#count += 1;
      await this.replace(async () => {
        const { database, folder } = await open(damaged, cause);
        this.#inner = database;
        this.#folder = folder;
        // The damaged engine may never finish closing.
        before.close().catch(() => undefined);
        return folder;
      });
      return true;
    });
  }
}
