/** Messages that are being streamed: their text so far, for clients that attach; checkpointed twice a second. */
import type { HintEvent } from '#contract/event.ts';
import { CHECKPOINT_MS } from '#contract/limits.ts';
import type { Part } from '#contract/message.ts';
import type { OpenMessage } from '#contract/view.ts';
import { ModelWaits } from './model-waits.ts';
import type { EventLog } from './event-log.ts';

type Ids = Pick<HintEvent, 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;

/** A delta of one part of a message, as the model sent it. */
export interface Piece {
  messageId: string;
  part: number;
  kind: 'text' | 'thinking' | 'tool';
  text: string;
  toolCallId: string | null;
  name: string | null;
}

/** The parts of an interrupted message: the complete ones where they exist, else the text streamed so far. */
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

/** The names of the calls among these parts. */
export function callsBegun(streamed: OpenMessage['parts']): string[] {
  return streamed.flatMap(({ kind, name }) => (kind === 'tool' && name ? [name] : []));
}

interface Open {
  readonly ids: Ids;
  readonly message: OpenMessage;
  /** The part with unpublished text, and the offset in it, in code units, where that text begins. */
  unshown: { part: number; offset: number } | null;
}

export class OpenMessages {
  readonly waits = new ModelWaits();
  readonly #log: EventLog;
  readonly #open = new Map<string, Open>();
  readonly #unshown = new Set<Open>();
  readonly #unsaved = new Set<string>();
  #turn: NodeJS.Immediate | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Appends a delta to its message. Deltas of one event loop turn are published together, one hint for each part. */
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

  /** Publishes all unpublished text now, as hints with offsets. */
  publish(): void {
    if (this.#turn) clearImmediate(this.#turn);
    this.#turn = null;
    for (const open of this.#unshown) this.#publish(open);
    this.#unshown.clear();
  }

  /** Adds a completed tool call that was not streamed. */
  complete(ids: Ids, messageId: string, part: number, value: Part): void {
    if (value.type !== 'tool_use' || this.get(messageId)?.parts[part]?.text) return;
    const call = { toolCallId: value.id, name: value.name };
    this.append(ids, { messageId, part, kind: 'tool', text: JSON.stringify(value.input), ...call });
  }

  get(messageId: string): OpenMessage | undefined {
    return this.#open.get(messageId)?.message;
  }

  /** Forgets the message: its end is about to be recorded, which also deletes its checkpoint. */
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
    const rows = [...this.#unsaved].flatMap((messageId) => {
      const message = this.get(messageId);
      return message ? [{ table: 'open_message', key: messageId, row: copyOf(message) } as const] : [];
    });
    this.#unsaved.clear();
    // The log reports a failed write itself.
    if (rows.length > 0) this.#log.save(rows).catch(() => undefined);
  }
}

/** A snapshot: the message goes on changing. */
function copyOf(message: OpenMessage): OpenMessage {
  return { ...message, parts: message.parts.map((part) => ({ ...part })) };
}
