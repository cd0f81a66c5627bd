/** Steps that are taken from the cache of a fork: recorded like any other, with where they were paid, and nothing is done. */
import type { AssistantEntry, Entry, ToolEntry, ToolUsePart } from '#contract/message.ts';
import { newId } from '../base/ids.ts';
import type { Transcript } from '../log/transcript.ts';
import type { Emit, Payload } from '../log/recorder.ts';
import type { RunContext } from './run-context.ts';

interface Turn {
  calls: { add(call: ToolUsePart, recorded: Promise<unknown>): void };
  emit: Emit;
}

/** The response of a turn, its calls set going. Nothing was asked, so nothing is counted. */
export function takeAnswer({ limits, history }: RunContext, { emit, calls }: Turn, known: AssistantEntry): void {
  limits.withdraw();
  const entry = history.add({ ...known, messageId: newId() });
  const recorded = emit({ type: 'message-end', entry });
  for (const part of entry.parts) if (part.type === 'tool_use') calls.add(part, recorded);
}

/** The result of a call. What it did to files was done there, and is undone there. */
export function takeResult(history: Transcript, known: ToolEntry): Payload {
  return { type: 'tool-end', entry: history.add({ ...withoutUndo(known), durationMs: 0 }) };
}

/** What stands between responses and results: words, reviews and summaries. */
export function takeBetween(history: Transcript, known: Entry): Payload {
  return entryPayload(history.add(known));
}

/** How an entry is recorded. */
export function entryPayload(entry: Entry): Payload {
  if (entry.kind === 'compaction') return { type: 'compaction', entry };
  if (entry.kind === 'handoff') return { type: 'handoff', entry };
  return entry.kind === 'tool' ? { type: 'tool-end', entry } : { type: 'message-end', entry };
}

/** Files are changed, and changed back, where that was done. */
export function withoutUndo(entry: ToolEntry): ToolEntry {
  const { undoable, ...metadata } = entry.metadata;
  return undoable === true ? { ...entry, metadata: { ...metadata, taken: true } } : entry;
}
