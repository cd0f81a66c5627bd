/**
 * Stores each envelope once for each workflow, as `envelope:[workflowId, hash of its text]`. Events and rows hold the
 * hash instead, which reading replaces with the envelope.
 */
import { hash } from 'node:crypto';
import { TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';
import { textOf } from './frame.ts';
import type { Row } from '../store.ts';

/** Anything that is stored as JSON. */
type Stored = object & {
  workflowId?: unknown;
  envelope?: unknown;
  /** Of an event, or of a row. */
  approval?: unknown;
  request?: unknown;
};

/** An envelope as JSON, stored once for each workflow. */
export interface EnvelopeText {
  id: readonly [workflowId: string, hash: string];
  json: string;
}

/** Envelopes that are not stored yet, by object: one text for each workflow. */
export type FreshEnvelopes = ReadonlyMap<object, readonly EnvelopeText[]>;

/** A string that identifies an envelope. */
export function getEnvelopeKey([workflowId, hash]: EnvelopeText['id']): string {
  return `${workflowId} ${hash}`;
}

/** Serializes events and rows, and collects the envelopes that are not stored yet. */
export class EnvelopeTexts {
  /** The id of each stored envelope, by object identity: envelopes are immutable. */
  readonly #stored = new WeakMap<object, EnvelopeText['id']>();
  /** A restored conversation has one object for equal envelopes of several workflows. */
  readonly #fresh = new Map<object, EnvelopeText[]>();

  /** The JSON of an event or a row, with hashes in place of envelopes. */
  jsonOf(stored: Stored): string {
    const { workflowId } = stored;
    if (typeof workflowId !== 'string') return JSON.stringify(stored);
    return JSON.stringify(exchangeEnvelopes(stored, (envelope) => this.#hashOf(workflowId, envelope)));
  }

  /** Returns the envelopes of the texts since the last call, by object. */
  takeFresh(): FreshEnvelopes {
    const fresh = new Map(this.#fresh);
    this.#fresh.clear();
    return fresh;
  }

  /** Call once these envelopes are on the disk: later texts do not collect them again. */
  markStored(fresh: FreshEnvelopes): void {
    for (const [envelope, texts] of fresh) for (const { id } of texts) this.#stored.set(envelope, id);
  }

  #hashOf(workflowId: string, envelope: unknown): unknown {
    if (typeof envelope !== 'object' || envelope === null) return envelope;
    const fresh = this.#fresh.get(envelope) ?? [];
    const known = [this.#stored.get(envelope), ...fresh.map(({ id }) => id)].find((id) => id?.[0] === workflowId);
    if (known) return known[1];
    const json = JSON.stringify(envelope);
    const key = hash('sha256', json, 'base64url');
    this.#fresh.set(envelope, [...fresh, { id: [workflowId, key], json }]);
    return key;
  }
}

/**
 * The same events or rows with hashes replaced by envelopes, read in at most one query. `known`: JSON of envelopes that
 * the database may lack, by `getEnvelopeKey`. Throws `internal` if an envelope is missing.
 */
export async function withEnvelopes<T extends Stored>(
  database: Database,
  found: readonly T[],
  known: ReadonlyMap<string, string> = new Map(),
): Promise<T[]> {
  const texts = await readEnvelopeTexts(database, found, known);
  const parsed = new Map<string, unknown>();
  return found.map((stored) => {
    const whole = (text: unknown): unknown => {
      if (typeof text !== 'string') return text;
      const key = getEnvelopeKey([String(stored.workflowId), text]);
      const json = texts.get(key);
      if (json === undefined) throw new TriadError('internal', 'The settings of a run are missing in the store');
      if (!parsed.has(key)) parsed.set(key, JSON.parse(json));
      return parsed.get(key);
    };
    return exchangeEnvelopes(stored, whole);
  });
}

/** The JSON of the envelopes that these events or rows name, by `getEnvelopeKey`, read in at most one query. */
export async function readEnvelopeTexts(
  database: Database,
  found: readonly Stored[],
  known: ReadonlyMap<string, string> = new Map(),
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, EnvelopeText['id']>();
  for (const stored of found) {
    exchangeEnvelopes(stored, (text) => {
      if (typeof text === 'string') {
        const id = [String(stored.workflowId), text] as const;
        if (!known.has(getEnvelopeKey(id))) wanted.set(getEnvelopeKey(id), id);
      }
      return text;
    });
  }
  if (wanted.size === 0) return known;
  const records = [...wanted.values()].map((id) => database.record('envelope', id));
  const [rows] = (await database.query('SELECT record::id(id) AS key, text FROM $records WHERE id != NONE', {
    records,
  })) as [{ key: [string, string]; text: unknown }[]];
  return new Map([...known, ...rows.map(({ key, text }) => [getEnvelopeKey(key), textOf(text)] as const)]);
}

/** Replaces what is in the three places of envelopes: of runs, and of the items that an approval asks for. */
export function exchangeEnvelopes<T extends Stored>(stored: T, exchange: (envelope: unknown) => unknown): T {
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
