/** Messages that a dead process was writing: found in what is stored, and ended as they would have been. */
import type { DurableEvent } from '#contract/event.ts';
import type { AssistantEntry, Part } from '#contract/message.ts';
import type { OpenMessage } from '#contract/view.ts';
import { interruptedParts } from './open-messages.ts';

export interface Unfinished {
  readonly runId: string;
  readonly messageId: string;
  readonly at: string;
  /** What was streamed of it, as far as a checkpoint knows. */
  readonly streamed: OpenMessage['parts'];
  /** Its place and the parts that were recorded before its end, where there are any. */
  readonly recorded: { n: number; responseId: string | null; parts: Part[] } | null;
}

/** The messages without an end, in order. */
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
 * How it ends: where a call was recorded, something may have been done because of it, so its parts are the message, with
 * the words after them that came whole; else all that there is of it is kept as an interrupted one. `next`: the first free place of its run.
 */
export function endOf({ messageId, at, streamed, recorded }: Unfinished, next: number): AssistantEntry {
  const message = { kind: 'assistant', messageId, at, n: next, responseId: null } as const;
  if (recorded?.parts.some(({ type }) => type === 'tool_use')) {
    // A part is whole where another one follows it.
    const parts = interruptedParts(streamed.slice(0, -1), recorded.parts);
    return { ...message, ...recorded, parts, stopReason: 'tool_use', interrupted: false };
  }
  const parts = interruptedParts(streamed, recorded?.parts ?? []);
  return { ...message, ...recorded, parts, stopReason: null, interrupted: true };
}

/** At least so much of it was written, in code units. */
export function charsOf({ streamed, recorded }: Unfinished): number {
  const written = streamed.reduce((sum, { text }) => sum + text.length, 0);
  const whole = (recorded?.parts ?? []).reduce((sum, part) => {
    const text = part.type === 'tool_use' ? JSON.stringify(part.input) : 'text' in part ? part.text : '';
    return sum + text.length;
  }, 0);
  return Math.max(written, whole);
}
