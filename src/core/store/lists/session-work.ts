/** The workflows of many conversations with their sub-agents, as the list of sessions tells of them: no texts, no envelopes. */
import { isReported } from '#contract/flows/serving.ts';
import type { RunRow, SessionWork, WorkflowRow } from '#contract/view.ts';
import { usageOf } from '../../base/usage.ts';
import { selectOfOwners } from '../rows/readable-rows.ts';
import { decodeRow, SELECT_JSON, type Stored, type StoredTable } from '../rows/row-codec.ts';
import type { Database } from '../database.ts';

/** Conversations read in one step: what stands in their rows is held no longer than that. */
const STEP = 50;

/** In the order of the ids; each conversation's workflows oldest first. */
export async function sessionWork(database: Database, conversationIds: readonly string[]): Promise<SessionWork[]> {
  const work: SessionWork[] = [];
  for (let from = 0; from < conversationIds.length; from += STEP)
    work.push(...(await someWork(database, conversationIds.slice(from, from + STEP))));
  return work;
}

async function someWork(database: Database, conversationIds: readonly string[]): Promise<SessionWork[]> {
  const ofConversation = { index: 'newest_of_conversation', where: "place > ''", owner: 'conversationId' };
  const workflows = await ofEach<WorkflowRow>(database, { table: 'workflow', ...ofConversation }, conversationIds);
  const ids = workflows.flat().map(({ id }) => id);
  const ofWorkflow = { table: 'run', index: 'by_workflow', owner: 'workflowId' } as const;
  const runs = await ofEach<RunRow>(database, ofWorkflow, ids);
  const subAgents = new Map(ids.map((id, index) => [id, (runs[index] ?? []).filter(isReported).map(summaryOf)]));
  return conversationIds.map((conversationId, index) => ({
    conversationId,
    workflows: (workflows[index] ?? []).map(({ id, outcome, status, startedAt, subAgentCount, usage }) => ({
      id,
      outcome,
      status,
      startedAt,
      subAgentCount,
      subAgents: subAgents.get(id) ?? [],
      usage: usageOf(usage),
    })),
  }));
}

/** The rows of each owner, in one query; ids sort by time. Envelopes in them stay hashes. */
async function ofEach<T extends { id: string }>(
  database: Database,
  select: { table: StoredTable; index: string; owner: string; where?: string },
  owners: readonly string[],
): Promise<T[][]> {
  const found = await selectOfOwners<Stored>(database, { ...select, columns: SELECT_JSON }, owners);
  const rows = found.map((some) => some.map((stored) => decodeRow(select.table, stored) as unknown as T));
  return rows.map((some) => some.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

function summaryOf({ id, agent, kind, status, outcome, durationMs, usage }: RunRow) {
  return { runId: id, agent, kind, status, outcome, durationMs, usage: usageOf(usage) };
}
