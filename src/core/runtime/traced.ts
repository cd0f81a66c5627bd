/** Adds its trace to an event on its way to a client: not stored, because it follows from the run and from who leads the conversation. */
import type { AgentEvent } from '#contract/event.ts';
import { traceIdOf } from '../base/ids.ts';

/** `lead`: the agent that the person talks to in the event's conversation, which never changes. */
export function traced<T extends AgentEvent>(event: T, lead: string): T {
  const { runId, parentRunId, agent } = event;
  const parentChain = parentRunId === null ? ['user', agent] : ['user', lead, agent];
  return { ...event, traceId: event.traceId ?? traceIdOf(runId), parentChain: event.parentChain ?? parentChain };
}
