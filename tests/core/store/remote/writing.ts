/** Events for stores on a server, also for processes of their own; and the times of such a store. */
import type { DurableEvent } from '#contract/event.ts';
import type { RemoteTimes } from '#core/store/remote/options.ts';
import type { Store } from '#core/store/store.ts';

/** A machine that is busy takes its time: what must not happen is waited for with these, what must with patience. */
export const SHORT: RemoteTimes = { call: 5000, patience: 20_000, start: 20_000, lease: 1500, renew: 300 };

/** An event of a conversation whose text says who wrote it. */
export function eventOf(conversationId: string, seq: number, text = 'said'): DurableEvent {
  const at = new Date().toISOString();
  return {
    type: 'message-end',
    seq,
    at,
    conversationId,
    workflowId: conversationId,
    runId: conversationId,
    parentRunId: null,
    agent: 'lead',
    entry: { n: seq, at, kind: 'system', code: 'resumed', text },
  };
}

export async function commit(store: Store, event: DurableEvent): Promise<void> {
  await store.commit([{ event }]);
}

export function textsOf(events: readonly DurableEvent[]): string[] {
  return events.map((event) => (event.type === 'message-end' && 'text' in event.entry ? event.entry.text : ''));
}
