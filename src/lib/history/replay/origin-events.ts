/** What sub-agents did of what a fork took over: the log of the conversation where they worked has it. */
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { RunRow } from '#contract/view.ts';
import { timesOf } from './pace.ts';
import { readEvents } from './read-events.ts';

/** What was used is counted there, questions stay there, and what was done to it since is no part of how it went. */
const THERE: ReadonlySet<DurableEvent['type']> = new Set([
  ...(['usage', 'approval-request', 'approval-decide', 'context-request', 'context-end', 'change-undo'] as const),
]);

/**
 * Of these runs, as they would be of the lead that took them over, in order; nothing of one whose end is not in the log.
 * Rejects with a `RequestError`.
 */
export async function originEvents(
  client: Pick<Client, 'request'>,
  elsewhere: readonly RunRow[],
): Promise<DurableEvent[]> {
  const places = Map.groupBy(elsewhere, ({ copiedFrom }) => copiedFrom?.workflowId ?? '');
  const found = await Promise.all(
    [...places].map(async ([workflowId, runs]) => {
      const { workflow } = await client.request('workflow.get', { workflowId });
      const events: DurableEvent[] = [];
      for await (const page of readEvents(client, workflow)) events.push(...page.events);
      const ended = new Set(events.flatMap(({ type, runId }) => (type === 'run-end' ? [runId] : [])));
      const rows = new Map(runs.filter(({ id }) => ended.has(id)).map((run) => [run.id, run]));
      return events.flatMap((event) => {
        const row = rows.get(event.runId);
        return row && !THERE.has(event.type) ? [taken(event, row)] : [];
      });
    }),
  );
  return found.flat();
}

function taken(event: DurableEvent, { conversationId, workflowId, parentRunId, copiedFrom }: RunRow): DurableEvent {
  const here = { ...event, conversationId, workflowId, parentRunId };
  return here.type === 'run-queue' && copiedFrom ? { ...here, copiedFrom } : here;
}

/** Both in the order of time, each in its own order, and numbered anew; `own` ends them. */
export function withOrigin(own: DurableEvent[], others: readonly DurableEvent[]): DurableEvent[] {
  if (others.length === 0) return own;
  const timed = (events: readonly DurableEvent[]) => {
    const times = timesOf(events);
    return events.map((event, index) => ({ event, at: times[index] ?? 0 }));
  };
  const all = [...timed(others), ...timed(own)].toSorted((a, b) => a.at - b.at);
  return all.map(({ event }, index) => ({ ...event, seq: index + 1 }));
}
