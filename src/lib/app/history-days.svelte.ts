/** The totals of the days that a list of the history shows. */
import type { DayTotals } from '#contract/history/history-methods.ts';
import type { Connection } from './client/connection.ts';
import { spanOfDay } from '#lib/view/calendar.ts';
import { executionDaysInput, queryStringOf, workflowDaysInput, type HistoryQuery } from '#lib/view/history-query.ts';

/** Most days of one request. */
const MOST = 100;

/** `whole`: false where only the newest of what matches was added up. */
export interface DayOfList extends DayTotals {
  whole: boolean;
}

export class HistoryDays {
  /** By day. */
  totals = $state.raw<Readonly<Record<string, DayOfList>>>({});
  readonly #connection: Connection;
  #search: string | null = null;
  /** Days that were asked for. */
  #asked: readonly string[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Forgets all of them: the next `load` asks again. What is shown stays until then. */
  invalidate(): void {
    this.#asked = [];
  }

  /** Asks for the days of a query that were not asked for yet. What cannot be had is not shown. */
  async load(query: HistoryQuery, days: readonly string[]): Promise<void> {
    const search = queryStringOf(query);
    if (search !== this.#search) {
      this.#search = search;
      this.#asked = [];
      this.totals = {};
    }
    const wanted = days.filter((day) => !this.#asked.includes(day)).slice(0, MOST);
    if (wanted.length === 0) return;
    this.#asked = [...this.#asked, ...wanted];
    try {
      const found = await this.#ask(query, wanted);
      if (search !== this.#search) return;
      const { whole } = found;
      const named = wanted.flatMap((day, at) => (found.days[at] ? [[day, { ...found.days[at], whole }] as const] : []));
      this.totals = { ...this.totals, ...Object.fromEntries(named) };
    } catch {
      this.#asked = this.#asked.filter((day) => !wanted.includes(day));
    }
  }

  #ask(query: HistoryQuery, days: readonly string[]) {
    const spans = days.map(spanOfDay);
    return query.list === 'agents'
      ? this.#connection.request('execution.days', executionDaysInput(query, spans))
      : this.#connection.request('workflow.days', workflowDaysInput(query, spans));
  }
}
