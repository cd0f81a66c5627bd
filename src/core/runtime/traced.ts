/** Adds its trace to an event on its way to a client: not stored, because it follows from the run and from who leads the conversation. */
import type { AgentEvent } from '#contract/event.ts';
import type { RunRow } from '#contract/view.ts';
import { traceIdOf } from '../base/ids.ts';
import type { Store } from '../store/store.ts';

/** Agents from the person down to a sub-agent; what is deeper serves one, and only its queueing tells which. */
const TO_SUB_AGENT = 3;

/** The traces of one conversation's events. */
export class Traces {
  readonly #lead: string;
  /** By run id, of runs that serve a sub-agent. */
  readonly #deeper = new Map<string, string[]>();

  /** `lead`: the agent that the person talks to in the conversation, which never changes. */
  constructor(lead: string) {
    this.#lead = lead;
  }

  know({ id, parentChain }: Pick<RunRow, 'id' | 'parentChain'>): void {
    if (parentChain.length > TO_SUB_AGENT) this.#deeper.set(id, parentChain);
  }

  /** Events are traced in their order. */
  traced<T extends AgentEvent>(event: T): T {
    if (event.type === 'run-queue') this.know({ id: event.runId, parentChain: event.parentChain });
    const { runId, parentRunId, agent } = event;
    const parentChain = parentRunId === null ? ['user', agent] : ['user', this.#lead, agent];
    const chain = event.parentChain ?? this.#deeper.get(runId) ?? parentChain;
    return { ...event, traceId: event.traceId ?? traceIdOf(runId), parentChain: chain };
  }
}

/** For events from now on: what goes on, does so in the newest workflow. */
export async function learnRuns(store: Pick<Store, 'workflows' | 'runsOf'>, conversationId: string, traces: Traces) {
  const [newest] = (await store.workflows({ conversationId, limit: 1 })).items;
  if (!newest?.subAgentCount) return;
  for (const run of await store.runsOf([newest.id])) traces.know(run);
}

/** A page of stored events. */
export async function tracedPage<T extends AgentEvent>(
  store: Pick<Store, 'run'>,
  events: readonly T[],
  lead: string,
): Promise<T[]> {
  const traces = new Traces(lead);
  const queued = new Set(events.flatMap(({ type, runId }) => (type === 'run-queue' ? [runId] : [])));
  const others = new Set(events.flatMap(({ runId, parentRunId }) => (parentRunId === null ? [] : [runId])));
  const rows = await Promise.all([...others.difference(queued)].map((id) => store.run(id)));
  for (const row of rows) if (row) traces.know(row);
  return events.map((event) => traces.traced(event));
}
