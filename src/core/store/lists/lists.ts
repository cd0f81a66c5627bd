/** The pages of the screens: each a scan of an index with its limit pushed into it. */
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { countsOf } from './facets.ts';
import { decodeRow, sortKeyOfId, sortKeyOfInstant } from '../rows/row-codec.ts';
import type { Page, Paged, Row, Store, Table, WorkflowFilter, WorkflowQuery } from '../store.ts';
import {
  ANY,
  type IndexKeys,
  indexKeysOf,
  matchesFilter,
  termsOf,
  termsOfFilter,
  type WorkflowFacts,
} from './workflow-terms.ts';

/** The cursor is the sort key, because a conversation moves to the front when it changes. */
export async function conversations(
  database: Database,
  { before = '', limit, unchangedSince }: Parameters<Store['conversations']>[0],
): Promise<Paged<ConversationRow>> {
  const sql = 'SELECT * FROM conversation WITH INDEX newest WHERE listed = true AND place > $place LIMIT $count';
  const place = laterOf(before, unchangedSince === undefined ? '' : sortKeyOfInstant(unchangedSince));
  const [found] = await database.query(sql, { place, count: limit + 1 });
  return page<ConversationRow>('conversation', found as Row[], limit, 'place');
}

/** Last deleted first. */
export async function trashed(database: Database, { before = '', limit }: Page): Promise<Paged<ConversationRow>> {
  const sql = 'SELECT * FROM conversation WITH INDEX trash WHERE listed = false AND trashed > $before LIMIT $count';
  const [found] = await database.query(sql, { before, count: limit + 1 });
  return page<ConversationRow>('conversation', found as Row[], limit, 'trashed');
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
  const sql = `SELECT * FROM workflow WITH INDEX ${index} WHERE ${owner} AND place > $place LIMIT $count`;
  const place = before === undefined ? '' : sortKeyOfId(before);
  const [found] = await database.query(sql, { place, count: limit + 1, conversationId });
  const { items, next } = page<WorkflowRow>('workflow', found as Row[], limit, 'place');
  return { items, next: next && (items.at(-1)?.id ?? null) };
}

/** Rows of the first read when rows must be filtered here; later reads grow. */
const CHUNK = 200;
const MAX_CHUNK = 2000;

type Found = IndexKeys & { id: { id: string }; terms: string[] };

/**
 * Filtered or sorted workflows: scans the index of the rarest term in the requested order and merges the unfinished
 * workflows in. Conditions that the index does not cover are checked here, because the engine applies a limit before
 * them and would lose rows. The cursor is an index key.
 */
export async function foundWorkflows(
  database: Database,
  query: WorkflowQuery,
  unfinished: readonly WorkflowFacts[],
): Promise<Paged<WorkflowRow>> {
  const { limit, sort = 'newest', before = '' } = query;
  const wanted = termsOfFilter(query);
  const live = unfinished.flatMap((facts) => {
    const keys = indexKeysOf(facts.workflow);
    const terms = termsOf(facts);
    const fit = keys[sort] > before && wanted.every((term) => terms.includes(term)) && matchesFilter(query, keys);
    return fit ? [{ key: keys[sort], row: facts.workflow }] : [];
  });
  const running = new Set(unfinished.map(({ workflow }) => workflow.id));
  const found = await ended(database, query, wanted, running);
  const rows = await workflowsById(
    database,
    found.map(({ id }) => id.id),
  );
  const merged = [
    ...live,
    ...found.flatMap(({ id, [sort]: key }) => {
      const row = rows.get(id.id);
      return row ? [{ key, row }] : [];
    }),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
  const items = merged.slice(0, limit);
  return {
    items: items.map(({ row }) => row),
    next: merged.length > limit ? (items.at(-1)?.key ?? null) : null,
  };
}

/** Reads one more than the page needs. */
async function ended(
  database: Database,
  query: WorkflowQuery,
  wanted: readonly string[],
  running: ReadonlySet<string>,
): Promise<Found[]> {
  const { limit, sort = 'newest' } = query;
  const counts = await countsOf(database, wanted);
  const [term = ANY] = [...wanted].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const sql = `SELECT id, terms, createdAt, nanoUsd, ${sort} FROM workflow_index WITH INDEX ${sort} WHERE terms = $term AND ${sort} > $after LIMIT $count`;
  const found: Found[] = [];
  let after = laterOf(query.before ?? '', startOf(query));
  let count = wanted.length > 1 || query.from || query.to || query.minCostUsd ? CHUNK : limit + 1;
  for (;;) {
    const [rows] = (await database.query(sql, { term, after, count })) as [Found[]];
    for (const row of rows) {
      if (beyond(query, row)) return found;
      const fit = !running.has(row.id.id) && matchesFilter(query, row);
      if (fit && wanted.every((one) => row.terms.includes(one))) found.push(row);
      if (found.length > limit) return found;
    }
    const last = rows.at(-1);
    if (!last || rows.length < count) return found;
    after = last[sort];
    count = Math.min(MAX_CHUNK, count * 2);
  }
}

/** Largest difference between the time in an id and the times in its row, in milliseconds. */
const SKEW_MS = 60_000;

/** The cursor at which the scan begins: newest first, it skips what is later than `to`. */
function startOf({ sort = 'newest', to }: WorkflowQuery): string {
  return sort === 'newest' && to !== undefined ? placeOfTime(Date.parse(to) + SKEW_MS) : '';
}

/** Whether no later row of the scan can match. */
function beyond({ sort = 'newest', from, minCostUsd }: WorkflowFilter & WorkflowQuery, row: Found): boolean {
  if (sort === 'newest' && from !== undefined) return row.newest > placeOfTime(Date.parse(from) - SKEW_MS);
  return sort === 'cost' && minCostUsd !== undefined && row.nanoUsd < minCostUsd * 1e9;
}

/** The sort key of ids made at that time. */
function placeOfTime(ms: number): string {
  return sortKeyOfId(startOfIds(ms));
}

/** The prefix of ids made at that time. */
function startOfIds(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** An id that sorts after all ids made up to the instant. */
export function idAfter(at: string): string {
  return startOfIds(Date.parse(at) + SKEW_MS);
}

function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}

async function workflowsById(database: Database, ids: readonly string[]): Promise<Map<string, WorkflowRow>> {
  const records = ids.map((id) => database.record('workflow', id));
  const [found] = (await database.query('SELECT * FROM $records', { records })) as [Row[]];
  const rows = found.map((stored) => decodeRow('workflow', stored) as unknown as WorkflowRow);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Unfinished workflows, which the index does not have yet, with the facts that filters need. */
export async function unfinishedFacts(
  reads: Pick<Store, 'unfinishedWorkflows' | 'runsOf' | 'callsOf' | 'conversation'>,
): Promise<WorkflowFacts[]> {
  const workflows = await reads.unfinishedWorkflows();
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
function page<T>(table: Table, found: readonly Row[], limit: number, cursor: string): Paged<T> {
  const items = found.slice(0, limit).map((stored) => decodeRow(table, stored) as T);
  const next = found.length > limit && limit > 0 ? String(found[limit - 1]?.[cursor]) : null;
  return { items, next };
}
