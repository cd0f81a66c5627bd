/**
 * Envelopes are stored once for each workflow, `envelope:[workflowId, hash of its text]`. The events and rows that carry
 * one hold the hash in its place, and whoever reads them gets them whole.
 */
import { hash } from 'node:crypto';
import { TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';
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
  json: string;
};

/** Turns events and rows to JSON, batch by batch, and collects the envelopes that are not stored yet. */
export class EnvelopeTexts {
  /** By identity, because an envelope never changes: the workflow in which it is stored, and its hash. */
  readonly #stored = new WeakMap<object, Fresh['id']>();
  readonly #fresh = new Map<object, Fresh>();

  /** The rows that must be stored with what was turned to JSON since the last `settle`. */
  get fresh(): Fresh[] {
    return [...new Map([...this.#fresh.values()].map((text) => [text.id.join(' '), text])).values()];
  }

  /** The JSON of an event or a row, with hashes for its envelopes. */
  jsonOf(stored: Stored): string {
    const { workflowId } = stored;
    if (typeof workflowId !== 'string') return JSON.stringify(stored);
    return JSON.stringify(exchanged(stored, (envelope) => this.#hashOf(workflowId, envelope)));
  }

  /** The batch has ended. */
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
    this.#fresh.set(envelope, { id: [workflowId, key], json });
    return key;
  }
}

/** The same events or rows with their envelopes, read in one call where there are any. */
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
  const [rows] = (await database.query('SELECT record::id(id) AS key, json FROM $records', { records })) as [
    { key: [string, string]; json: string }[],
  ];
  const texts = new Map(rows.map(({ key, json }) => [key.join(' '), json]));
  return found.map((stored) => {
    const whole = (text: unknown): unknown => {
      if (typeof text !== 'string') return text;
      const json = texts.get(`${String(stored.workflowId)} ${text}`);
      if (json === undefined) throw new TriadError('internal', 'The settings of a run are missing in the store');
      return JSON.parse(json);
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
