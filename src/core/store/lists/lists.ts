/** The pages of the screens: each a scan of an index with its limit pushed into it. */
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { selectIndexed } from '../rows/readable-rows.ts';
import { Reader } from '../rows/reader.ts';
import { decodeRow, sortKeyOfId, type StoredTable } from '../rows/row-codec.ts';
import type { Page, Paged, Row, Store, WorkflowQuery } from '../store.ts';
import { readIndexed } from './list-segments.ts';
import { type Listing, type ListQuery, readList } from './list-reader.ts';
import { getEntries, getFilterTerms, getNotedTerm, getNotes, type ListName, type WorkflowFacts } from './listing.ts';

/** Last deleted first. */
export async function trashed(database: Database, { before = '', limit }: Page): Promise<Paged<ConversationRow>> {
  const found = await selectIndexed<Row>(
    database,
    {
      columns: '*',
      table: 'conversation',
      index: 'trash',
      where: 'listed = false AND trashed > $before',
      page: { order: 'trashed', count: limit + 1 },
    },
    { before },
  );
  return page<ConversationRow>('conversation', found, limit, 'trashed');
}

/** All workflows, or those of one conversation, newest first. The cursor is a workflow id. */
export async function newestWorkflows(
  database: Database,
  { before, limit, conversationId }: Pick<WorkflowQuery, 'before' | 'limit' | 'conversationId'>,
): Promise<Paged<WorkflowRow>> {
  const [index, owner] =
    conversationId === undefined
      ? ['newest', 'listed = true']
      : ['newest_of_conversation', 'conversationId = $conversationId'];
  const found = await selectIndexed<Row>(
    database,
    {
      columns: '*',
      table: 'workflow',
      index,
      where: `${owner} AND place > $place`,
      page: { order: 'place', count: limit + 1 },
    },
    { place: before === undefined ? '' : sortKeyOfId(before), conversationId },
  );
  const { items, next } = page<WorkflowRow>('workflow', found, limit, 'place');
  return { items, next: next && (items.at(-1)?.id ?? null) };
}

/** The newest ended workflows of a folder that read or wrote notes of it. Call while nothing writes the index. */
export async function notedWorkflows(
  database: Database,
  folder: string,
  count: number,
): Promise<{ workflow: WorkflowRow; notes: string[] }[]> {
  const listing: Listing = { list: 'workflow', wanted: [getNotedTerm(folder)], live: [] };
  const ids = (await readList(database, listing, { limit: count })).slice(0, count).map(({ id }) => id);
  const [rows, indexed] = await Promise.all([workflowRows(database, ids), readIndexed(database, ids)]);
  return ids.flatMap((id) => {
    const workflow = rows.get(id);
    const terms = indexed.get(id)?.entries.workflow[0]?.terms ?? [];
    return workflow ? [{ workflow, notes: getNotes(terms) }] : [];
  });
}

export function workflowRows(database: Database, ids: readonly string[]): Promise<Map<string, WorkflowRow>> {
  return new Reader(database).byId<WorkflowRow>('workflow', ids);
}

/** A page of a filtered or sorted list. The cursor is a sort key. */
export async function readPage<T>(
  database: Database,
  listing: Listing,
  query: ListQuery,
  rowsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<Paged<T>> {
  const found = await readList(database, listing, query);
  const shown = found.slice(0, query.limit);
  const rows = await rowsOf(shown.map(({ id }) => id));
  return {
    items: shown.flatMap(({ id }) => rows.get(id) ?? []),
    next: found.length > query.limit ? (shown.at(-1)?.key ?? null) : null,
  };
}

/** A list with a filter; `unfinished`: the workflows whose entries the index does not have as they are. */
export function makeListing(
  list: ListName,
  filter: Parameters<typeof getFilterTerms>[1],
  unfinished: readonly WorkflowFacts[],
): Listing {
  const live = unfinished.flatMap((facts) => getEntries(facts)[list]);
  return { list, wanted: getFilterTerms(list, filter), live };
}

/** Unfinished workflows, which the index does not have yet, with the facts that filters need. */
export async function unfinishedFacts(
  reads: Pick<Store, 'unfinishedWorkflows' | 'runsOf' | 'callsOf' | 'conversation'>,
): Promise<WorkflowFacts[]> {
  const workflows = (await reads.unfinishedWorkflows()).filter(({ copiedFrom }) => !copiedFrom);
  const runs = Map.groupBy(await reads.runsOf(workflows.map(({ id }) => id)), ({ workflowId }) => workflowId);
  return Promise.all(
    workflows.map(async (workflow) => {
      const own: RunRow[] = runs.get(workflow.id) ?? [];
      const calls = await reads.callsOf(own.map(({ id }) => id));
      const folder = (await reads.conversation(workflow.conversationId))?.folder ?? '';
      return { workflow, runs: own, calls, folder };
    }),
  );
}

/** A page from rows read with one extra; the next cursor is a column of the last row. */
function page<T>(table: StoredTable, found: readonly Row[], limit: number, cursor: string): Paged<T> {
  const items = found.slice(0, limit).map((stored) => decodeRow(table, stored) as T);
  const next = found.length > limit && limit > 0 ? String(found[limit - 1]?.[cursor]) : null;
  return { items, next };
}
