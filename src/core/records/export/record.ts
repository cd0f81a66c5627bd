/** Reads everything stored of a conversation, one workflow at a time: the source of exports and session files. */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { workflowDetail } from '../snapshots.ts';
import type { Store } from '../../store/store.ts';

/** Everything stored of one workflow. */
export interface WorkflowRecord extends Omit<WorkflowDetail, 'conversation'> {
  /** Entries by run id, in order. */
  entries: ReadonlyMap<string, readonly Entry[]>;
}

/** With the executions of its sub-agents, in order of creation. */
export interface ExportedWorkflow extends WorkflowRecord {
  executions: readonly SubAgentExecution[];
}

/** Workflows of one page. */
const PAGE = 100;

/** Oldest first. */
export async function workflowIdsOf(store: Store, conversationId: string): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    ids.push(...page.items.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids.reverse();
}

/** One workflow with the entries of the runs that `wanted` selects; null if it was deleted. */
export async function recordOf(
  store: Store,
  workflowId: string,
  wanted: (run: RunRow) => boolean,
): Promise<WorkflowRecord | null> {
  const workflow = await store.workflow(workflowId);
  if (!workflow) return null;
  const { conversation: _, ...detail } = await workflowDetail(store, workflow);
  const { entries } = await store.recordsOf(detail.runs.filter(wanted), ['entries']);
  return { ...detail, entries };
}

/** Oldest first; reads each workflow when the consumer asks for it. */
export async function* recordsOf(store: Store, conversationId: string): AsyncGenerator<ExportedWorkflow> {
  for (const id of await workflowIdsOf(store, conversationId)) {
    const record = await recordOf(store, id, () => true);
    if (record) yield { ...record, executions: await store.executionsOf(record.runs.map((run) => run.id)) };
  }
}
