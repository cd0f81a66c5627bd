/** Messages whose end was never recorded, because their process died: found in the store and completed. */
import type { DurableEvent } from '#contract/event.ts';
import type { AssistantEntry, Part } from '#contract/message.ts';
import type { OpenMessage } from '#contract/view.ts';
import { callsBegun, interruptedParts } from './open-messages.ts';

export interface Unfinished {
  readonly runId: string;
  readonly messageId: string;
  readonly at: string;
  /** Its streamed text as of the last checkpoint. */
  readonly streamed: OpenMessage['parts'];
  /** Its entry number and the parts that were recorded as complete; null if there are none. */
  readonly recorded: { n: number; responseId: string | null; parts: Part[] } | null;
}

/** Messages without a `message-end`. */
export function unfinishedMessages(events: readonly DurableEvent[], checkpoints: readonly OpenMessage[]): Unfinished[] {
  const found = new Map<string, Unfinished>();
  for (const { messageId, runId, at, parts } of checkpoints)
    found.set(messageId, { runId, messageId, at, streamed: parts, recorded: null });
  for (const event of events) {
    if (event.type === 'message-end' && event.entry.kind === 'assistant') found.delete(event.entry.messageId);
    if (event.type !== 'message-part') continue;
    const { messageId, runId, at, n, responseId, value } = event;
    const known = found.get(messageId);
    const recorded = { n, responseId, parts: [...(known?.recorded?.parts ?? []), value] };
    found.set(messageId, { runId, messageId, at, streamed: [], ...known, recorded });
  }
  return [...found.values()];
}

/**
 * The entry that ends the message. If a tool call was recorded, it may have been executed: the recorded parts, and
 * complete text after them, become a final response. Otherwise it becomes an interrupted one. `next`: the next entry
 * number of the run.
 */
export function endOf({ messageId, at, streamed, recorded }: Unfinished, next: number): AssistantEntry {
  const message = { kind: 'assistant', messageId, at, n: next, responseId: null } as const;
  if (recorded?.parts.some(({ type }) => type === 'tool_use')) {
    // A part is whole where another one follows it.
    const parts = interruptedParts(streamed.slice(0, -1), recorded.parts);
    const cut = { calls: callsBegun(streamed.slice(recorded.parts.length)) };
    return { ...message, ...recorded, parts, stopReason: 'tool_use', interrupted: false, cut };
  }
  const parts = interruptedParts(streamed, recorded?.parts ?? []);
  return { ...message, ...recorded, parts, stopReason: null, interrupted: true };
}

/** Lower bound of the generated text, in UTF-16 code units. */
export function charsOf({ streamed, recorded }: Unfinished): number {
  const written = streamed.reduce((sum, { text }) => sum + text.length, 0);
  const whole = (recorded?.parts ?? []).reduce((sum, part) => {
    const text = part.type === 'tool_use' ? JSON.stringify(part.input) : 'text' in part ? part.text : '';
    return sum + text.length;
  }, 0);
  return Math.max(written, whole);
}
