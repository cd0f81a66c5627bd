/** Messages in flight: what was streamed of them so far, kept for clients that attach and, twice a second, for a crash. */
import type { HintEvent } from '#contract/event.ts';
import { CHECKPOINT_MS } from '#contract/limits.ts';
import type { Part } from '#contract/message.ts';
import type { OpenMessage } from '#contract/view.ts';
import type { EventLog } from './event-log.ts';

type Ids = Pick<HintEvent, 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;

/** A piece of a message as the model sent it. */
export interface Piece {
  messageId: string;
  part: number;
  kind: 'text' | 'thinking' | 'tool';
  text: string;
  toolCallId: string | null;
  name: string | null;
}

/** What a message that will not end has to show: whole parts where there are some, else what was streamed of them. */
export function interruptedParts(
  streamed: readonly { kind: 'text' | 'thinking' | 'tool'; text: string }[],
  whole: readonly (Part | undefined)[],
): Part[] {
  return Array.from({ length: Math.max(streamed.length, whole.length) }, (_, index): Part[] => {
    const part = whole[index];
    if (part) return [part];
    const piece = streamed[index];
    if (!piece || piece.kind === 'tool' || piece.text === '') return [];
    return [
      piece.kind === 'text'
        ? { type: 'text', text: piece.text }
        : { type: 'thinking', text: piece.text, signature: null },
    ];
  }).flat();
}

interface Open {
  readonly ids: Ids;
  readonly message: OpenMessage;
  /** The part whose newest text nobody was shown yet, and where in it that begins. */
  unshown: { part: number; offset: number } | null;
}

export class OpenMessages {
  readonly #log: EventLog;
  readonly #open = new Map<string, Open>();
  readonly #unshown = new Set<Open>();
  readonly #unsaved = new Set<string>();
  #turn: NodeJS.Immediate | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Adds a piece to its message. What comes in one turn of the program is published at its end, as one hint a part. */
  append(ids: Ids, { messageId, part, kind, text, toolCallId, name }: Piece): void {
    const open = this.#open.get(messageId) ?? this.#start(ids, messageId);
    const { parts } = open.message;
    // A part that streams nothing (redacted thinking) leaves an empty place before this one.
    while (parts.length < part) parts.push({ kind: 'thinking', text: '', toolCallId: null, name: null });
    const known = (parts[part] ??= { kind, text: '', toolCallId, name });
    if (open.unshown?.part !== part) {
      this.#publish(open);
      open.unshown = { part, offset: known.text.length };
      this.#unshown.add(open);
    }
    known.text += text;
    this.#turn ??= setImmediate(() => this.publish());
    this.#unsaved.add(messageId);
    if (this.#timer === null) this.#timer = setTimeout(() => this.#checkpoint(), CHECKPOINT_MS).unref();
  }

  /** Publishes all text that was not shown yet, as hints that say where it belongs. */
  publish(): void {
    if (this.#turn) clearImmediate(this.#turn);
    this.#turn = null;
    for (const open of this.#unshown) this.#publish(open);
    this.#unshown.clear();
  }

  /** A part of which nothing was streamed is known from its completion on. */
  complete(ids: Ids, messageId: string, part: number, value: Part): void {
    if (value.type !== 'tool_use' || this.get(messageId)?.parts[part]?.text) return;
    const call = { toolCallId: value.id, name: value.name };
    this.append(ids, { messageId, part, kind: 'tool', text: JSON.stringify(value.input), ...call });
  }

  get(messageId: string): OpenMessage | undefined {
    return this.#open.get(messageId)?.message;
  }

  /** Its end is about to be recorded, which also removes its checkpoint. */
  end(messageId: string): void {
    this.#open.delete(messageId);
    this.#unsaved.delete(messageId);
  }

  of(conversationId: string): OpenMessage[] {
    return [...this.#open.values()].flatMap(({ message }) =>
      message.conversationId === conversationId ? [copyOf(message)] : [],
    );
  }

  #start(ids: Ids, messageId: string): Open {
    const { conversationId, workflowId, runId } = ids;
    const at = new Date().toISOString();
    const message: OpenMessage = { messageId, conversationId, workflowId, runId, at, parts: [] };
    const open = { ids, message, unshown: null };
    this.#open.set(messageId, open);
    return open;
  }

  #publish(open: Open): void {
    const { ids, message, unshown } = open;
    const known = unshown && message.parts[unshown.part];
    open.unshown = null;
    if (!known) return;
    const { kind, toolCallId, name } = known;
    const at = new Date().toISOString();
    const hint = {
      at,
      ...ids,
      messageId: message.messageId,
      ...unshown,
      text: known.text.slice(unshown.offset),
    };
    if (kind === 'tool')
      this.#log.hint({ type: 'tool-delta', ...hint, toolCallId: toolCallId ?? '', name: name ?? '' });
    else this.#log.hint({ type: kind === 'text' ? 'message-delta' : 'thinking-delta', ...hint });
  }

  #checkpoint(): void {
    this.#timer = null;
    const writes = [...this.#unsaved].flatMap((messageId) => {
      const message = this.get(messageId);
      return message ? [{ kind: 'put', table: 'open_message', key: messageId, row: copyOf(message) } as const] : [];
    });
    this.#unsaved.clear();
    // A failed write is a failure of the log, which tells everyone.
    if (writes.length > 0) this.#log.save(writes).catch(() => undefined);
  }
}

/** As it is now. */
function copyOf(message: OpenMessage): OpenMessage {
  return { ...message, parts: message.parts.map((part) => ({ ...part })) };
}
