/** Where a conversation is forked that goes on from a moment of a workflow. Pure. */
import type { ForkEnd } from '#contract/messages/fork.ts';
import type { DurableEvent } from '#contract/event.ts';

interface ForkPlace {
  end: ForkEnd;
  /** The last entry of its lead's run that goes along; left out for all of it, or none. */
  entry?: number;
}

/** After the first `count` of all events of a workflow; `runId`: its lead's run. */
export function forkPlaceOf(events: readonly DurableEvent[], count: number, runId: string): ForkPlace {
  if (count >= events.length) return { end: 'after' };
  for (let index = count - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.runId !== runId || !('entry' in event)) continue;
    // Nothing was answered yet.
    return event.entry.n === 0 ? { end: 'before' } : { end: 'after', entry: event.entry.n };
  }
  return { end: 'before' };
}
