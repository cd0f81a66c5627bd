/** Reads everything stored of a conversation, some workflows at a time: the source of exports and session files. */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Approval } from '#contract/approval.ts';
import type { Entry } from '#contract/message.ts';
import type { WorkflowDetail, WorkflowRow } from '#contract/view.ts';
import { grantsOf } from '#core/approvals/answered.ts';
import type { Store } from '#core/store/store.ts';

/** Everything stored of one workflow. */
interface WorkflowRecord extends Omit<WorkflowDetail, 'conversation'> {
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

/** Returns everything stored of one workflow; null if it was deleted. */
export async function loadWorkflowRecord(store: Store, workflowId: string): Promise<ExportedWorkflow | null> {
  const [record] = await someRecords(store, [workflowId]);
  return record ?? null;
}

/** Workflows that are read together: one read of many takes less time than many reads. */
const TOGETHER = 20;

/** Oldest first; reads some workflows when the consumer asks for the first of them. */
export async function* recordsOf(store: Store, conversationId: string): AsyncGenerator<ExportedWorkflow> {
  const ids = await workflowIdsOf(store, conversationId);
  for (let from = 0; from < ids.length; from += TOGETHER)
    yield* await someRecords(store, ids.slice(from, from + TOGETHER));
}

async function someRecords(store: Store, ids: readonly string[]): Promise<ExportedWorkflow[]> {
  const [found, runs, approvals] = await Promise.all([
    Promise.all(ids.map((id) => store.workflow(id))),
    store.runsOf(ids),
    store.approvalsOf(ids),
  ]);
  const workflows = found.filter((one) => one !== null);
  const [{ entries, calls, requests }, executions, grants] = await Promise.all([
    store.recordsOf(runs, ['entries', 'calls', 'requests']),
    store.executionsOf(runs.map(({ id }) => id)),
    Promise.all(workflows.map((one) => grantsOf(store, one, approvals.filter(isOf(one))))),
  ]);
  return workflows.map((workflow, at) => {
    const own = runs.filter(({ workflowId }) => workflowId === workflow.id);
    const ownIds = new Set(own.map(({ id }) => id));
    const given = grants[at] ?? [];
    return {
      workflow,
      runs: own,
      calls: calls.filter(({ runId }) => ownIds.has(runId)),
      approvals: approvals.filter(isOf(workflow)),
      requests: requests.filter(({ runId }) => ownIds.has(runId)),
      ...(given.length > 0 ? { grants: given } : {}),
      entries: new Map([...entries].filter(([id]) => ownIds.has(id))),
      executions: executions.filter(({ id }) => ownIds.has(id)),
    };
  });
}

const isOf =
  ({ id }: WorkflowRow) =>
  ({ request }: Approval): boolean =>
    request.workflowId === id;
