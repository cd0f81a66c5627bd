/** Reads the bounded snapshots that screens show. */
import type { Snapshot, WorkflowDetail, WorkflowRow } from '#contract/view.ts';
import { grantsOf } from '#core/approvals/answered.ts';
import { TriadError } from '#core/base/errors.ts';
import type { OpenMessages } from '#core/store/log/open-messages.ts';
import type { Store } from '#core/store/store.ts';
import { originRuns } from './origin-runs.ts';

/** Workflows of one page of a conversation, at least, if there are so many. */
const WORKFLOWS = 20;
/** An earlier page has more while it has no more requests than this: each page costs who scrolls through many a moment. */
const REQUESTS = 60;

/**
 * The newest workflows of a conversation, or those before `before`, as of event `seq`: at least 20, and of earlier ones up to
 * 60 that are short.
 */
export async function snapshot(
  store: Store,
  open: OpenMessages,
  conversationId: string,
  seq: number,
  before?: string,
): Promise<Snapshot> {
  const conversation = await store.conversation(conversationId);
  if (!conversation) throw new TriadError('not_found', `There is no conversation ${conversationId}`);
  const isEarlier = before !== undefined;
  const page = await store.workflows({ conversationId, limit: isEarlier ? REQUESTS : WORKFLOWS, before });
  let requests = 0;
  const end = page.items.findIndex(({ usage }, at) => (requests += usage.requests) > REQUESTS && at >= WORKFLOWS);
  const workflows = page.items.slice(0, end < 0 ? undefined : end).toReversed();
  const ids = workflows.map((workflow) => workflow.id);
  const [runs, approvals, elsewhere] = await Promise.all([
    store.runsOf(ids),
    store.approvalsOf(ids),
    originRuns(store, workflows),
  ]);
  const shown = runs.filter((run) => run.parentRunId === null || run.outcome === null || run.outcome === 'interrupted');
  const { entries, calls } = await store.recordsOf(shown, ['entries', 'calls']);
  return {
    seq,
    conversation: { ...conversation, lastSeq: seq },
    workflows,
    more: page.next !== null || end >= 0,
    runs: [...runs, ...elsewhere],
    entries: Object.fromEntries(entries),
    calls,
    approvals,
    open: isEarlier ? [] : open.of(conversationId),
    ...(!isEarlier && open.waits.getWaits(conversationId)),
  };
}

/** With the sub-agents of what a fork took over. */
export async function workflowShown(store: Store, workflow: WorkflowRow): Promise<WorkflowDetail> {
  const [detail, elsewhere] = await Promise.all([workflowDetail(store, workflow), originRuns(store, [workflow])]);
  return { ...detail, ...(elsewhere.length > 0 ? { elsewhere } : {}) };
}

export async function workflowDetail(store: Store, workflow: WorkflowRow): Promise<WorkflowDetail> {
  const [conversation, runs, approvals] = await Promise.all([
    store.conversation(workflow.conversationId),
    store.runsOf([workflow.id]),
    store.approvalsOf([workflow.id]),
  ]);
  if (!conversation)
    throw new TriadError('internal', `The conversation of workflow ${workflow.id} is missing in the store`);
  const [{ calls, requests }, grants] = await Promise.all([
    store.recordsOf(runs, ['calls', 'requests']),
    grantsOf(store, workflow, approvals),
  ]);
  return {
    conversation,
    workflow,
    runs,
    calls,
    approvals,
    requests,
    ...(grants.length > 0 ? { grants } : {}),
  };
}
