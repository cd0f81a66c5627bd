/** The words of a model as they came: stored is only the whole message, and when it was written. Pure. */
import type { DurableEvent } from '#contract/event.ts';
import type { OpenMessage } from '#contract/view.ts';
import { wholePart } from '../open-messages.ts';
import type { View } from '../reduce.ts';
import { wholeUnits } from '#contract/messages/short-text.ts';

type Part = OpenMessage['parts'][number];

/** When a message was written, in milliseconds since 1970, and what it became. */
interface Writing {
  /** Its first token came. */
  from: number;
  to: number;
  parts: readonly Part[];
}

export type Writings = ReadonlyMap<string, Writing>;

/** By message id, of all that came to an end. */
export function writingsOf(events: readonly DurableEvent[]): Writings {
  const requests = new Map(
    events.flatMap((event) => (event.type === 'usage' ? [[event.request.requestId, event.request] as const] : [])),
  );
  const begun = new Map<string, { at: number; requestId: string }>();
  const found = new Map<string, Writing>();
  for (const event of events) {
    if (event.type === 'message-start')
      begun.set(event.messageId, { at: Date.parse(event.at), requestId: event.request.requestId });
    if (event.type !== 'message-end' || event.entry.kind !== 'assistant') continue;
    const start = begun.get(event.entry.messageId);
    if (!start) continue;
    const request = requests.get(start.requestId);
    const asked = Date.parse(request?.startedAt ?? '');
    const from = Math.max(start.at, request ? asked + (request.firstTokenMs ?? 0) : -Infinity);
    // What a crash cut off was stored as its end only when somebody went on with it.
    const to = Math.max(from, Math.min(Date.parse(event.at), request ? asked + request.durationMs : Infinity));
    found.set(event.entry.messageId, { from, to, parts: event.entry.parts.map(wholePart) });
  }
  return found;
}

/** The view with as much of each open message as had come at that time; evenly, since nobody kept the beat. */
export function withWritten(view: View, writings: Writings, at: number): View {
  if (view.open.length === 0) return view;
  return { ...view, open: view.open.map((message) => written(message, writings.get(message.messageId), at)) };
}

/** `parts` that were stored while it came are there whole. */
function written(message: OpenMessage, writing: Writing | undefined, at: number): OpenMessage {
  if (!writing || at <= writing.from) return message;
  const { from, to } = writing;
  const all = writing.parts.reduce((sum, { text }) => sum + text.length, 0);
  let left = Math.floor(all * Math.min(1, (at - from) / Math.max(1, to - from)));
  const parts: Part[] = [];
  for (const [index, part] of writing.parts.entries()) {
    const known = message.parts[index];
    const text = part.text.slice(0, wholeUnits(part.text, left));
    left = Math.max(0, left - part.text.length);
    if (text === '' && part.text !== '' && !known) break;
    parts.push(known && known.text.length > text.length ? known : { ...part, text });
  }
  return { ...message, parts };
}
