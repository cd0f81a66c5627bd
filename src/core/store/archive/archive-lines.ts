/**
 * The JSON lines of the archive. A member is complete in itself: the envelopes that its events name come before them, as
 * lines of their own.
 */
import type { DurableEvent } from '#contract/event.ts';
import type { RowKey } from '#contract/rows.ts';
import type { StoredTable } from '../rows/row-codec.ts';
import { exchangeEnvelopes } from '../rows/envelope-texts.ts';
import type { Row } from '../store.ts';
import type { EventRange } from './gzip-member.ts';

/** A stored event. */
export interface StoredEvent {
  seq: number;
  /** JSON of the event, with hashes in place of envelopes. */
  text: string;
  /** Hashes of its envelopes. */
  envelopes: readonly string[];
}

/** Events in order, and the JSON of their envelopes by hash. */
export interface StoredEvents {
  events: readonly StoredEvent[];
  envelopes: ReadonlyMap<string, string>;
}

/** A row at the time of its append; null if it was deleted. */
export interface ArchivedRow {
  table: StoredTable;
  key: RowKey;
  row: Row | null;
}

/** One line. `text`: JSON of the event, with hashes in place of envelopes. */
export type ArchiveLine =
  | { event: DurableEvent; text: string; row?: never }
  | { row: ArchivedRow; event?: never }
  /** An event whose envelope is not in the member. */
  | { event: null; row?: never };

/** Adds lines for events, each envelope once. */
export class MemberLines {
  readonly #hashes = new Set<string>();
  text = '';
  range: EventRange = { from: 0, to: 0 };
  /** JSON of the last event; null for none. */
  lastEvent: string | null = null;

  addEvent({ seq, text, envelopes: hashes }: StoredEvent, envelopes: StoredEvents['envelopes']): void {
    for (const hash of hashes) if (!this.#hashes.has(hash)) this.#addEnvelope(hash, envelopes.get(hash));
    this.range = { from: this.range.from || seq, to: seq };
    this.lastEvent = text;
    this.text += `{"event":${text}}\n`;
  }

  addRow(row: ArchivedRow): void {
    this.text += rowLine(row);
  }

  #addEnvelope(hash: string, json: string | undefined): void {
    if (json === undefined) return;
    this.#hashes.add(hash);
    this.text += `{"envelope":{"hash":${JSON.stringify(hash)},"value":${json}}}\n`;
  }
}

export function rowLine(row: ArchivedRow): string {
  return `${JSON.stringify({ row })}\n`;
}

/** Parses the text of a member, with envelopes in place of hashes. */
export function* parseLines(text: string): Generator<ArchiveLine> {
  const envelopes = new Map<string, unknown>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const parsed = JSON.parse(line) as {
      envelope?: { hash: string; value: unknown };
      event?: DurableEvent;
      row?: ArchivedRow;
    };
    if (parsed.envelope) envelopes.set(parsed.envelope.hash, parsed.envelope.value);
    else if (parsed.row) yield { row: parsed.row };
    else if (parsed.event) {
      let isComplete = true;
      const event = exchangeEnvelopes(parsed.event, (hash) => {
        if (typeof hash !== 'string') return hash;
        isComplete &&= envelopes.has(hash);
        return envelopes.get(hash);
      });
      yield isComplete ? { event, text: JSON.stringify(parsed.event) } : { event: null };
    }
  }
}
