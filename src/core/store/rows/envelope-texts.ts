/**
 * Stores each envelope once for each workflow, as `envelope:[workflowId, hash of its text]`. Events and rows hold the
 * hash instead, which reading replaces with the envelope.
 */
import { hash } from 'node:crypto';
import { TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';
import { frameOf, textOf } from './frame.ts';
import type { Row } from '../store.ts';

/** Anything that is stored as JSON. */
type Stored = object & {
  workflowId?: unknown;
  envelope?: unknown;
  /** Of an event, or of a row. */
  approval?: unknown;
  request?: unknown;
};

type Fresh = {
  id: [workflowId: string, hash: string];
  /** The frame of its JSON. */
  text: Uint8Array;
};

/** Serializes events and rows, batch by batch, and collects the envelopes that are not stored yet. */
export class EnvelopeTexts {
  /** The record id of each stored envelope, by object identity: envelopes are immutable. */
  readonly #stored = new WeakMap<object, Fresh['id']>();
  readonly #fresh = new Map<object, Fresh>();

  /** New envelope rows since the last `settle`; they belong in the same transaction. */
  get fresh(): Fresh[] {
    return [...new Map([...this.#fresh.values()].map((text) => [text.id.join(' '), text])).values()];
  }

  /** The JSON of an event or a row, with hashes in place of envelopes. */
  jsonOf(stored: Stored): string {
    const { workflowId } = stored;
    if (typeof workflowId !== 'string') return JSON.stringify(stored);
    return JSON.stringify(exchanged(stored, (envelope) => this.#hashOf(workflowId, envelope)));
  }

  /** Ends the batch; `isStored`: its transaction succeeded. */
  settle(isStored: boolean): void {
    if (isStored) for (const [envelope, { id }] of this.#fresh) this.#stored.set(envelope, id);
    this.#fresh.clear();
  }

  #hashOf(workflowId: string, envelope: unknown): unknown {
    if (typeof envelope !== 'object' || envelope === null) return envelope;
    const known = this.#stored.get(envelope) ?? this.#fresh.get(envelope)?.id;
    if (known?.[0] === workflowId) return known[1];
    const json = JSON.stringify(envelope);
    const key = hash('sha256', json, 'base64url');
    this.#fresh.set(envelope, { id: [workflowId, key], text: frameOf(json) });
    return key;
  }
}

/** The same events or rows with hashes replaced by envelopes, read in at most one query. */
export async function withEnvelopes<T extends Stored>(database: Database, found: readonly T[]): Promise<T[]> {
  const wanted = new Map<string, [string, string]>();
  for (const stored of found) {
    exchanged(stored, (text) => {
      if (typeof text === 'string')
        wanted.set(`${String(stored.workflowId)} ${text}`, [String(stored.workflowId), text]);
      return text;
    });
  }
  if (wanted.size === 0) return [...found];
  const records = [...wanted.values()].map((key) => database.record('envelope', key));
  const [rows] = (await database.query('SELECT record::id(id) AS key, text ?? json AS text FROM $records', {
    records,
  })) as [{ key: [string, string]; text: unknown }[]];
  const texts = new Map(rows.map(({ key, text }) => [key.join(' '), text]));
  return found.map((stored) => {
    const whole = (text: unknown): unknown => {
      if (typeof text !== 'string') return text;
      const kept = texts.get(`${String(stored.workflowId)} ${text}`);
      if (kept === undefined) throw new TriadError('internal', 'The settings of a run are missing in the store');
      return JSON.parse(typeof kept === 'string' ? kept : textOf(kept)) as unknown;
    };
    return exchanged(stored, whole);
  });
}

/** The three places where envelopes are: of runs, and of the items that an approval asks for. */
function exchanged<T extends Stored>(stored: T, exchange: (envelope: unknown) => unknown): T {
  const { envelope, approval, request } = stored;
  if (envelope !== undefined) return { ...stored, envelope: exchange(envelope) };
  for (const [field, value] of Object.entries({ approval, request })) {
    const subject = (value as Row | undefined)?.subject as { items?: Row[] } | undefined;
    if (!subject?.items) continue;
    const items = subject.items.map((item) => ({ ...item, envelope: exchange(item.envelope) }));
    return { ...stored, [field]: { ...(value as Row), subject: { ...subject, items } } };
  }
  return stored;
}
