/**
 * Indexes workflows and their executions in the background. A workflow's end adds one row to a queue; one transaction
 * writes its index rows and removes it from the queue. So a crash loses nothing, and a running workflow pays for one row only.
 */
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { termsOfExecution } from './execution-terms.ts';
import { facetChanges, type FacetCounts } from './facets.ts';
import { type Figures, figuresIn, figuresOfExecution, figuresOfWorkflow, textOf } from './figures.ts';
import { executionsIn, type Listing } from './lists.ts';
import { Reader } from '../rows/reader.ts';
import { entryRows } from '../rows/run-parts.ts';
import { sealsOf } from '../seal.ts';
import type { Row, Store } from '../store.ts';
import { countFigures, type HourChanges, hourChanges } from './usage-hours.ts';
import { indexKeysOf, termsOf } from './workflow-terms.ts';

type Reads = Pick<Store, 'runsOf' | 'callsOf'>;

/** Workflows of one transaction. */
const BATCH = 64;

interface Indexed {
  id: { id: string };
  terms: string[];
  figures?: string;
  segmented: string;
  segments: string[];
}

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
  const records = { ids: ids.map((id) => database.record('workflow', id)) };
  // Resumed workflows are queued again when they end; purged ones are skipped.
  const workflows = (await reader.rows<WorkflowRow>('workflow', 'SELECT * FROM $ids', records)).filter(
    ({ outcome }) => outcome !== null,
  );
  const counts: Counts = { facets: new Map(), hours: new Map() };
  const runs = await reads.runsOf(workflows.map(({ id }) => id));
  const facts = { workflows, runs, conversations: await conversationsOf(reader, workflows) };
  const rows = await rowsOf(database, reads, facts, counts);
  const executions = await executionRowsOf(database, facts, counts);
  const [facets, hours] = [facetChanges(counts.facets, database), hourChanges(counts.hours, database)];
  await database.transaction(
    `${rows.length === 0 ? '' : `INSERT INTO workflow_index $rows ON DUPLICATE KEY UPDATE ${REPLACE.workflow} RETURN NONE;`}
    ${executions.length === 0 ? '' : `INSERT INTO execution_index $executions ON DUPLICATE KEY UPDATE ${REPLACE.execution} RETURN NONE;`}
    ${facets.sql}
    ${hours.sql}
    DELETE $queue RETURN NONE;`,
    {
      ...{ rows, executions, ...facets.values, ...hours.values },
      queue: queue.map((key) => database.record('index_queue', key)),
    },
  );
  return queue.length;
}

const COLUMNS = ['terms', 'facets', 'figures', 'newest', 'cost', 'duration', 'createdAt', 'nanoUsd'];
const replace = (columns: readonly string[]) => columns.map((column) => `${column} = $input.${column}`).join(', ');
const REPLACE = {
  workflow: replace([...COLUMNS, 'tokens', 'segmented', 'segments', 'waiting', 'tail', 'seal']),
  execution: replace(COLUMNS),
};

/** What is indexed, with what its rows are made from. */
interface Facts {
  workflows: readonly WorkflowRow[];
  runs: readonly RunRow[];
  conversations: ReadonlyMap<string, ConversationRow>;
}

/** The current index rows. */
async function indexed<T extends { id: { id: string } }>(
  database: Database,
  table: Listing<unknown>['index'],
  ids: readonly string[],
): Promise<Map<string, T>> {
  const records = ids.map((id) => database.record(table, id));
  const [found] = (await database.query('SELECT * FROM $records', { records })) as [T[]];
  return new Map(found.map((row) => [row.id.id, row]));
}

/** What a batch changes in what is counted. */
interface Counts {
  facets: FacetCounts;
  hours: HourChanges;
}

/** The terms of a row, none in the trash, and its figures; counts what they change. */
function listedAs(
  old: Pick<Indexed, 'terms' | 'figures'> | undefined,
  { facets, figures }: { facets: string[]; figures: Figures },
  trashed: boolean,
  counts: Counts,
) {
  const terms = trashed ? [] : facets;
  for (const term of old?.terms ?? []) counts.facets.set(term, (counts.facets.get(term) ?? 0) - 1);
  for (const term of terms) counts.facets.set(term, (counts.facets.get(term) ?? 0) + 1);
  if (old && old.terms.length > 0) countFigures(counts.hours, figuresIn(old.figures), -1);
  if (!trashed) countFigures(counts.hours, figures, 1);
  return { terms, facets, figures: textOf(figures) };
}

async function rowsOf(
  database: Database,
  reads: Reads,
  { workflows, runs, conversations }: Facts,
  counts: Counts,
): Promise<Row[]> {
  const ids = workflows.map(({ id }) => id);
  const before = await indexed<Indexed>(database, 'workflow_index', ids);
  const calls = Map.groupBy(await reads.callsOf(runs.map(({ id }) => id)), ({ runId }) => runId);
  const lengths = await lengthsOf(database, runs);
  const seals = await sealsOf(database, workflows);
  const runsOf = Map.groupBy(runs, ({ workflowId }) => workflowId);
  return workflows.flatMap((workflow, at) => {
    const conversation = conversations.get(workflow.conversationId);
    // A missing conversation means that it is being purged.
    if (!conversation) return [];
    const own = runsOf.get(workflow.id) ?? [];
    const used = own.flatMap(({ id }) => calls.get(id) ?? []);
    const old = before.get(workflow.id);
    // What a fork took over is listed where it happened, and counts there.
    const facets = workflow.taken ? [] : termsOf({ workflow, runs: own, calls: used, folder: conversation.folder });
    const figures = figuresOfWorkflow(workflow, own);
    const counted = { facets, figures: workflow.taken ? { ...figures, sums: [] } : figures };
    const segmented = JSON.parse(old?.segmented ?? '{}') as Record<string, number>;
    const waiting = own.reduce((sum, { id }) => sum + (lengths.get(id) ?? 0) - (segmented[id] ?? 0), 0);
    return {
      id: workflow.id,
      ...indexKeysOf(workflow),
      ...listedAs(old, counted, Boolean(conversation.deletedAt), counts),
      waiting,
      tail: waiting > 0,
      segmented: JSON.stringify(segmented),
      segments: old?.segments ?? [],
      ...(seals[at] && { seal: seals[at] }),
    };
  });
}

async function executionRowsOf(
  database: Database,
  { workflows, runs, conversations }: Facts,
  counts: Counts,
): Promise<Row[]> {
  const ownerOf = new Map(workflows.map(({ id, conversationId }) => [id, conversations.get(conversationId)]));
  const own = executionsIn([{ runs }]);
  const ids = own.map(({ id }) => id);
  const before = await indexed<Pick<Indexed, 'id' | 'terms' | 'figures'>>(database, 'execution_index', ids);
  return own.flatMap((run) => {
    const conversation = ownerOf.get(run.workflowId);
    if (!conversation) return [];
    const counted = { facets: termsOfExecution(run), figures: figuresOfExecution(run) };
    const listed = listedAs(before.get(run.id), counted, Boolean(conversation.deletedAt), counts);
    const { tokens: _, ...keys } = indexKeysOf({ ...run, createdAt: run.queuedAt });
    return { id: run.id, ...keys, ...listed };
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
  const unstated = runs.filter(({ entries }) => typeof entries !== 'number');
  const ranges = unstated.map(({ id }) => ({ runId: id, from: 0, to: Number.MAX_SAFE_INTEGER }));
  const found = await entryRows(database, ranges);
  const counted = new Map(unstated.map(({ id }, index) => [id, found[index]?.length ?? 0]));
  return new Map(runs.map(({ id, entries }) => [id, entries ?? counted.get(id) ?? 0]));
}
