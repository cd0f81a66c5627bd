/** A list that is loaded page by page while the person scrolls. */
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

export interface PageOf<T> {
  items: T[];
  next: string | null;
}
/** Fetches the page before a cursor, or the first one for undefined. */
export type Fetch<T> = (before: string | undefined) => Promise<PageOf<T>>;

export class PagedList<T> {
  items = $state.raw<readonly T[]>([]);
  next = $state<string | null>(null);
  loading = $state(false);
  loaded = $state(false);
  failure = $state.raw<RequestError | null>(null);
  /** Whether the last change added rows at the start, so that a scrolled list keeps its position. */
  grewAtStart = $state(false);
  readonly #idOf: (item: T) => string;
  #fetch: Fetch<T>;
  /** Counts requests: replies to older ones are dropped. */
  #request = 0;

  constructor(idOf: (item: T) => string, fetch: Fetch<T>) {
    this.#idOf = idOf;
    this.#fetch = fetch;
  }

  /** Replaces the rows by the first page, of another source where `fetch` is given. An error goes to `failure`. */
  async load(fetch: Fetch<T> = this.#fetch): Promise<void> {
    this.#fetch = fetch;
    await this.#ask(undefined, (page) => {
      this.grewAtStart = false;
      this.items = page.items;
      this.next = page.next;
    });
  }

  async loadMore(): Promise<void> {
    if (this.next === null || this.loading) return;
    await this.#ask(this.next, (page) => {
      this.grewAtStart = false;
      this.items = appended(this.items, page.items, this.#idOf);
      this.next = page.next;
    });
  }

  /** Reads the first page again and keeps the rows that were loaded below it. Whether anything was different. */
  async refresh(): Promise<boolean> {
    let isChanged = false;
    await this.#ask(undefined, (page) => {
      const [first] = this.items;
      const [newest] = page.items;
      // Nothing is below a page that is the last one: what it does not have has left the list.
      const { items, below } =
        page.next === null ? { items: page.items, below: 0 } : refreshed(this.items, page.items, this.#idOf);
      isChanged = items.length !== this.items.length || items.some((item, at) => !isSame(item, this.items[at]));
      if (!isChanged) return;
      this.grewAtStart = first !== undefined && newest !== undefined && this.#idOf(first) !== this.#idOf(newest);
      this.items = items;
      if (below === 0) this.next = page.next;
    });
    return isChanged;
  }

  /** A row that is loaded, as it is now. */
  replace(row: T): void {
    this.grewAtStart = false;
    const id = this.#idOf(row);
    this.items = this.items.map((item) => (this.#idOf(item) === id ? row : item));
  }

  drop(gone: (item: T) => boolean): void {
    this.grewAtStart = false;
    this.items = this.items.filter((item) => !gone(item));
  }

  async #ask(before: string | undefined, take: (page: PageOf<T>) => void): Promise<void> {
    const request = ++this.#request;
    this.loading = true;
    try {
      const page = await this.#fetch(before);
      if (request !== this.#request) return;
      take(page);
      this.loaded = true;
      this.failure = null;
    } catch (error) {
      if (request === this.#request) this.failure = asRequestError(error);
    } finally {
      if (request === this.#request) this.loading = false;
    }
  }
}

/** Rows that were not read again are the same ones, however many they are. */
function isSame(item: unknown, before: unknown): boolean {
  return item === before || JSON.stringify(item) === JSON.stringify(before);
}

/** Adds a page at the end; rows that are loaded already are not added again. */
function appended<T>(items: readonly T[], page: readonly T[], idOf: (item: T) => string): T[] {
  const known = new Set(items.map(idOf));
  return [...items, ...page.filter((item) => !known.has(idOf(item)))];
}

/**
 * Puts the first page, read again, before the rows below it. `below`: how many of those are kept; 0 where all of the
 * page is new.
 */
function refreshed<T>(
  items: readonly T[],
  page: readonly T[],
  idOf: (item: T) => string,
): { items: T[]; below: number } {
  const ids = new Set(page.map(idOf));
  const oldest = page.at(-1);
  const end = oldest === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(oldest));
  // Rows that moved up stand in the page already.
  const below = end < 0 ? [] : items.slice(end + 1).filter((item) => !ids.has(idOf(item)));
  return { items: [...page, ...below], below: below.length };
}
