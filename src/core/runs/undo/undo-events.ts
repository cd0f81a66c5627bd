/** The events of an undo: `change-undo` for each of its calls, `workflow-leave` for each message that goes with it. */
import type { Undo } from '#contract/change.ts';
import type { EventDraft } from '#contract/event.ts';
import type { WorkflowRow } from '#contract/view.ts';
import { TriadError } from '../../base/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Engine } from '../engine.ts';

const PAGE = 200;

/** Returns all workflows of a conversation, oldest first. */
export async function loadWorkflows(store: Pick<Store, 'workflows'>, conversationId: string): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    rows.push(...page.items);
    before = page.next;
  }
  return rows.reverse();
}

/**
 * Returns the events of an undo that are not stored yet. The time of the undo identifies its events. Throws `not_found`
 * if the conversation does not have the workflow of `messages`.
 */
export async function loadMissingEvents(parts: Pick<Engine, 'log' | 'store'>, undo: Undo): Promise<EventDraft[]> {
  return [...(await loadCallEvents(parts, undo)), ...(await loadMessageEvents(parts.store, undo))];
}

async function loadCallEvents(
  { log, store }: Pick<Engine, 'log' | 'store'>,
  { conversationId, calls, at, redone }: Undo,
): Promise<EventDraft[]> {
  const runIds = [...new Set(calls.map(({ runId }) => runId))];
  const runs = new Map(await Promise.all(runIds.map(async (id) => [id, await store.run(id)] as const)));
  const rows = Map.groupBy(await store.callsOf(runIds), ({ runId }) => runId);
  const events: EventDraft[] = [];
  for (const { runId, toolCallId, paths = [], ...part } of calls) {
    const isWhole = part.path === null && part.hunk === null;
    const [path, ...also] = paths;
    const row = rows.get(runId)?.find((one) => one.toolCallId === toolCallId);
    const run = runs.get(runId);
    if (!run || !row || path === undefined) continue;
    const isStored = row.undos?.some((one) => one.at === at) === true;
    const isAlready = isWhole && (row.undone ?? false) === !redone;
    if (isStored || isAlready) continue;
    const { workflowId, parentRunId, agent, parentChain } = run;
    log.chains.keep(runId, parentChain);
    events.push({
      type: 'change-undo' as const,
      conversationId,
      workflowId,
      runId,
      parentRunId,
      agent,
      at,
      toolCallId,
      path,
      ...(also.length > 0 ? { also } : {}),
      ...(isWhole ? {} : { part: true as const }),
      undone: !redone,
    });
  }
  return events;
}

async function loadMessageEvents(
  store: Pick<Store, 'workflows'>,
  { conversationId, messages, at }: Undo,
): Promise<EventDraft[]> {
  if (!messages) return [];
  const { fromWorkflowId, left } = messages;
  const rows = await loadWorkflows(store, conversationId);
  const first = rows.findIndex(({ id }) => id === fromWorkflowId);
  if (first < 0) throw new TriadError('not_found', `There is no workflow ${fromWorkflowId} in this conversation`);
  const changed = rows.slice(first).filter((row) => (row.left ?? false) !== left);
  return changed.map(({ id, runId, agents }) => ({
    type: 'workflow-leave' as const,
    conversationId,
    workflowId: id,
    runId,
    parentRunId: null,
    agent: agents[0] ?? '',
    at,
    left,
  }));
}
