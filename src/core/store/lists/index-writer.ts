/**
 * Indexes workflows and their executions in the background. A workflow's end adds one row to a queue; one transaction
 * writes its index rows and removes it from the queue. So a crash loses nothing, and a running workflow pays for one row only.
 */
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { byId, type PlainRun, Reader } from '../rows/reader.ts';
import { sortKeyOfId } from '../rows/row-codec.ts';
import { entryRows } from '../rows/run-parts.ts';
import type { Row, Store } from '../store.ts';
import { encodeEntries, type IndexedWorkflow, readIndexed, removeFromSegments } from './list-segments.ts';
import { getEntries } from './listing.ts';
import { applyTotals, countEntries, type TotalChanges } from './totals.ts';

type Reads = Pick<Store, 'callsOf'>;

/** Workflows of one transaction. */
const BATCH = 64;

/** Keys of the workflows to index next, each with the number of its end. */
export async function queued(database: Database): Promise<[string, number][]> {
  const [queue] = (await database.query(`SELECT VALUE record::id(id) FROM index_queue LIMIT ${BATCH}`)) as [
    [string, number][],
  ];
  return queue;
}

/**
 * Indexes one batch of queued workflows; returns how many were taken from the queue. Their rows are read as they were
 * flushed together with the row of the queue, or later.
 */
export async function indexSome(
  database: Database,
  reads: Reads,
  next: () => Promise<[string, number][]>,
): Promise<number> {
  const queue = await next();
  if (queue.length === 0) return 0;
  const ids = [...new Set(queue.map(([id]) => id))];
  const reader = new Reader(database);
  // Resumed workflows are queued again when they end; purged ones are skipped.
  const workflows = (await reader.records<WorkflowRow>('workflow', ids)).filter(({ outcome }) => outcome !== null);
  const counts: TotalChanges = new Map();
  const runs = (await reader.plainRuns(workflows.map(({ id }) => id))).sort(byId);
  const { rows, moved } = await makeRows(database, reads, { workflows, runs }, counts);
  const [removed, counted] = [await removeFromSegments(database, moved), applyTotals(counts, database)];
  await database.transaction(
    `${rows.length === 0 ? '' : `INSERT INTO workflow_index $rows ON DUPLICATE KEY UPDATE ${REPLACE} RETURN NONE;`}
    ${removed.sql}
    ${counted.sql}
    DELETE $queue RETURN NONE;`,
    {
      rows,
      ...removed.values,
      ...counted.values,
      queue: queue.map((key) => database.record('index_queue', key)),
    },
  );
  return queue.length;
}

const REPLACE = ['entries', 'listed', 'segment', 'newest', 'waits', 'segmented', 'segments', 'waiting']
  .map((column) => `${column} = $input.${column}`)
  .join(', ');

/** The rows of workflows whose conversation exists; a missing one is being purged. */
async function makeRows(
  database: Database,
  reads: Reads,
  { workflows, runs }: { workflows: readonly WorkflowRow[]; runs: readonly PlainRun[] },
  counts: TotalChanges,
): Promise<{ rows: Row[]; moved: IndexedWorkflow[] }> {
  const ids = workflows.map(({ id }) => id);
  const before = await readIndexed(database, ids);
  const owners = workflows.map(({ conversationId }) => conversationId);
  const conversations = await new Reader(database).byId<ConversationRow>('conversation', owners);
  const calls = Map.groupBy(await reads.callsOf(runs.map(({ id }) => id)), ({ runId }) => runId);
  const lengths = await countRunEntries(database, runs);
  const runsOf = Map.groupBy(runs, ({ workflowId }) => workflowId);
  const moved: IndexedWorkflow[] = [];
  const rows = workflows.flatMap((workflow): Row[] => {
    const conversation = conversations.get(workflow.conversationId);
    if (!conversation) return [];
    const own = runsOf.get(workflow.id) ?? [];
    const used = own.flatMap(({ id }) => calls.get(id) ?? []);
    const entries = getEntries({ workflow, runs: own, calls: used, folder: conversation.folder });
    const old = before.get(workflow.id);
    const listed = !conversation.deletedAt;
    if (old?.isListed) countEntries(counts, old.entries, -1);
    if (old) moved.push(old);
    if (listed) countEntries(counts, entries, 1);
    const { segmented = '{}', segments = [] } = old ?? {};
    const known = JSON.parse(segmented) as Record<string, number>;
    const waiting = own.reduce((sum, { id }) => sum + (lengths.get(id) ?? 0) - (known[id] ?? 0), 0);
    return [
      {
        id: workflow.id,
        entries: encodeEntries(entries),
        listed,
        newest: sortKeyOfId(workflow.id),
        waits: [...(listed ? ['list'] : []), ...(waiting > 0 ? ['search'] : [])],
        segmented,
        segments,
        waiting,
      },
    ];
  });
  return { rows, moved };
}

/** Number of entries of each run. */
async function countRunEntries(database: Database, runs: readonly PlainRun[]): Promise<Map<string, number>> {
  const unstated = runs.filter(({ entries }) => typeof entries !== 'number');
  const ranges = unstated.map(({ id }) => ({ runId: id, from: 0, to: Number.MAX_SAFE_INTEGER }));
  const found = await entryRows(database, ranges);
  const counted = new Map(unstated.map(({ id }, index) => [id, found[index]?.length ?? 0]));
  return new Map(runs.map(({ id, entries }) => [id, entries ?? counted.get(id) ?? 0]));
}
