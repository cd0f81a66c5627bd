/**
 * The lease of a database: one row, `lease:owner`, that says who writes it. Every transaction of the owner changes this
 * row in itself, so that it fails where another has taken the lease, also one that was on its way at that moment; and
 * because the row names the transaction that changed it last, it tells of one without an answer whether it was done.
 * Time is the server's; the clocks of the machines do not matter.
 */
import type { Row } from '../store.ts';
import type { Holder } from './options.ts';

/** The row as the server has it. */
export interface LeaseRow {
  epoch: number;
  /** The transaction that changed it last. */
  op: string;
  /** The process that holds it; empty where it was released. */
  process: string;
  /** For people. */
  name: string;
  /** When it was taken. */
  since: string;
  /** Until it ends, in milliseconds; at most 0 where it has ended. */
  leftMs: number;
}

/** Harmless beside another owner. The numbered schema files are executed under the lease only, so it is not in them. */
export const DEFINE = 'DEFINE TABLE IF NOT EXISTS lease SCHEMALESS;';

export const READ = `SELECT epoch, op, process, name, <string> since AS since,
  duration::millis(IF until > time::now() { until - time::now() } ELSE { 0ms }) AS leftMs FROM ONLY lease:owner;`;

const until = (leaseMs: number) => `until = time::now() + ${leaseMs}ms`;

/**
 * Takes the lease where it is free, has ended, or belongs to another process of the same installation, which must be
 * dead or asleep: on its machine this one owns the data folder. Taking it twice takes it once.
 */
export function taking({ installation, name }: Holder, process: string, leaseMs: number): { sql: string; values: Row } {
  const sql = `LET $lease = (SELECT * FROM ONLY lease:owner);
IF $lease = NONE OR ($lease.process != $process
    AND ($lease.process = '' OR $lease.until <= time::now() OR $lease.installation = $installation)) {
  UPSERT lease:owner SET epoch = ($lease.epoch ?? 0) + 1, op = $process, process = $process, name = $name,
    installation = $installation, since = time::now(), ${until(leaseMs)} RETURN NONE;
};`;
  return { sql, values: { process, name, installation } };
}

/** What the server throws where the lease is another's, or the transaction is done already. */
const FENCED = 'the lease has changed';

/** Comes first in every transaction: renews the lease, or rolls all back. */
export function fence(
  { epoch, before, op }: { epoch: number; before: string; op: string },
  leaseMs: number,
): { sql: string; values: Row } {
  const sql = `LET $lease_held = (UPDATE lease:owner SET op = $lease_op, ${until(leaseMs)}
  WHERE epoch = $lease_epoch AND op = $lease_before RETURN VALUE epoch);
IF array::len($lease_held) != 1 { THROW '${FENCED}' };`;
  return { sql, values: { lease_epoch: epoch, lease_before: before, lease_op: op } };
}

/** To be executed behind the fence. */
export const RELEASE = "UPDATE lease:owner SET process = '', until = time::now() RETURN NONE;";
