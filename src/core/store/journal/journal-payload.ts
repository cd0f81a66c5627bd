/** The payload of a journal record: the content of one commit as JSON text. Events and rows hold the hash of an envelope. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange } from '#contract/rows.ts';
import type { ChangeSet } from '../commits/pending-changes.ts';
import { type EnvelopeText, getEnvelopeKey } from '../rows/envelope-texts.ts';

export interface JournalPayload {
  events: DurableEvent[];
  envelopes: EnvelopeText[];
  /** Rows that no event produces, as they are after the commit. */
  rows: RowChange[];
}

export function encodePayload({ events, envelopes }: Omit<ChangeSet, 'changes'>, rows: readonly RowChange[]): Buffer {
  const texts = events.map(({ json }) => json).join(',');
  const others = JSON.stringify({ envelopes: [...envelopes.values()].flat(), rows });
  return Buffer.from(`{"events":[${texts}],${others.slice(1)}`);
}

/** Returns the JSON of the envelopes in the payloads, by `getEnvelopeKey`. */
export function collectEnvelopes(payloads: readonly JournalPayload[]): Map<string, string> {
  const texts = payloads.flatMap(({ envelopes }) => envelopes);
  return new Map(texts.map(({ id, json }) => [getEnvelopeKey(id), json]));
}

export function decodePayload(payload: Buffer): JournalPayload {
  return JSON.parse(payload.toString()) as JournalPayload;
}
