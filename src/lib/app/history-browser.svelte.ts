/**
 * State of the history page: its workflows, sub-agents or search hits, and the scroll position, kept while other pages are open.
 */
import type { ListedExecution } from '#contract/execution.ts';
import type { Output } from '#contract/rpc.ts';
import type { ListedWorkflow, SearchHit, TitleHit } from '#contract/view.ts';
import type { Connection } from './client/connection.ts';
import {
  executionInput,
  NO_FILTERS,
  listInput,
  queryStringOf,
  searchInput,
  type HistoryList,
  type HistoryQuery,
  type Search,
} from '#lib/view/history-query.ts';
import { HistoryDays } from './history-days.svelte.ts';
import { PagedList } from './paged-list.svelte.ts';
import { SavedFilters } from './saved-filters.svelte.ts';

const PAGE = 100;
/** Between two reads of a list with work under way; longer than rows are kept back before they are stored. */
const FOLLOW_MS = 2000;

export type Facets = Output<'workflow.facets'>;
const NO_FACETS: Facets = { agents: [], models: [], tools: [], folders: [] };

interface Names {
  titles: readonly TitleHit[];
  agents: readonly string[];
}
const NO_NAMES: Names = { titles: [], agents: [] };

export class HistoryBrowser {
  readonly workflows: PagedList<ListedWorkflow>;
  /** What the search found by its name. */
  names = $state.raw<Names>(NO_NAMES);
  #sought = '';
  readonly executions: PagedList<ListedExecution>;
  readonly hits: PagedList<SearchHit>;
  readonly days: HistoryDays;
  readonly saved: SavedFilters;
  facets = $state.raw<Readonly<Record<HistoryList, Facets>>>({ workflows: NO_FACETS, agents: NO_FACETS });
  /** The query string of what is loaded; null where it must be loaded again. */
  search = $state<Search | null>(null);
  /** Counts how often a list that was read again was another one. */
  changes = $state(0);
  /** `offset` of the list in pixels, and the index of the row that had the focus. */
  scrollPosition = { offset: 0, active: 0 };
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.days = new HistoryDays(connection);
    this.saved = new SavedFilters(connection);
    this.workflows = new PagedList(
      ({ id }) => id,
      (before) => this.#list(NO_FILTERS, before),
    );
    this.executions = new PagedList(
      ({ id }) => id,
      (before) => this.#listExecutions(NO_FILTERS, before),
    );
    this.hits = new PagedList(
      ({ runId, n, kind }) => `${runId} ${n} ${kind}`,
      (before) => this.#find(NO_FILTERS, before),
    );
  }

  /** Loads the first page of a query. */
  open(query: HistoryQuery): void {
    this.search = queryStringOf(query);
    this.scrollPosition = { offset: 0, active: 0 };
    if (query.text === '' && query.list === 'agents')
      void this.executions.load((before) => this.#listExecutions(query, before));
    else if (query.text === '') void this.workflows.load((before) => this.#list(query, before));
    else this.#search(query);
  }

  #search(query: HistoryQuery): void {
    this.#sought = queryStringOf(query);
    this.names = NO_NAMES;
    void this.hits.load((before) => this.#find(query, before));
  }

  /**
   * Keeps the list that is shown up to date: reads it again at once, once more when the rows of what just happened are
   * stored, and from then on while something works or is listed as unfinished. Returns how that ends.
   */
  follow(query: HistoryQuery, isWorking: () => boolean): () => void {
    this.refreshIfShown(query);
    const timer = setInterval(() => {
      this.refreshIfShown(query);
      if (!isWorking() && !this.#listsUnfinished(query)) clearInterval(timer);
    }, FOLLOW_MS);
    return () => clearInterval(timer);
  }

  /** Among those that a refresh reads again. */
  #listsUnfinished({ list }: HistoryQuery): boolean {
    return list === 'agents'
      ? this.executions.items.slice(0, PAGE).some(({ outcome }) => outcome === undefined)
      : this.workflows.items.slice(0, PAGE).some(({ outcome }) => outcome === null);
  }

  /** Refreshes the list where the query is the one that is loaded; its scroll position stays. */
  refreshIfShown(query: HistoryQuery): void {
    const fits = query.text === '' && this.search === queryStringOf(query);
    const shown = query.list === 'agents' ? this.executions : this.workflows;
    if (!fits || !shown.loaded || shown.loading) return;
    this.days.invalidate();
    void shown.refresh().then((isChanged) => (this.changes += isChanged ? 1 : 0));
  }

  /** Removes all rows of a conversation that went to the trash. */
  removeConversation(id: string): void {
    this.days.invalidate();
    this.workflows.drop(({ conversationId }) => conversationId === id);
    this.hits.drop(({ conversationId }) => conversationId === id);
    this.names = { ...this.names, titles: this.names.titles.filter(({ conversationId }) => conversationId !== id) };
    // Executions do not say which conversation they belong to.
    if (this.executions.loaded) this.invalidate();
  }

  /** Marks what is loaded as out of date: the next `open` loads it again. */
  invalidate(): void {
    this.search = null;
    this.days.invalidate();
  }

  async loadFacets(list: HistoryList): Promise<void> {
    try {
      const found =
        list === 'agents'
          ? { ...NO_FACETS, ...(await this.#connection.request('execution.facets', {})) }
          : await this.#connection.request('workflow.facets', {});
      this.facets = { ...this.facets, [list]: found };
    } catch {
      // Without facets the filters offer their set values; the list itself shows the error.
    }
  }

  #list(query: HistoryQuery, before: string | undefined): Promise<Output<'workflow.list'>> {
    const place = before === undefined ? {} : { before };
    return this.#connection.request('workflow.list', { ...listInput(query), ...place, limit: PAGE });
  }

  #listExecutions(query: HistoryQuery, before: string | undefined): Promise<Output<'execution.list'>> {
    const place = before === undefined ? {} : { before };
    return this.#connection.request('execution.list', { ...executionInput(query), ...place, limit: PAGE });
  }

  async #find(query: HistoryQuery, before: string | undefined): Promise<Output<'history.search'>> {
    const place = before === undefined ? {} : { before };
    const page = await this.#connection.request('history.search', { ...searchInput(query), ...place, limit: PAGE });
    // Filters may leave nothing of a page that others follow.
    if (page.items.length === 0 && page.next !== null && this.search === queryStringOf(query))
      return this.#find(query, page.next);
    if (before === undefined && this.#sought === queryStringOf(query))
      this.names = { titles: page.titles ?? [], agents: page.agents ?? [] };
    return page;
  }
}
