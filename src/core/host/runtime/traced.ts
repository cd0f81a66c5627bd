/** Adds its trace to an event on its way to a client: not stored, because it follows from the run and from who leads the conversation. */
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { traceIdOf } from '#core/base/ids.ts';
import type { EventLog } from '#core/store/log/event-log.ts';
import type { RunChains } from '#core/store/log/run-chains.ts';

/** `lead`: the agent that the person talks to in the event's conversation, which never changes. */
export function traced<T extends AgentEvent>(event: T, lead: string, chains: RunChains): T {
  const { runId, parentRunId, agent } = event;
  const parentChain =
    event.parentChain ?? chains.of(runId) ?? (parentRunId === null ? ['user', agent] : ['user', lead, agent]);
  return { ...event, traceId: event.traceId ?? traceIdOf(runId), parentChain: [...parentChain] };
}

/** Stored events, also of runs that an earlier process worked on. */
export async function tracedAll(events: readonly DurableEvent[], lead: string, log: EventLog): Promise<DurableEvent[]> {
  const leads = new Set(events.flatMap(({ parentRunId, runId }) => (parentRunId === null ? [runId] : [])));
  const unknown = new Set(
    events.flatMap(({ parentRunId, runId }) => (parentRunId === null || leads.has(parentRunId) ? [] : [runId])),
  );
  for (const runId of unknown) await log.knowRun(runId);
  return events.map((event) => traced(event, lead, log.chains));
}
