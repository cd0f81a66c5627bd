/** Rebuilds all read models from the events, one conversation at a time. */
import type { ConversationRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { apply } from './apply.ts';
import type { Database } from './database.ts';
import { deleteSome, workflowIdsOf } from './trash/purge.ts';
import { Reader } from './rows/reader.ts';
import type { RebuildProgress, Store, Table } from './store.ts';

type Reads = Pick<Store, 'lastSeq' | 'events' | 'commit'>;

/** Tables that many conversations write, some of which are deleted: they are kept. */
const OF_MANY: ReadonlySet<Table> = new Set<Table>(['memory', 'permission_grant']);
/** Events replayed in one transaction. */
const STEP = 500;

/** Whether a rebuild was interrupted: the rows are then incomplete until another one has finished. */
export async function rebuildPending(database: Database): Promise<boolean> {
  const [version] = await database.query('SELECT VALUE version FROM ONLY meta:rebuild');
  return typeof version === 'number';
}

/**
 * Keeps conversation rows (no event describes empty ones or the trash), checkpoints, notes and grants (they are newer
 * than the events, or outlive them). Empties the index first; the background work rebuilds it.
 */
export async function rebuild(
  database: Database,
  reads: Reads,
  onProgress: (progress: RebuildProgress) => void = () => undefined,
  signal?: AbortSignal,
): Promise<RebuildProgress> {
  // Every event is replayed: none of them a second time at a start.
  await database.transaction('UPSERT meta:rebuild SET version = 1 RETURN NONE; DELETE lagging RETURN NONE;');
  for (const table of [
    'workflow_index',
    'execution_index',
    'index_queue',
    'facet',
    'usage_hour',
    'search_segment',
    'search_words',
  ])
    await empty(database, table);
  const progress = { conversations: 0, events: 0 };
  for await (const row of conversationsOf(database)) {
    signal?.throwIfAborted();
    progress.events += await rebuildConversation(database, reads, row);
    progress.conversations += 1;
    onProgress({ ...progress });
  }
  await database.transaction('DELETE meta:rebuild RETURN NONE;');
  return progress;
}

async function empty(database: Database, table: string): Promise<void> {
  for (;;) {
    const [records] = (await database.query(`SELECT VALUE id FROM ${table} LIMIT ${STEP}`)) as [unknown[]];
    if (records.length === 0) return;
    await database.transaction('DELETE $records RETURN NONE;', { records });
  }
}

/** By id; the rows one by one. */
async function* conversationsOf(database: Database): AsyncGenerator<ConversationRow> {
  const reader = new Reader(database);
  const [ids] = (await database.query('SELECT VALUE record::id(id) FROM conversation')) as [string[]];
  for (const id of ids.sort()) {
    const row = await reader.row<ConversationRow>('conversation', id);
    if (row) yield row;
  }
}

async function areAll(events: Reads['events'], id: string, last: number): Promise<boolean> {
  for (let from = 1; from <= last; from += STEP) {
    const to = Math.min(last, from + STEP - 1);
    if ((await events(id, from, to)).length < to - from + 1) return false;
  }
  return true;
}

async function rebuildConversation(
  database: Database,
  { lastSeq, events, commit }: Reads,
  // `deletedAt` is a column of its own.
  { deletedAt, ...plain }: ConversationRow,
): Promise<number> {
  const { id } = plain;
  const last = await lastSeq(id);
  // Rows are not given away for fewer events: they may be all that is left of what happened.
  if (!(await areAll(events, id, last))) return 0;
  for (;;) {
    const [workflowId] = await workflowIdsOf(database, id, 1);
    if (workflowId === undefined) break;
    while (await deleteSome(database, workflowId));
  }
  const row = { ...plain, usage: ZERO_TALLY };
  await commit([], [{ kind: 'put', table: 'conversation', key: id, row }]);
  for (let from = 1; from <= last; from += STEP) {
    const writes = (await events(id, from, from + STEP - 1)).flatMap(apply);
    await commit(
      [],
      writes.filter(({ table }) => !OF_MANY.has(table)),
    );
  }
  const ids = await workflowIdsOf(database, id, Number.MAX_SAFE_INTEGER);
  const values = {
    workflows: ids.map((workflow) => database.record('workflow', workflow)),
    queue: ids.map((workflow) => ({ id: [workflow, 0] })),
  };
  if (ids.length > 0)
    await database.transaction(
      `${deletedAt ? 'UPDATE $workflows SET listed = false RETURN NONE;' : ''}
      INSERT INTO index_queue $queue RETURN NONE;`,
      values,
    );
  return last;
}
