/** The reads of the store: single records, and bounded ranges of ids or of an index. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Unlisted } from '#contract/missing.ts';
import type { Grant } from '#contract/permission.ts';
import type { ConversationRow, OpenMessage, RunRow, WorkflowRow } from '#contract/view.ts';
import { TriadError } from '../base/errors.ts';
import type { Database } from './database.ts';
import { countsOf } from './lists/facets.ts';
import { conversations } from './lists/conversations.ts';
import { idAfter } from './lists/lists.ts';
import { sessionWork } from './lists/session-work.ts';
import { ANY } from './lists/workflow-terms.ts';
import { memoryReads } from './memory.ts';
import { withEnvelopes } from './rows/envelope-texts.ts';
import { eventsBetween, newestEvent } from './rows/event-blocks.ts';
import { byId, Reader } from './rows/reader.ts';
import type { Archive } from './archive.ts';
import { renewedExecution } from './rows/legacy-rows.ts';
import { recordReads } from './run-records.ts';
import { isAsSealed } from './seal.ts';
import type { Store } from './store.ts';

/** `events`: where they are read from; they are stored at once, so nothing has to be flushed for them. */
export function queriesOf(
  database: Database,
  events = database,
): Omit<Store, 'lost' | 'diskFull' | 'commit' | 'close' | 'beginBackup' | 'vectors' | keyof Archive> {
  const reader = new Reader(database);
  return {
    ...eventReads(reader, events),
    ...workflowReads(reader),
    ...runReads(reader),
    ...recordReads(reader),
    sessionWork: (conversationIds) => sessionWork(database, conversationIds),
    ...approvalReads(reader),
    ...memoryReads(reader),
    ...grantReads(reader),
  };
}

function grantReads(reader: Reader): Pick<Store, 'grants' | 'grant' | 'grantsGivenIn'> {
  const sorted = async (sql: string, values = {}): Promise<Grant[]> =>
    (await reader.rows<Grant>('permission_grant', sql, values)).sort(byId);
  return {
    grants: () => sorted('SELECT * FROM permission_grant'),
    grant: (id) => reader.row<Grant>('permission_grant', id),
    grantsGivenIn: async ({ id, endedAt }) => {
      // Ids sort by time: reads the grants made during the workflow, then keeps its own.
      const sql = "SELECT * FROM type::record('permission_grant', $from..$to)";
      const found = await sorted(sql, { from: id, to: endedAt === null ? LAST : idAfter(endedAt) });
      return found.filter(({ workflowId }) => workflowId === id);
    },
  };
}

/** Sorts after every id. */
const LAST = '~';

function eventReads(
  reader: Reader,
  stored: Database,
): Pick<Store, 'conversation' | 'conversations' | 'conversationIds' | 'unlisted' | 'lastSeq' | 'events'> {
  const { database } = reader;
  const conversation = (id: string) => reader.row<ConversationRow>('conversation', id);
  // The row knows the last start or end of a workflow; the events after it are few.
  const lastSeq = async (conversationId: string) =>
    newestEvent(stored, conversationId, (await conversation(conversationId))?.lastSeq ?? 0);
  let unlisted: Promise<Unlisted> | null = null;
  return {
    conversation,
    conversations: (page) => conversations(database, page),
    conversationIds: async () => (await namedIn(database)).conversations,
    unlisted: () => (unlisted ??= unlistedIn(database)),
    lastSeq,
    events: async (conversationId, from, to) => {
      const newest = () => lastSeq(conversationId);
      const { items } = await eventsBetween(stored, conversationId, { from, to, newest });
      return readable(stored, items);
    },
  };
}

/** The rows may lie in a block that cannot be read, so others that name them are asked too. */
async function namedIn(database: Database): Promise<{ conversations: string[]; workflows: number }> {
  const [own, ofWorkflows, going] = (await database.query(
    `SELECT VALUE record::id(id) FROM conversation;
    SELECT VALUE conversationId FROM workflow;
    SELECT VALUE record::id(id) FROM purge;`,
  )) as [string[], string[], string[]];
  const gone = new Set(going);
  const conversations = [...new Set([...own, ...ofWorkflows]).difference(gone)].sort();
  return { conversations, workflows: ofWorkflows.filter((id) => !gone.has(id)).length };
}

/** How many each index that lists are read from has; one statement for each of its parts. */
const LISTED = [
  "conversation WITH INDEX newest WHERE listed = true AND place > ''",
  "conversation WITH INDEX trash WHERE listed = false AND trashed > ''",
  "workflow WITH INDEX newest WHERE listed = true AND place > ''",
  "workflow WITH INDEX newest WHERE listed = false AND place > ''",
];

async function unlistedIn(database: Database): Promise<Unlisted> {
  const look = async (): Promise<Unlisted> => {
    // A count of its own, which is no scan.
    const counted = (await countsOf(database, [ANY])).get(ANY) ?? 0;
    const named = await namedIn(database);
    const found = await database.query(LISTED.map((from) => `SELECT count() FROM ${from} GROUP ALL;`).join('\n'));
    const counts = (found as { count: number }[][]).map(([row]) => row?.count ?? 0);
    const [conversations = 0, trashed = 0, workflows = 0, hidden = 0] = counts;
    return {
      conversations: Math.max(0, named.conversations.length - conversations - trashed),
      workflows: Math.max(0, counted - workflows, named.workflows - workflows - hidden),
    };
  };
  const first = await look();
  // One may have been deleted for good in between.
  return first.conversations + first.workflows === 0 ? first : look();
}

/** The program ends: nothing is wrong with what is stored. */
function isClosed(error: unknown): boolean {
  return error instanceof TriadError && error.code === 'interrupted';
}

/** With their envelopes; without the events whose envelope cannot be read. */
async function readable(database: Database, events: readonly DurableEvent[]): Promise<DurableEvent[]> {
  try {
    return await withEnvelopes(database, events);
  } catch (error) {
    if (isClosed(error)) throw error;
    if (events.length <= 1) return [];
    const middle = Math.ceil(events.length / 2);
    return [
      ...(await readable(database, events.slice(0, middle))),
      ...(await readable(database, events.slice(middle))),
    ];
  }
}

/** Who sends a message once more does it soon: so many newer ones may stand behind it. */
const SENT_LATELY = 200;

function workflowReads(
  reader: Reader,
): Pick<Store, 'workflow' | 'workflowSentAs' | 'isAsSealed' | 'unfinishedWorkflows'> {
  return {
    workflow: (id) => reader.row<WorkflowRow>('workflow', id),
    workflowSentAs: async (conversationId, sentAs) => {
      // Within a text of the row these quotes would be escaped.
      const values = { conversationId, part: `"sentAs":"${sentAs}"`, count: SENT_LATELY };
      const sql = `SELECT * FROM (SELECT * FROM workflow WITH INDEX newest_of_conversation
        WHERE conversationId = $conversationId AND place > '' LIMIT $count) WHERE string::contains(json ?? '', $part)`;
      return (await reader.rows<WorkflowRow>('workflow', sql, values))[0] ?? null;
    },
    isAsSealed: (workflow) => isAsSealed(reader.database, workflow),
    unfinishedWorkflows: async () => {
      const sql = "SELECT * FROM workflow WITH INDEX by_status WHERE status IN ['pending', 'running']";
      return (await reader.rows<WorkflowRow>('workflow', sql)).sort(byId);
    },
  };
}

function runReads(reader: Reader): Pick<Store, 'run' | 'runsOf' | 'executionsOf' | 'openMessages'> {
  return {
    run: (id) => reader.row<RunRow>('run', id),
    runsOf: async (workflowIds) => (await reader.ofWorkflows<RunRow>('run', workflowIds)).sort(byId),
    executionsOf: (runIds) => executionsOf(reader, runIds),
    // The whole table: it holds only messages that are being streamed.
    openMessages: () => reader.rows<OpenMessage>('open_message', 'SELECT * FROM open_message'),
  };
}

/** Each as it is stored today, whenever it was written. */
async function executionsOf(reader: Reader, runIds: readonly string[]): Promise<SubAgentExecution[]> {
  const table = 'sub_agent_execution';
  const some = async (ids: readonly string[]): Promise<SubAgentExecution[]> => {
    const records = ids.map((id) => reader.database.record(table, id));
    return reader.rows<SubAgentExecution>(table, 'SELECT * FROM $records', { records });
  };
  if (runIds.length === 0) return [];
  // One that cannot be read fails all.
  const found = await some(runIds).catch(async () => {
    const each = await Promise.all(runIds.map((id) => some([id]).catch(() => [])));
    return each.flat();
  });
  const byRun = new Map(found.map((row) => [row.sub_agent_id, { ...row, id: row.sub_agent_id }]));
  const rows = runIds.flatMap((id) => byRun.get(id) ?? []);
  return Promise.all(
    rows.map(async (row) => {
      const run = row.model === undefined ? await reader.row<RunRow>('run', row.id).catch(() => null) : null;
      return run ? renewedExecution(row, run) : row;
    }),
  );
}

function approvalReads(reader: Reader): Pick<Store, 'approval' | 'approvalsOf' | 'openApprovals' | 'newestApprovals'> {
  // Drops the extra columns of the row.
  const plain = ({ request, decisions, context }: Approval): Approval => {
    return { request, decisions, ...(context ? { context } : {}) };
  };
  const sorted = (found: readonly Approval[]) => found.map(plain).sort((a, b) => byId(a.request, b.request));
  return {
    approval: async (id) => {
      const found = await reader.row<Approval>('approval', id);
      return found && plain(found);
    },
    approvalsOf: async (workflowIds) => sorted(await reader.ofWorkflows<Approval>('approval', workflowIds)),
    openApprovals: async () =>
      sorted(await reader.rows<Approval>('approval', 'SELECT * FROM approval WITH INDEX by_open WHERE open > 0')),
    // A bounded read from the end of the table.
    newestApprovals: async (limit) => {
      const sql = 'SELECT * FROM approval ORDER BY id DESC LIMIT $limit';
      return (await reader.rows<Approval>('approval', sql, { limit })).map(plain);
    },
  };
}
