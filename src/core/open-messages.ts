/** Messages in flight: what was streamed of them so far, kept for clients that attach and, twice a second, for a crash. */
import type { HintEvent } from '#contract/event.ts';
import { CHECKPOINT_MS } from '#contract/limits.ts';
import type { Part } from '#contract/message.ts';
import type { OpenMessage } from '#contract/view.ts';
import type { EventLog } from './event-log.ts';

type Ids = Pick<HintEvent, 'at' | 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;

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

export class OpenMessages {
  readonly #log: EventLog;
  readonly #open = new Map<string, OpenMessage>();
  readonly #dirty = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Adds a piece to its message and publishes it as a hint that says where it belongs. */
  append(ids: Ids, piece: Piece): void {
    const { messageId, part, kind, text, toolCallId, name } = piece;
    const message = this.#open.get(messageId) ?? this.#start(ids, messageId);
    // A part that streams nothing (redacted thinking) leaves an empty place before this one.
    while (message.parts.length < part)
      message.parts.push({ kind: 'thinking', text: '', toolCallId: null, name: null });
    const known = (message.parts[part] ??= { kind, text: '', toolCallId, name });
    const place = { messageId, part, offset: known.text.length, text };
    known.text += text;
    this.#dirty.add(messageId);
    if (this.#timer === null) this.#timer = setTimeout(() => this.#checkpoint(), CHECKPOINT_MS).unref();
    if (kind === 'tool')
      this.#log.hint({
        type: 'tool-delta',
        ...ids,
        ...place,
        toolCallId: toolCallId ?? '',
        name: name ?? '',
      });
    else this.#log.hint({ type: kind === 'text' ? 'message-delta' : 'thinking-delta', ...ids, ...place });
  }

  get(messageId: string): OpenMessage | undefined {
    return this.#open.get(messageId);
  }

  /** Its end is about to be recorded, which also removes its checkpoint. */
  end(messageId: string): void {
    this.#open.delete(messageId);
    this.#dirty.delete(messageId);
  }

  of(conversationId: string): OpenMessage[] {
    return [...this.#open.values()]
      .filter((message) => message.conversationId === conversationId)
      .map((message) => structuredClone(message));
  }

  #start({ at, conversationId, workflowId, runId }: Ids, messageId: string): OpenMessage {
    const message: OpenMessage = { messageId, conversationId, workflowId, runId, at, parts: [] };
    this.#open.set(messageId, message);
    return message;
  }

  #checkpoint(): void {
    this.#timer = null;
    const writes = [...this.#dirty].flatMap((messageId) => {
      const message = this.#open.get(messageId);
      return message
        ? [{ kind: 'put', table: 'open_message', key: messageId, row: structuredClone(message) } as const]
        : [];
    });
    this.#dirty.clear();
    // A failed write is a failure of the log, which tells everyone.
    if (writes.length > 0) this.#log.save(writes).catch(() => undefined);
  }
}
