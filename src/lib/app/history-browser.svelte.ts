/**
 * State of the history page: its workflows or search hits, and the scroll position, kept while other pages are open.
 */
import type { Output } from '#contract/rpc.ts';
import type { SearchHit, WorkflowRow } from '#contract/view.ts';
import type { Connection } from '#lib/client/connection.ts';
import { NO_FILTERS, listInput, queryStringOf, type HistoryQuery, type Search } from '#lib/view/history-query.ts';
import { PagedList } from './paged-list.svelte.ts';

const PAGE = 100;

export type Facets = Output<'workflow.facets'>;
const NO_FACETS: Facets = { agents: [], models: [], tools: [], folders: [] };

export class HistoryBrowser {
  readonly workflows: PagedList<WorkflowRow>;
  readonly hits: PagedList<SearchHit>;
  facets = $state.raw<Facets>(NO_FACETS);
  /** The query string of what is loaded; null where it must be loaded again. */
  search = $state<Search | null>(null);
  /** `offset` of the list in pixels, and the index of the row that had the focus. */
  scrollPosition = { offset: 0, active: 0 };
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.workflows = new PagedList(
      ({ id }) => id,
      (before) => this.#list(NO_FILTERS, before),
    );
    this.hits = new PagedList(
      ({ runId, n, kind }) => `${runId} ${n} ${kind}`,
      (before) => this.#find('', before),
    );
  }

  /** Loads the first page of a query. */
  open(query: HistoryQuery): void {
    this.search = queryStringOf(query);
    this.scrollPosition = { offset: 0, active: 0 };
    if (query.text === '') void this.workflows.load((before) => this.#list(query, before));
    else void this.hits.load((before) => this.#find(query.text, before));
  }

  /** Refreshes the list on return to the query that is loaded; its scroll position stays. */
  refreshIfShown(query: HistoryQuery): void {
    // New rows come first only in the order of time.
    const fits = query.text === '' && query.sort === 'newest' && this.search === queryStringOf(query);
    if (fits && this.workflows.loaded && !this.workflows.loading) void this.workflows.refresh();
  }

  /** Removes all rows of a conversation that went to the trash. */
  removeConversation(id: string): void {
    this.workflows.drop(({ conversationId }) => conversationId === id);
    this.hits.drop(({ conversationId }) => conversationId === id);
  }

  /** Marks what is loaded as out of date: the next `open` loads it again. */
  invalidate(): void {
    this.search = null;
  }

  async loadFacets(): Promise<void> {
    try {
      this.facets = await this.#connection.request('workflow.facets', {});
    } catch {
      // Without facets the filters offer their set values; the list itself shows the error.
    }
  }

  #list(query: HistoryQuery, before: string | undefined): Promise<Output<'workflow.list'>> {
    const place = before === undefined ? {} : { before };
    return this.#connection.request('workflow.list', { ...listInput(query), ...place, limit: PAGE });
  }

  #find(text: string, before: string | undefined): Promise<Output<'history.search'>> {
    const place = before === undefined ? {} : { before };
    return this.#connection.request('history.search', { text, ...place, limit: PAGE });
  }
}
