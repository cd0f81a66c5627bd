/** The reads of the store: single records, and bounded ranges of ids or of an index. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Unlisted } from '#contract/missing.ts';
import type { Grant } from '#contract/permission.ts';
import type { ConversationRow, OpenMessage, RunRow, WorkflowRow } from '#contract/view.ts';
import { TriadError } from '../base/errors.ts';
import type { Commits } from './commits/commits.ts';
import type { Database } from './database.ts';
import { conversations } from './lists/conversations.ts';
import { getIdAfter } from './lists/list-reader.ts';
import { sessionWork } from './lists/session-work.ts';
import { StoreDamaged } from './faults.ts';
import { memoryReads } from './memory.ts';
import { withEnvelopes } from './rows/envelope-texts.ts';
import { eventsBetween, newestEvent } from './rows/event-blocks.ts';
import { countReadable } from './rows/readable-rows.ts';
import { byId, Reader } from './rows/reader.ts';
import { recordReads } from './run-records.ts';
import type { Store } from './store.ts';

/** Events that are not in the database yet; `stored` reads those that are, without a flush. */
export interface PendingEvents extends Pick<Commits, 'pendingEvents' | 'lastSeq'> {
  stored: Database;
}

/** `pending`: left out if the database has all events. */
export function createQueries(database: Database, pending: PendingEvents | null = null) {
  const reader = new Reader(database);
  return {
    ...eventReads(reader, pending),
    ...workflowReads(reader),
    ...runReads(reader),
    ...recordReads(reader),
    sessionWork: (conversationIds: readonly string[]) => sessionWork(database, conversationIds),
    ...approvalReads(reader),
    ...memoryReads(reader),
    ...grantReads(reader),
  };
}

function grantReads(reader: Reader): Pick<Store, 'grants' | 'grant' | 'grantsGivenIn'> {
  const sorted = async (range: string, values = {}): Promise<Grant[]> =>
    (await reader.range<Grant>('permission_grant', range, values)).sort(byId);
  return {
    grants: () => sorted('permission_grant'),
    grant: (id) => reader.row<Grant>('permission_grant', id),
    grantsGivenIn: async ({ id, endedAt }) => {
      // Ids sort by time: reads the grants made during the workflow, then keeps its own.
      const range = "type::record('permission_grant', $from..$to)";
      const found = await sorted(range, { from: id, to: endedAt === null ? LAST : getIdAfter(endedAt) });
      return found.filter(({ workflowId }) => workflowId === id);
    },
  };
}

/** Sorts after every id. */
const LAST = '~';

function eventReads(
  reader: Reader,
  pending: PendingEvents | null,
): Pick<Store, 'conversation' | 'conversations' | 'conversationIds' | 'unlisted' | 'lastSeq' | 'events'> {
  const { database } = reader;
  const conversation = (id: string) => reader.row<ConversationRow>('conversation', id);
  const stored = pending?.stored ?? database;
  // The row has the number of the last start or end of a workflow; few events follow it.
  const lastSeq = async (conversationId: string) =>
    pending
      ? pending.lastSeq(conversationId)
      : newestEvent(stored, conversationId, (await conversation(conversationId))?.lastSeq ?? 0);
  let unlisted: Promise<Unlisted> | null = null;
  return {
    conversation,
    conversations: (page) => conversations(database, page),
    conversationIds: () => conversationIdsIn(database),
    unlisted: () => (unlisted ??= unlistedIn(database)),
    lastSeq,
    events: async (conversationId, from, to) => {
      const ahead = pending?.pendingEvents(conversationId) ?? [];
      const last = Math.min(to, (ahead[0]?.seq ?? Infinity) - 1);
      const wanted = ahead.filter(({ seq }) => seq >= from && seq <= to);
      if (last < from) return wanted;
      const newest = () => lastSeq(conversationId);
      const { items } = await eventsBetween(stored, conversationId, { from, to: last, newest });
      return [...(await readable(stored, items)), ...wanted];
    },
  };
}

/** A row may be in a block that cannot be read, so the rows that name its conversation are read too. */
async function conversationIdsIn(database: Database): Promise<string[]> {
  const [own, ofWorkflows, purged] = (await database.query(
    `SELECT VALUE record::id(id) FROM conversation;
    SELECT VALUE conversationId FROM workflow;
    SELECT VALUE record::id(id) FROM purge;`,
  )) as [string[], string[], string[]];
  return [...new Set([...own, ...ofWorkflows]).difference(new Set(purged))].sort();
}

/** The ranges of indexes that lists are read from. */
const LISTED = [
  "conversation WITH INDEX newest WHERE listed = true AND place > ''",
  "conversation WITH INDEX trash WHERE listed = false AND trashed > ''",
  "workflow WITH INDEX newest WHERE listed = true AND place > ''",
  "workflow WITH INDEX newest WHERE listed = false AND place > ''",
];
const TOTALS = 'SELECT conversations, workflows FROM ONLY meta:journal';

async function unlistedIn(database: Database): Promise<Unlisted> {
  // One statement, so all numbers are of the same time.
  const ranges = LISTED.map((from) => `(SELECT count() FROM ${from} GROUP ALL)`);
  const sql = `RETURN [(${TOTALS}), ${ranges.join(', ')}]`;
  const count = async (): Promise<[totals: Partial<Unlisted> | null, conversations: number, workflows: number]> => {
    const [[totals, ...counts]] = (await database.query(sql)) as [[Partial<Unlisted> | null, ...{ count: number }[][]]];
    const [conversations = 0, trashed = 0, workflows = 0, hidden = 0] = counts.map(([row]) => row?.count ?? 0);
    return [totals, conversations + trashed, workflows + hidden];
  };
  const [totals, conversations, workflows] = await count().catch(async (error: unknown) => {
    if (!(error instanceof StoreDamaged)) throw error;
    const [found] = (await database.query(TOTALS)) as [Partial<Unlisted> | null];
    const readable = (['conversation', 'workflow'] as const).map((table) => countReadable(database, table));
    return [found, ...((await Promise.all(readable)) as [number, number])] as const;
  });
  return {
    conversations: Math.max(0, (totals?.conversations ?? 0) - conversations),
    workflows: Math.max(0, (totals?.workflows ?? 0) - workflows),
  };
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

function workflowReads(reader: Reader): Pick<Store, 'workflow' | 'workflowSentAs' | 'unfinishedWorkflows'> {
  return {
    workflow: (id) => reader.row<WorkflowRow>('workflow', id),
    workflowSentAs: async (conversationId, sentAs) => {
      // Within a text of the row these quotes would be escaped.
      const values = { conversationId, part: `"sentAs":"${sentAs}"`, count: SENT_LATELY };
      const sql = `SELECT * FROM (SELECT * FROM workflow WITH INDEX newest_of_conversation
        WHERE conversationId = $conversationId AND place > '' LIMIT $count) WHERE string::contains(json, $part)`;
      return (await reader.rows<WorkflowRow>('workflow', sql, values))[0] ?? null;
    },
    unfinishedWorkflows: async () => {
      const unfinished = "status IN ['pending', 'running']";
      return (await reader.indexed<WorkflowRow>('workflow', 'by_status', unfinished)).sort(byId);
    },
  };
}

function runReads(reader: Reader): Pick<Store, 'run' | 'runsOf' | 'executionsOf' | 'openMessages'> {
  return {
    run: (id) => reader.row<RunRow>('run', id),
    runsOf: async (workflowIds) => (await reader.ofWorkflows<RunRow>('run', workflowIds)).sort(byId),
    executionsOf: (runIds) => executionsOf(reader, runIds),
    // The whole table: it holds only messages that are being streamed.
    openMessages: () => reader.range<OpenMessage>('open_message', 'open_message'),
  };
}

async function executionsOf(reader: Reader, runIds: readonly string[]): Promise<SubAgentExecution[]> {
  const table = 'sub_agent_execution';
  const found = await reader.records<SubAgentExecution>(table, runIds);
  const byRun = new Map(found.map((row) => [row.sub_agent_id, { ...row, id: row.sub_agent_id }]));
  return runIds.flatMap((id) => byRun.get(id) ?? []);
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
    openApprovals: async () => sorted(await reader.indexed<Approval>('approval', 'by_open', 'open > 0')),
    // A bounded read from the end of the table.
    newestApprovals: async (limit) => {
      const sql = 'SELECT * FROM approval ORDER BY id DESC LIMIT $limit';
      return (await reader.rows<Approval>('approval', sql, { limit })).map(plain);
    },
  };
}
