/** Buffers committed events as JSON until they are archived, so that most are not read from the store. */
import { hash } from 'node:crypto';
import type { DurableEvent } from '#contract/event.ts';
import { exchangeEnvelopes } from '../rows/envelope-texts.ts';
import type { StoredEvent, StoredEvents } from './archive-lines.ts';

/** Maximum size, in characters. Above it, the conversation that is buffered longest is dropped and read from the store. */
const MAX_CHARS = 8 * 1024 * 1024;

interface Buffered {
  events: StoredEvent[];
  envelopes: Map<string, string>;
  chars: number;
}

export class EventBuffer {
  readonly #conversations = new Map<string, Buffered>();
  /** The JSON of an envelope by object identity: envelopes are immutable. */
  readonly #envelopes = new WeakMap<object, { key: string; json: string }>();
  #chars = 0;

  add(event: DurableEvent): void {
    const { conversationId, seq } = event;
    const buffered: Buffered = this.#conversations.get(conversationId) ?? {
      events: [],
      envelopes: new Map(),
      chars: 0,
    };
    const last = buffered.events.at(-1);
    // Events before a gap cannot be appended.
    if (last && last.seq !== seq - 1) return this.drop(conversationId);
    const envelopes: string[] = [];
    const hashedEvent = exchangeEnvelopes(event, (envelope) => {
      if (typeof envelope !== 'object' || envelope === null) return envelope;
      const { key, json } = this.#jsonOf(envelope);
      if (!buffered.envelopes.has(key)) this.#count(buffered, json);
      buffered.envelopes.set(key, json);
      envelopes.push(key);
      return key;
    });
    const text = JSON.stringify(hashedEvent);
    buffered.events.push({ seq, text, envelopes });
    this.#count(buffered, text);
    this.#conversations.set(conversationId, buffered);
    const [oldest] = this.#conversations.keys();
    if (this.#chars > MAX_CHARS && oldest !== undefined) this.drop(oldest);
  }

  /** Removes and returns the events after this number; null if some are not buffered. */
  take(conversationId: string, after: number): StoredEvents | null {
    const buffered = this.#conversations.get(conversationId);
    if (!buffered) return null;
    this.drop(conversationId);
    const [first] = buffered.events;
    if (!first || first.seq > after + 1) return null;
    return { events: buffered.events.filter(({ seq }) => seq > after), envelopes: buffered.envelopes };
  }

  drop(conversationId: string): void {
    this.#chars -= this.#conversations.get(conversationId)?.chars ?? 0;
    this.#conversations.delete(conversationId);
  }

  #jsonOf(envelope: object): { key: string; json: string } {
    const cachedText = this.#envelopes.get(envelope);
    if (cachedText) return cachedText;
    const json = JSON.stringify(envelope);
    const envelopeText = { key: hash('sha256', json, 'base64url'), json };
    this.#envelopes.set(envelope, envelopeText);
    return envelopeText;
  }

  #count(buffered: Buffered, text: string): void {
    buffered.chars += text.length;
    this.#chars += text.length;
  }
}
