/** Opens the store in a database on a server: connects, takes the lease, migrates and recovers under it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { type Closable, closable } from '../closable.ts';
import type { Database } from '../database.ts';
import { isConflict } from '../failure.ts';
import { migrate, type Migration, versionIn } from '../opening/migrate.ts';
import type { Store } from '../store.ts';
import { storeOn } from '../store-on.ts';
import type { RemoteAddress } from './address.ts';
import { DEFINE, type LeaseRow, READ, taking } from './lease.ts';
import { holderName } from './holder.ts';
import { Link } from './link.ts';
import { unfit } from './login.ts';
import { type Holder, type RemoteOptions, type RemoteTimes, TIMES } from './options.ts';
import { RemoteDatabase } from './remote-database.ts';
import { Cut, openSession, type Session } from './session.ts';

/** How often a lease that another holds is looked at. */
const LOOK_MS = 500;

/**
 * Rejects with `conflict` where another holds the lease and goes on renewing it, with `store_failed` where the
 * server cannot be reached or is not fit, with `not_allowed` where it refuses the sign-in.
 */
export async function openRemoteStore(
  address: RemoteAddress,
  migrations: readonly Migration[],
  options: RemoteOptions,
): Promise<Store> {
  const { database, lost } = await openRemoteDatabase(address, migrations, options);
  try {
    const { store, recover } = storeOn(database, { lost, uncopied: uncopied(address), mode: { kind: 'through' } });
    await recover();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The database under its lease, migrated; `lost` aborts, with the error, when the lease or the server is. */
export async function openRemoteDatabase(
  address: RemoteAddress,
  migrations: readonly Migration[],
  { login, holder = anonymous(), times: given, signal }: RemoteOptions,
): Promise<{ database: Closable; lost: AbortSignal }> {
  const times = { ...TIMES, ...given };
  // Of the first connections only: later ones serve until the end.
  let opening = signal;
  const link = new Link({
    callMs: times.call,
    patienceMs: times.patience,
    open: async () => openSession(address, { login: (await login?.()) ?? null, callMs: times.call, signal: opening }),
    unreachable: (cause, waitedMs) => unreachable(address, cause, waitedMs),
  });
  let database: Closable | null = null;
  try {
    const lease = await take(link, address, { holder, times, signal });
    database = closable(new RemoteDatabase(link, address, { times, lease }));
    const before = await versionIn(database);
    if (before === 0) await refuseForeign(database, address);
    await migrate(database, migrations, before === 0);
    opening = undefined;
    return { database, lost: link.lost };
  } catch (error) {
    await database?.close();
    link.end();
    throw error;
  }
}

interface Taking {
  holder: Holder;
  times: RemoteTimes;
  signal: AbortSignal | undefined;
}

/** Waits for one that ends: as long as it takes to see whether it is renewed. */
async function take(link: Link, address: RemoteAddress, { holder, times, signal }: Taking): Promise<LeaseRow> {
  const process = newId();
  const { sql, values } = taking(holder, process, times.lease);
  const start = performance.now();
  let first: LeaseRow | null = null;
  for (;;) {
    const lease = await link.run((session) => tryToTake(session, address, { sql, values }), times.start);
    if (lease?.process === process) return lease;
    const waited = performance.now() - start;
    const isOver = waited > times.lease + times.renew;
    if (lease && lease.process !== '') {
      first ??= lease;
      const isRenewed = lease.op !== first.op;
      if (isOver || (isRenewed && waited > times.renew)) throw held(address, lease);
    }
    if (isOver) throw unfit(address, new Error('nobody holds its lease, and it cannot be taken'));
    await sleep(Math.min(LOOK_MS, times.renew / 4), undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The row as it is then. Undefined where another made it at the same time: who was in the way has it, or the next try. */
async function tryToTake(session: Session, address: RemoteAddress, { sql, values }: ReturnType<typeof taking>) {
  try {
    await session.query(DEFINE);
    const error = await session.transaction(`BEGIN;\n${sql}\nCOMMIT;`, values);
    if (error !== null && !isConflict(error)) throw error;
    const [row] = (await session.query(READ)) as [LeaseRow | undefined];
    return row;
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error instanceof Cut ? error : unfit(address, error);
  }
}

/** Where a program of somebody else's keeps something, nothing of ours is made. */
async function refuseForeign(database: Database, { name }: RemoteAddress): Promise<void> {
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  const foreign = Object.keys(tables).filter((table) => table !== 'lease' && table !== 'meta');
  if (foreign.length === 0) return;
  throw new TriadError(
    'conflict',
    `The database ${name} is in use by something else (it has the table ${foreign[0]}): give Triad an empty one of its own.`,
  );
}

const anonymous = (): Holder => ({ installation: newId(), name: holderName() });

function held({ name }: RemoteAddress, lease: LeaseRow): TriadError {
  return new TriadError(
    'conflict',
    `The store ${name} is in use by ${lease.name} since ${lease.since}: stop Triad there, or give this installation a database of its own.`,
  );
}

function unreachable({ name }: RemoteAddress, cause: Cut, waitedMs: number): TriadError {
  const message = `The server of the store ${name} could not be reached for ${Math.ceil(waitedMs / 1000)} s (${cause.message}), so nothing can be kept and no work is done: check the network and the server, then start Triad again.`;
  return new TriadError('store_failed', message, { cause, detail: message });
}

const uncopied = ({ name, endpoint, namespace, database }: RemoteAddress): string =>
  `The store is on a server (${name}): make its backup there, with "surreal export --endpoint ${endpoint.replace(/^ws/, 'http').replace(/\/rpc$/, '')} --username NAME --auth-level database --namespace ${namespace} --database ${database} FILE"`;
