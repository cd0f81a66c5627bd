/** What an id of an exported trace or span is of, from the history alone. */
import { mayHold, minuteStart } from '#contract/telemetry/span-ids.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Store } from '#core/store/store.ts';
import { TRIAD } from './names.ts';
import { agentSpanId } from './run-state.ts';
import { WorkflowSpans } from './workflow-spans.ts';

export interface Found {
  conversationId: string;
  workflowId: string;
  runId: string;
}

type Stored = Pick<Store, 'run' | 'workflows' | 'events'>;

const PAGE = 100;
const MINUTE_MS = 60_000;

/** Throws `not_found`. */
export async function findSpan(store: Stored, id: string): Promise<Found> {
  const found = id.length === 32 ? await ofTrace(store, id) : await ofSpan(store, id);
  if (found) return found;
  throw new TriadError('not_found', `Nothing in the history has the ${id.length === 32 ? 'trace' : 'span'} id ${id}`);
}

/** The trace id of any run is its id without the hyphens. */
async function ofTrace(store: Stored, id: string): Promise<Found | null> {
  const runId = [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');
  const run = await store.run(runId);
  return run && { conversationId: run.conversationId, workflowId: run.workflowId, runId };
}

/** Its first digits tell when its workflow was asked for. */
async function ofSpan(store: Stored, spanId: string): Promise<Found | null> {
  const minute = minuteStart(spanId, Date.now());
  // The row's time is a little later than that of its id.
  const [from, to] = [minute - MINUTE_MS, minute + 2 * MINUTE_MS].map((ms) => new Date(Math.max(0, ms)).toISOString());
  for (let before: string | null | undefined; before !== null;) {
    const page = await store.workflows({ from, to, limit: PAGE, before });
    for (const { id, conversationId, runId: lead, firstSeq, lastSeq } of page.items) {
      if (!mayHold(id, spanId)) continue;
      const events = await store.events(conversationId, firstSeq, lastSeq);
      const runId = runOf(
        events.filter(({ workflowId }) => workflowId === id),
        spanId,
      );
      if (runId !== null) return { conversationId, workflowId: id, runId: runId || lead };
    }
    before = page.next;
  }
  return null;
}

/** Empty for the span of the message itself; null where none is it. */
function runOf(events: Awaited<ReturnType<Stored['events']>>, spanId: string): string | null {
  const spans = new WorkflowSpans(() => false);
  for (const event of events) {
    const found = spans.take(event).find((span) => span.spanId === spanId);
    if (found) return String(found.attributes[TRIAD.run] ?? '');
    // It may run still.
    if (event.type !== 'run-start') continue;
    if (agentSpanId({ ...event, id: event.runId }, event.attempt) === spanId) return event.runId;
  }
  return null;
}
