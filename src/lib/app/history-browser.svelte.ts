/** The history as it is looked at: its list or its hits, and where the reader was, so that the way back leads there. */
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
  /** The address of what is loaded, as the query in it; null where that must be read anew. */
  search = $state<Search | null>(null);
  /** Where the list was scrolled to, in pixels, and the row that had the focus. */
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

  /** Shows a query from its start. */
  open(query: HistoryQuery): void {
    this.search = queryStringOf(query);
    this.scrollPosition = { offset: 0, active: 0 };
    if (query.text === '') void this.workflows.load((before) => this.#list(query, before));
    else void this.hits.load((before) => this.#find(query.text, before));
  }

  /** The reader is back at what is loaded: it keeps its place and is brought up to date. */
  refreshIfShown(query: HistoryQuery): void {
    // Only in the order of time do new rows come first.
    const fits = query.text === '' && query.sort === 'newest' && this.search === queryStringOf(query);
    if (fits && this.workflows.loaded && !this.workflows.loading) void this.workflows.refresh();
  }

  /** A conversation went to the trash: nothing of it shows any more. */
  removeConversation(id: string): void {
    this.workflows.drop(({ conversationId }) => conversationId === id);
    this.hits.drop(({ conversationId }) => conversationId === id);
  }

  /** What is loaded is out of date: it is read anew when it is opened next. */
  invalidate(): void {
    this.search = null;
  }

  async loadFacets(): Promise<void> {
    try {
      this.facets = await this.#connection.request('workflow.facets', {});
    } catch {
      // Without them the filters offer what they are set to; the list itself tells what is wrong.
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
