/** Messages in flight: what a hint adds to them, and how they end. */
import type { HintEvent } from '#contract/event.ts';
import type { OpenMessage } from '#contract/view.ts';

type Part = OpenMessage['parts'][number];

const KIND_OF: Readonly<Record<HintEvent['type'], Part['kind']>> = {
  'message-delta': 'text',
  'thinking-delta': 'thinking',
  'tool-delta': 'tool',
};

/**
 * A hint says where its text belongs, so what overlaps is cut and what would leave a gap is dropped:
 * the end of the message brings the whole.
 */
export function applyHint<V extends { open: OpenMessage[] }>(view: V, hint: HintEvent): V {
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
      : (message.parts[index] ?? { kind: 'text' as const, text: '', toolCallId: null, name: null }),
  );
  return { ...view, open: view.open.toSpliced(at, 1, { ...message, parts }) };
}

export function withoutOpen(open: readonly OpenMessage[], messageId: string): OpenMessage[] {
  return open.filter((message) => message.messageId !== messageId);
}

function emptyMessage({ messageId, conversationId, workflowId, runId, at }: HintEvent): OpenMessage {
  return { messageId, conversationId, workflowId, runId, at, parts: [] };
}

function emptyPart(hint: HintEvent): Part {
  const call =
    hint.type === 'tool-delta'
      ? { toolCallId: hint.toolCallId, name: hint.name }
      : { toolCallId: null, name: null };
  return { kind: KIND_OF[hint.type], text: '', ...call };
}
