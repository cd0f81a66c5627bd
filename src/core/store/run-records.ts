/** What runs said, called and asked the model for: from their parts, and from the rows of stores before schema 9. */
import type { Entry } from '#contract/message.ts';
import type { RunRow, ToolCallRow } from '#contract/view.ts';
import { readDense } from './rows/dense.ts';
import { queryEach } from './rows/query-each.ts';
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
  const oldRequests = oldRequestReads(reader);
  const recordsOf = async (
    runs: readonly Omit<RecordedRun, 'workflowId'>[],
    { kinds, workflowIds }: { kinds: readonly (keyof Records)[]; workflowIds: ReadonlySet<string> },
  ): Promise<Records> => {
    const tables = kinds.map((kind) => TABLES[kind]);
    const ids = runs.map(({ id }) => id);
    const [rows, old] = await Promise.all([
      rowsOfRuns(reader.database, tables, ids),
      kinds.includes('requests') ? oldRequests([...workflowIds]) : [],
    ]);
    const all = [...rows.values()];
    const entries = new Map([...rows].map(([run, { message = [] }]: [string, Found]) => [run, message.map(entryIn)]));
    for (const { id, entries: count } of kinds.includes('entries') ? runs : [])
      if (count && (entries.get(id)?.length ?? 0) < count) entries.set(id, await firstEntries(reader, id, count));
    return {
      entries,
      calls: all.flatMap(({ tool_call = [] }: Found) => tool_call) as unknown as ToolCallRow[],
      requests: requestsIn([...old, ...all.flatMap(({ model_request = [] }: Found) => model_request)]),
    };
  };
  return {
    recordsOf: (runs, kinds) =>
      recordsOf(runs, { kinds, workflowIds: new Set(runs.map(({ workflowId }) => workflowId)) }),
    entriesOf: (runId) => entriesOf(reader, runId),
    callsOf: async (runIds) => {
      const runs = runIds.map((id) => ({ id }));
      return (await recordsOf(runs, { kinds: ['calls'], workflowIds: new Set() })).calls;
    },
    requestsOf: async (workflowId) => {
      const runs = (await runIdsOf(reader.database, workflowId)).map((id) => ({ id }));
      return (await recordsOf(runs, { kinds: ['requests'], workflowIds: new Set([workflowId]) })).requests;
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

/** Reads the requests of workflows from before there were parts. A store that is newer has none, and gets none. */
function oldRequestReads({ database }: Reader): (workflowIds: readonly string[]) => Promise<Row[]> {
  let hasOld: Promise<boolean> | null = null;
  return async (workflowIds) => {
    hasOld ??= database.query('SELECT VALUE id FROM model_request LIMIT 1').then(
      ([found]) => (found as unknown[]).length > 0,
      (error: unknown) => {
        hasOld = null;
        throw error;
      },
    );
    if (!(await hasOld)) return [];
    const found = await queryEach(database, workflowIds, (workflowId, bind) => {
      const id = bind(workflowId);
      return [`SELECT ${SELECT_JSON} FROM model_request:[${id}, NONE]..[${id}, ..]`];
    });
    return (found.flat(2) as Stored[]).map((row) => decodeRow('model_request', row));
  };
}

/** Also those after a place that cannot be read; of a run that has ended, up to the last one that it had then. */
async function entriesOf(reader: Reader, runId: string): Promise<Entry[]> {
  const { database } = reader;
  const stated = async (): Promise<number> => {
    const known = database.known?.('run', runId) as RunRow | null | undefined;
    if (known) return known.entries ?? 0;
    // Without its envelope, which may be what cannot be read.
    const sql = `SELECT ${SELECT_JSON} FROM ONLY $run`;
    const [stored] = (await database.query(sql, { run: database.record('run', runId) })) as [Stored?];
    return stored === undefined ? 0 : ((decodeRow('run', stored).entries as number | null | undefined) ?? 0);
  };
  const [entries, count] = await Promise.all([someEntries(reader, runId, 0, Number.MAX_SAFE_INTEGER), stated()]);
  return entries.length >= count ? entries : firstEntries(reader, runId, count);
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
