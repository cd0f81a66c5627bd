/** Messages that are still streamed: hints and complete parts are added to them until they end. */
import type { DeltaEvent, DurableEvent } from '#contract/event.ts';
import type { Part as WholePart } from '#contract/message.ts';
import { serverCallOf } from '#contract/web-search.ts';
import type { OpenMessage } from '#contract/view.ts';

type Part = OpenMessage['parts'][number];

const KIND_OF: Readonly<Record<DeltaEvent['type'], Part['kind']>> = {
  'message-delta': 'text',
  'thinking-delta': 'thinking',
  'tool-delta': 'tool',
};

/**
 * Adds a delta at its offset (UTF-16 code units): overlapping text is cut, and a hint that would leave a gap is dropped,
 * since the end of the message carries all of it.
 */
export function applyHint<V extends { open: OpenMessage[] }>(view: V, hint: DeltaEvent): V {
  const found = view.open.findIndex(({ messageId }) => messageId === hint.messageId);
  // A snapshot knows a message from its first piece on.
  if (found < 0 && hint.offset > 0) return view;
  const at = found < 0 ? view.open.length : found;
  const message = view.open[at] ?? emptyMessage(hint);
  const known = message.parts[hint.part] ?? emptyPart(hint);
  const added = hint.text.slice(known.text.length - hint.offset);
  if (hint.offset > known.text.length || hint.offset + hint.text.length < known.text.length) return view;
  if (added === '' && hint.part < message.parts.length) return view;
  const parts = Array.from({ length: Math.max(message.parts.length, hint.part + 1) }, (_, index) =>
    index === hint.part
      ? { ...known, ...emptyPart(hint), text: known.text + added }
      : (message.parts[index] ?? EMPTY_PART),
  );
  return { ...view, open: view.open.toSpliced(at, 1, { ...message, parts }) };
}

/** Replaces a part by its complete value, unless its hints brought all of it. */
export function applyPart<V extends { open: OpenMessage[] }>(
  view: V,
  event: Extract<DurableEvent, { type: 'message-part' }>,
): V {
  const found = view.open.findIndex(({ messageId }) => messageId === event.messageId);
  const at = found < 0 ? view.open.length : found;
  const message = view.open[at] ?? emptyMessage(event);
  const whole = wholePart(event.value);
  const known = message.parts[event.part];
  if (known && (known.text.length >= whole.text.length || (known.kind === 'tool' && known.text !== ''))) return view;
  const parts = Array.from(
    { length: Math.max(message.parts.length, event.part + 1) },
    (_, index) => (index === event.part ? whole : message.parts[index]) ?? EMPTY_PART,
  );
  return { ...view, open: view.open.toSpliced(at, 1, { ...message, parts }) };
}

/** The open messages without one that ended. */
export function withoutOpen(open: readonly OpenMessage[], messageId: string): OpenMessage[] {
  return open.filter((message) => message.messageId !== messageId);
}

/** Parts of which nothing was streamed (redacted thinking) cross the bridge as null. */
export function withEmptyParts(message: OpenMessage): OpenMessage {
  const parts: (Part | null | undefined)[] = message.parts;
  return { ...message, parts: Array.from(parts, (part) => part ?? EMPTY_PART) };
}

/** Stands for a part of which nothing was streamed. */
const EMPTY_PART: Part = { kind: 'text', text: '', toolCallId: null, name: null };

/** A complete part as an open message has it. */
export function wholePart(part: WholePart): Part {
  if (part.type === 'tool_use') {
    const text = part.malformed ?? JSON.stringify(part.input);
    return { kind: 'tool', text, toolCallId: part.id, name: part.name };
  }
  if (part.type === 'server') {
    const call = serverCallOf(part.block);
    return call ? { kind: 'tool', text: JSON.stringify(call.input), toolCallId: call.id, name: call.name } : EMPTY_PART;
  }
  if (part.type === 'redacted_thinking') return EMPTY_PART;
  return { ...EMPTY_PART, kind: part.type, text: part.text };
}

function emptyMessage({
  messageId,
  conversationId,
  workflowId,
  runId,
  at,
}: Pick<DeltaEvent, Exclude<keyof OpenMessage, 'parts'>>): OpenMessage {
  return { messageId, conversationId, workflowId, runId, at, parts: [] };
}

function emptyPart(hint: DeltaEvent): Part {
  const call =
    hint.type === 'tool-delta' ? { toolCallId: hint.toolCallId, name: hint.name } : { toolCallId: null, name: null };
  return { kind: KIND_OF[hint.type], text: '', ...call };
}

/**
 * A run has one open message: the start of the next one replaces it. A snapshot may know the message before its start.
 */
export function opened(
  open: readonly OpenMessage[],
  event: Extract<DurableEvent, { type: 'message-start' }>,
): OpenMessage[] {
  const { messageId, conversationId, workflowId, runId, at } = event;
  const others = open.filter((message) => message.runId !== runId);
  const known = open.find((message) => message.messageId === messageId);
  return [...others, known ?? { messageId, conversationId, workflowId, runId, at, parts: [] }];
}
