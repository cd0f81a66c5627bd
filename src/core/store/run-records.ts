/** The reads of the entries, tool calls and model requests of runs. */
import type { Entry } from '#contract/message.ts';
import type { ToolCallRow } from '#contract/view.ts';
import { StoreDamaged } from './faults.ts';
import { readDense } from './rows/dense.ts';
import { compare, type Reader } from './rows/reader.ts';
import { decodeRow, SELECT_JSON, type Stored } from './rows/row-codec.ts';
import { entryRows, type Kind, rowsOfRuns } from './rows/run-parts.ts';
import type { RecordedRun, Records, Row, Store } from './store.ts';
import { runIdsOf } from './trash/purge.ts';

const TABLES: Readonly<Record<keyof Records, Kind>> = {
  entries: 'message',
  calls: 'tool_call',
  requests: 'model_request',
};

export function recordReads(reader: Reader): Pick<Store, 'entriesOf' | 'callsOf' | 'requestsOf' | 'recordsOf'> {
  const recordsOf = async (
    runs: readonly Omit<RecordedRun, 'workflowId'>[],
    kinds: readonly (keyof Records)[],
  ): Promise<Records> => {
    const tables = kinds.map((kind) => TABLES[kind]);
    const ids = runs.map(({ id }) => id);
    const rows = await rowsOfRuns(reader.database, tables, ids);
    const all = [...rows.values()];
    const entries = new Map([...rows].map(([run, { message = [] }]: [string, Found]) => [run, message.map(entryIn)]));
    for (const { id, entries: count } of kinds.includes('entries') ? runs : [])
      if (count && (entries.get(id)?.length ?? 0) < count) entries.set(id, await firstEntries(reader, id, count));
    return {
      entries,
      calls: all.flatMap(({ tool_call = [] }: Found) => tool_call) as unknown as ToolCallRow[],
      requests: requestsIn(all.flatMap(({ model_request = [] }: Found) => model_request)),
    };
  };
  return {
    recordsOf,
    entriesOf: (runId) => entriesOf(reader, runId),
    callsOf: async (runIds) => {
      const runs = runIds.map((id) => ({ id }));
      return (await recordsOf(runs, ['calls'])).calls;
    },
    requestsOf: async (workflowId) => {
      const runs = (await runIdsOf(reader.database, workflowId)).map((id) => ({ id }));
      return (await recordsOf(runs, ['requests'])).requests;
    },
  };
}

type Found = Partial<Record<Kind, Row[]>>;

const entryIn = (row: Row): Entry => row.entry as Entry;

function requestsIn(rows: readonly Row[]): Records['requests'] {
  type Stored = Records['requests'][number] & { workflowId?: string; conversationId?: string };
  return (rows as unknown as Stored[])
    .map(({ workflowId: _, conversationId: __, ...request }) => request)
    .sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.requestId, b.requestId));
}

/** Also those after a place that cannot be read; of a run that has ended, up to the last one that it had then. */
async function entriesOf(reader: Reader, runId: string): Promise<Entry[]> {
  const { database } = reader;
  const stated = async (): Promise<number> => {
    const known = database.known?.('run', runId);
    if (known) return known.entries ?? 0;
    // Without its envelope, which may be what cannot be read.
    const sql = `SELECT ${SELECT_JSON} FROM ONLY $run`;
    const [stored] = (await database.query(sql, { run: database.record('run', runId) }).catch(skipDamage)) as [Stored?];
    return stored === undefined ? 0 : ((decodeRow('run', stored).entries as number | null | undefined) ?? 0);
  };
  const [entries, count] = await Promise.all([someEntries(reader, runId, 0, Number.MAX_SAFE_INTEGER), stated()]);
  return entries.length >= count ? entries : firstEntries(reader, runId, count);
}

/** Without its row, the number of its entries is unknown. */
function skipDamage(error: unknown): [] {
  if (error instanceof StoreDamaged) return [];
  throw error;
}

/** So many entries of a run, but for those that cannot be read. */
async function firstEntries(reader: Reader, runId: string, count: number): Promise<Entry[]> {
  const some = (from: number, to: number) => someEntries(reader, runId, from, to);
  return (await readDense(some, ({ n }) => n, { from: 0, to: count - 1 })).items;
}

async function someEntries({ database }: Reader, runId: string, from: number, to: number): Promise<Entry[]> {
  const [rows = []] = await entryRows(database, [{ runId, from, to }]);
  return rows.map(entryIn);
}
