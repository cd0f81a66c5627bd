/** Reads all that happened in one workflow, page by page: nothing is asked of a model for it. */
import type { DurableEvent } from '#contract/event.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowRow } from '#contract/view.ts';

type Ended = Pick<WorkflowRow, 'id' | 'conversationId' | 'firstSeq' | 'lastSeq'>;

/** In order, up to its end; `seq`: how far the conversation was read. Rejects with a `RequestError`. */
export async function* readEvents(
  client: Pick<Client, 'request'>,
  { id, conversationId, firstSeq, lastSeq }: Ended,
): AsyncGenerator<{ events: DurableEvent[]; seq: number }> {
  let seq = firstSeq - 1;
  while (seq < lastSeq) {
    const page = await client.request('conversation.events', { conversationId, after: seq });
    const last = page.at(-1);
    if (!last) return;
    seq = last.seq;
    // Messages that were sent meanwhile wait among them.
    yield { events: page.filter((event) => event.workflowId === id && event.seq <= lastSeq), seq };
  }
}
