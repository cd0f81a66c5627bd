/** The database on a server, for the one process that holds its lease. */
import type { RowKey } from '#contract/rows.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { Database } from '../database.ts';
import { CONFLICT_TRIES, isConflict } from '../failure.ts';
import type { Row } from '../store.ts';
import type { RemoteAddress } from './address.ts';
import { fence, type LeaseRow, READ, RELEASE } from './lease.ts';
import type { Link } from './link.ts';
import type { RemoteTimes } from './options.ts';
import { recordOf } from './session.ts';

const CONFLICT_PAUSE_MS = 20;

export class RemoteDatabase implements Database {
  readonly #link: Link;
  readonly #address: RemoteAddress;
  readonly #times: RemoteTimes;
  readonly #epoch: number;
  /** The newest transaction that is known to be committed. */
  #last: string;
  /** One transaction at a time: each changes the row of the lease. */
  readonly #queue = new SerialQueue();
  readonly #renewing: NodeJS.Timeout;

  /** `lease`: as this process has just taken it. */
  constructor(link: Link, address: RemoteAddress, { times, lease }: { times: RemoteTimes; lease: LeaseRow }) {
    this.#link = link;
    this.#address = address;
    this.#times = times;
    this.#epoch = lease.epoch;
    this.#last = lease.op;
    // What is wrong with it ends the link, or is tried again the next time.
    this.#renewing = setInterval(() => void this.transaction('').catch(() => undefined), times.renew).unref();
  }

  async query(sql: string, values?: Row): Promise<unknown[]> {
    try {
      return await this.#link.run((session) => session.query(sql, values));
    } catch (error) {
      throw error instanceof TriadError ? error : refusal('The store could not be read', error);
    }
  }

  transaction(sql: string, values: Row = {}): Promise<void> {
    return this.#queue.add(() => this.#transact(sql, values));
  }

  record(table: string, key: RowKey): unknown {
    return recordOf(table, key);
  }

  /** Releases the lease, if that can be done soon; else it ends by itself. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    if (!this.#link.lost.aborted) await this.#release().catch(() => undefined);
    this.#link.end();
  }

  async #transact(sql: string, values: Row): Promise<void> {
    const op = newId();
    const refused = await this.#attempt(op, sql, values);
    this.#last = refused === null ? op : await this.#settled();
    if (this.#last !== op) throw refusal('The store refused a write', refused);
  }

  /**
   * The newest transaction that is committed, after one that was refused: that one itself where an earlier attempt of
   * it, without an answer, was done; else another, behind which no attempt can be done any more that is still under way.
   */
  async #settled(): Promise<string> {
    const op = newId();
    const before = this.#last;
    const error = await this.#attempt(op, '', {});
    const newest = error === null ? op : await this.#newestOfOurs();
    if (newest === before) throw this.#link.lose(unclear(this.#address, error));
    return newest;
  }

  async #release(): Promise<void> {
    await this.#queue.add(() => this.#attempt(newId(), RELEASE, {}, this.#times.call));
  }

  /** Commits once, however often it is sent; resolves with the server's reason against it, null where there is none. */
  async #attempt(op: string, sql: string, values: Row, patienceMs?: number): Promise<Error | null> {
    const first = fence({ epoch: this.#epoch, before: this.#last, op }, this.#times.lease);
    const text = `BEGIN;\n${first.sql}\n${sql}\nCOMMIT;`;
    for (let tries = 1; ; tries++) {
      const error = await this.#link.run(
        (session) => session.transaction(text, { ...values, ...first.values }),
        patienceMs,
      );
      if (error === null || !isConflict(error) || tries === CONFLICT_TRIES) return error;
      await sleep(tries * CONFLICT_PAUSE_MS);
    }
  }

  /** The newest transaction of this process that the server has committed. Ends all work where another took the lease. */
  async #newestOfOurs(): Promise<string> {
    const [lease] = (await this.#link.run((session) => session.query(READ))) as [LeaseRow | undefined];
    if (lease?.epoch === this.#epoch) return lease.op;
    throw this.#link.lose(taken(this.#address, lease));
  }
}

function refusal(what: string, error: unknown): TriadError {
  const { message } = errorInfo(error);
  return new TriadError('store_failed', `${what}: ${message}`, { cause: error });
}

function taken({ name }: RemoteAddress, lease: LeaseRow | undefined): TriadError {
  const who = lease === undefined ? 'is gone' : `was taken by ${lease.name} at ${lease.since}`;
  const message = `The lease of the store ${name} ${who}, so all work was stopped here and nothing more is written: only one Triad uses a database at a time. Give each installation a database of its own, then start Triad again.`;
  return new TriadError('store_failed', message, { detail: message });
}

function unclear({ name }: RemoteAddress, cause: Error | null): TriadError {
  const message = `The store ${name} does not say whether it has written the last change, so all work was stopped: look at the server, then start Triad again.`;
  return new TriadError('store_failed', message, { cause, detail: message });
}
