/** What the rail shows: the conversations by folder, what is looked for among all of them, and which are chosen. */
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { ConversationRow } from '#contract/view.ts';
import type { Connection } from './client/connection.ts';
import { foldersOf, merged, railEntries, type RailEntry } from '#lib/view/shell/rail.ts';
import { PagedList, type PageOf } from './paged-list.svelte.ts';

const NO_FOLDER = { has: () => false };
const FOLDED = 'triad-folded-folders';
const OPEN_FOLDER = 'triad-open-folder';
/** Rows of a folder before the person asks for more, where there are several folders. */
const MOST = 8;
const PAGE = 50;
/** Rows after which a page of what is looked for is not filled further: each request looks at a part of all. */
const FILLED = 30;
const PINNED = 200;

type Page = PageOf<ConversationRow>;
const newList = (fetch: (before: string | undefined) => Promise<Page>) =>
  new PagedList<ConversationRow>(({ id }) => id, fetch);

export class Rail {
  /** What is looked for; empty for nothing. */
  text = $state('');
  /** The conversation whose title is written in the rail. */
  renaming = $state<string | null>(null);
  /** The conversation on the screen; null for none. */
  active = $state<string | null>(null);
  /** The folder of the conversation on the screen, or of the last one that was; null before the first. */
  openFolder = $state<string | null>(null);
  readonly folded = new SvelteSet<string>();
  readonly chosen = new SvelteSet<string>();
  readonly found: PagedList<ConversationRow>;
  readonly #newest: PagedList<ConversationRow>;
  readonly #ofFolder = new SvelteMap<string, PagedList<ConversationRow>>();
  readonly #connection: Connection;
  #pinned = $state.raw<readonly ConversationRow[]>([]);
  /** Opened by its address, and in no list that is loaded. */
  #visited = $state.raw<readonly ConversationRow[]>([]);
  /** Where a range of chosen ones begins. */
  #anchor: string | null = null;

  constructor(connection: Connection, newest: PagedList<ConversationRow>) {
    this.#connection = connection;
    this.#newest = newest;
    this.found = newList((before) => this.#find(this.text, before));
  }

  readonly rows = $derived.by(() => {
    if (this.text !== '') return this.found.items;
    const ofFolders = [...this.#ofFolder.values()].map(({ items }) => items);
    return merged(this.#visited, this.#pinned, ...ofFolders, this.#newest.items);
  });

  /** Other folders are worth seeing without going through all of the first. */
  readonly #isCut = $derived.by(() => foldersOf(this.#newest.items.slice(0, PAGE)).length > 1);

  entries(now: number): RailEntry[] {
    const isFilter = this.text !== '';
    return railEntries(this.rows, {
      now,
      folded: isFilter ? NO_FOLDER : this.folded,
      most: isFilter || !this.#isCut ? null : MOST,
      whole: this.#ofFolder,
      unfinished: isFilter ? NO_FOLDER : { has: (folder) => (this.#ofFolder.get(folder)?.next ?? null) !== null },
      active: isFilter ? null : this.active,
    });
  }

  rowOf(id: string): ConversationRow | undefined {
    return this.rows.find((row) => row.id === id) ?? this.#visited.find((row) => row.id === id);
  }

  /** The folders of the newest conversations. */
  readonly folders = $derived.by(() => foldersOf(this.#newest.items));

  /** Reads what the rail shows beside the newest ones. */
  async refresh(): Promise<void> {
    void this.enter(this.active);
    const pinned = await this.#connection
      .request('conversation.list', { pinned: true, limit: PINNED })
      .catch(() => null);
    if (pinned) this.#pinned = pinned.items;
  }

  /** Looks for all conversations whose title or folder has these words; empty: shows the usual list. */
  look(text: string): void {
    this.text = text.trim() === '' ? '' : text;
    this.choose([]);
    this.found.items = [];
    if (this.text !== '') void this.found.load();
  }

  /** More at the end of the list: it goes on by itself where nothing of it is cut. */
  loadMore(): void {
    if (this.text !== '') void this.found.loadMore();
    else if (!this.#isCut) void this.#newest.loadMore();
  }

  get total(): number | null {
    return (this.text === '' ? this.#newest : this.found).next === null ? this.rows.length : null;
  }

  /** Whether there are older ones that the person has to ask for. */
  get hasOlder(): boolean {
    return this.text === '' && this.#isCut && this.#newest.next !== null;
  }

  loadOlder(): void {
    void this.#newest.loadMore();
  }

  /** More of a folder than its newest ones. */
  async more(folder: string): Promise<void> {
    const known = this.#ofFolder.get(folder);
    if (known) return known.loadMore();
    const list = newList((before) => this.#page({ folder, ...(before !== undefined && { before }) }));
    await list.load();
    this.#ofFolder.set(folder, list);
  }

  /** The conversation on the screen, which is asked for where no list has it. */
  async enter(id: string | null): Promise<void> {
    this.active = id;
    const known = id === null ? undefined : this.rowOf(id);
    if (known) this.#keepFolder(known);
    // Once the lists are there: mostly they have it.
    if (id === null || !this.#newest.loaded || known) return;
    const row = await this.#connection.request('conversation.get', { conversationId: id }).catch(() => null);
    if (!row || row.deletedAt != null || this.active !== id) return;
    this.#visited = [row];
    this.#keepFolder(row);
  }

  #keepFolder({ folder }: ConversationRow): void {
    this.openFolder = folder;
    localStorage.setItem(OPEN_FOLDER, folder);
  }

  /** Folds what was folded when this browser showed it last, and knows the folder that was open. */
  recall(): void {
    this.openFolder ??= localStorage.getItem(OPEN_FOLDER);
    for (const folder of foldedFolders(localStorage.getItem(FOLDED))) this.folded.add(folder);
  }

  toggleFolder(folder: string): void {
    if (!this.folded.delete(folder)) this.folded.add(folder);
    localStorage.setItem(FOLDED, JSON.stringify([...this.folded]));
  }

  /** Takes in a row as it is now. */
  changed(row: ConversationRow): void {
    for (const list of this.#lists()) list.replace(row);
    this.#visited = this.#visited.map((one) => (one.id === row.id ? row : one));
    const others = this.#pinned.filter(({ id }) => id !== row.id);
    this.#pinned = row.pinned ? [row, ...others] : others;
    // One that was known as a pinned one alone stays in sight.
    if (!this.rowOf(row.id)) this.#visited = [...this.#visited, row];
  }

  removed(id: string): void {
    for (const list of this.#lists()) list.drop((row) => row.id === id);
    this.#visited = this.#visited.filter((row) => row.id !== id);
    this.#pinned = this.#pinned.filter((row) => row.id !== id);
    this.chosen.delete(id);
  }

  choose(ids: readonly string[]): void {
    this.chosen.clear();
    for (const id of ids) this.chosen.add(id);
    this.#anchor = ids[0] ?? null;
  }

  toggle(id: string): void {
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.#anchor = id;
  }

  /** All from where the choice began to this one, in the order in which they show. */
  chooseTo(id: string, shown: readonly string[]): void {
    const from = shown.indexOf(this.#anchor ?? this.active ?? id);
    const to = shown.indexOf(id);
    const anchor = shown[Math.max(0, from)] ?? id;
    this.choose(shown.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1));
    this.#anchor = anchor;
  }

  #lists(): PagedList<ConversationRow>[] {
    return [this.#newest, this.found, ...this.#ofFolder.values()];
  }

  /** Fills a page: a request may find little in the part that it looks at. */
  async #find(text: string, before: string | undefined): Promise<Page> {
    const items: ConversationRow[] = [];
    for (let from = before; ;) {
      const page = await this.#page({ text, ...(from !== undefined && { before: from }) });
      items.push(...page.items);
      if (page.next === null || items.length >= FILLED || text !== this.text) return { items, next: page.next };
      from = page.next;
    }
  }

  #page(query: { text?: string; folder?: string; before?: string }): Promise<Page> {
    return this.#connection.request('conversation.list', { ...query, limit: PAGE });
  }
}

function foldedFolders(stored: string | null): string[] {
  try {
    const known: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
