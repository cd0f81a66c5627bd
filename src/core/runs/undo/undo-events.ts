/** The events of an undo: `change-undo` for each of its calls. */
import type { Undo } from '#contract/change.ts';
import type { EventDraft } from '#contract/event.ts';
import type { Engine } from '../engine.ts';

/** Returns the events of an undo that are not stored yet. The time of the undo identifies its events. */
export async function loadMissingEvents(
  { log, store }: Pick<Engine, 'log' | 'store'>,
  { conversationId, calls, at, redone }: Undo,
): Promise<EventDraft[]> {
  const runIds = [...new Set(calls.map(({ runId }) => runId))];
  const runs = new Map(await Promise.all(runIds.map(async (id) => [id, await store.run(id)] as const)));
  const rows = Map.groupBy(await store.callsOf(runIds), ({ runId }) => runId);
  const events: EventDraft[] = [];
  for (const { runId, toolCallId, paths, ...part } of calls) {
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
