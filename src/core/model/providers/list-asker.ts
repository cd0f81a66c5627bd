/** Requests the lists of models of the endpoints: before work starts, or now. */
import { askForModels, type ModelLists } from '../model-lists.ts';
import type { Place } from './place.ts';

/** How old a list may be when work starts, in milliseconds; on this machine models come and go. */
const LIST_AGE_MS = { local: 600_000, other: 86_400_000 };
/** How long a provider has to give it, in milliseconds. */
const LIST_PATIENCE_MS = 3000;

export class ListAsker {
  readonly #lists: ModelLists;
  readonly #keyOf: (place: Place) => Promise<string | null | undefined>;
  /** Ends what is asked in the background. */
  readonly #closing = new AbortController();
  /** The questions that are under way, by address, and those that were answered in this life. */
  readonly #asked = new Map<string, { at: number; answer: Promise<void> }>();

  /** `keyOf`: the key of a place, null where it needs none; undefined where it is missing. */
  constructor(lists: ModelLists, keyOf: (place: Place) => Promise<string | null | undefined>) {
    this.#lists = lists;
    this.#keyOf = keyOf;
  }

  /** Requests a list that is missing or old before work starts, and waits for it within the time limit. */
  async renew(place: Place): Promise<void> {
    const { address, isLocal } = place;
    const most = isLocal ? LIST_AGE_MS.local : LIST_AGE_MS.other;
    const known = this.#lists.of(address);
    const ages = [Date.parse(known?.at ?? ''), this.#asked.get(address)?.at ?? 0].map((at) => Date.now() - at);
    const isNew = ages.some((age) => age < most);
    if (!isNew) this.#asked.set(address, { at: Date.now(), answer: this.ask(place).catch(() => undefined) });
    await this.#asked.get(address)?.answer;
  }

  /** Asks nothing where a key is missing. Throws where the kept one cannot be read. */
  async ask(place: Place): Promise<void> {
    const key = await this.#keyOf(place);
    if (key === undefined) return;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LIST_PATIENCE_MS)]);
    const listed = await askForModels(place, key, signal);
    if (listed.isWhole) await this.#lists.keep(place.address, listed);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#asked.values()].map(({ answer }) => answer));
  }
}
