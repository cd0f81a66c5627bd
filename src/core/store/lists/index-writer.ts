/**
 * Indexes workflows in the background. A workflow's end adds one row to a queue; one transaction writes its index rows
 * and removes it from the queue. So a crash loses nothing, and a running workflow pays for one row only.
 */
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { facetChanges, type FacetCounts } from './facets.ts';
import { Reader } from '../rows/reader.ts';
import { runRange } from '../search/segment-writer.ts';
import type { Row, Store } from '../store.ts';
import { indexKeysOf, termsOf } from './workflow-terms.ts';

type Reads = Pick<Store, 'runsOf' | 'callsOf'>;

/** Workflows of one transaction. */
const BATCH = 32;

interface Indexed {
  id: { id: string };
  terms: string[];
  segmented: string;
  segments: string[];
}

/** Indexes one batch of queued workflows; returns false if the queue was empty. */
export async function indexSome(database: Database, reads: Reads): Promise<boolean> {
  const [queue] = (await database.query(`SELECT VALUE record::id(id) FROM index_queue LIMIT ${BATCH}`)) as [
    [string, number][],
  ];
  if (queue.length === 0) return false;
  const ids = [...new Set(queue.map(([id]) => id))];
  const reader = new Reader(database);
  const records = { ids: ids.map((id) => database.record('workflow', id)) };
  // Resumed workflows are queued again when they end; purged ones are skipped.
  const workflows = (await reader.rows<WorkflowRow>('workflow', 'SELECT * FROM $ids', records)).filter(
    ({ outcome }) => outcome !== null,
  );
  const before = await indexed(database, ids);
  const counts: FacetCounts = new Map();
  const rows = await rowsOf(reader, reads, workflows, before, counts);
  const changes = facetChanges(counts, database);
  await database.transaction(
    `${rows.length === 0 ? '' : `INSERT INTO workflow_index $rows ON DUPLICATE KEY UPDATE ${REPLACE} RETURN NONE;`}
    ${changes.sql}
    DELETE $queue RETURN NONE;`,
    { rows, ...changes.values, queue: queue.map((key) => database.record('index_queue', key)) },
  );
  return true;
}

const COLUMNS = [
  ...['terms', 'facets', 'newest', 'cost', 'tokens', 'duration', 'createdAt', 'nanoUsd'],
  ...['segmented', 'segments', 'waiting', 'tail'],
];
const REPLACE = COLUMNS.map((column) => `${column} = $input.${column}`).join(', ');

/** The current index rows. */
async function indexed(database: Database, ids: readonly string[]): Promise<Map<string, Indexed>> {
  const records = ids.map((id) => database.record('workflow_index', id));
  const [found] = (await database.query('SELECT * FROM $records', { records })) as [Indexed[]];
  return new Map(found.map((row) => [row.id.id, row]));
}

async function rowsOf(
  reader: Reader,
  reads: Reads,
  workflows: readonly WorkflowRow[],
  before: ReadonlyMap<string, Indexed>,
  counts: FacetCounts,
): Promise<Row[]> {
  const runs = await reads.runsOf(workflows.map(({ id }) => id));
  const calls = Map.groupBy(await reads.callsOf(runs.map(({ id }) => id)), ({ runId }) => runId);
  const conversations = await conversationsOf(reader, workflows);
  const lengths = await lengthsOf(reader.database, runs);
  const runsOf = Map.groupBy(runs, ({ workflowId }) => workflowId);
  return workflows.flatMap((workflow) => {
    const conversation = conversations.get(workflow.conversationId);
    // A missing conversation means that it is being purged.
    if (!conversation) return [];
    const own = runsOf.get(workflow.id) ?? [];
    const used = own.flatMap(({ id }) => calls.get(id) ?? []);
    const old = before.get(workflow.id);
    const facets = termsOf({ workflow, runs: own, calls: used, folder: conversation.folder });
    const terms = conversation.deletedAt ? [] : facets;
    for (const term of old?.terms ?? []) counts.set(term, (counts.get(term) ?? 0) - 1);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    const segmented = JSON.parse(old?.segmented ?? '{}') as Record<string, number>;
    const waiting = own.reduce((sum, { id }) => sum + (lengths.get(id) ?? 0) - (segmented[id] ?? 0), 0);
    return {
      id: workflow.id,
      ...indexKeysOf(workflow),
      terms,
      facets,
      waiting,
      tail: waiting > 0,
      segmented: JSON.stringify(segmented),
      segments: old?.segments ?? [],
    };
  });
}

async function conversationsOf(
  reader: Reader,
  workflows: readonly WorkflowRow[],
): Promise<Map<string, ConversationRow>> {
  const ids = new Set(workflows.map(({ conversationId }) => conversationId));
  const records = [...ids].map((id) => reader.database.record('conversation', id));
  const found = await reader.rows<ConversationRow>('conversation', 'SELECT * FROM $records', { records });
  return new Map(found.map((row) => [row.id, row]));
}

/** Number of entries of each run. */
async function lengthsOf(database: Database, runs: readonly RunRow[]): Promise<Map<string, number>> {
  if (runs.length === 0) return new Map();
  const values = Object.fromEntries(runs.map(({ id }, index) => [`r${index}`, id]));
  const sql = runs.map((_, index) => `RETURN count(SELECT VALUE id FROM ${runRange(`$r${index}`)});`).join('\n');
  const found = await database.query(sql, values);
  return new Map(runs.map(({ id }, index) => [id, Number(found[index])]));
}
