/** The pages of the screens: each a scan of an index with its limit pushed into it. */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { countsOf } from './facets.ts';
import { decodeRow, sortKeyOfId } from '../rows/row-codec.ts';
import type { ExecutionFilter, Page, Paged, Row, Store, Table, WorkflowFilter, WorkflowQuery } from '../store.ts';
import { ANY_EXECUTION, termsOfExecution, termsOfExecutionFilter } from './execution-terms.ts';
import {
  ANY,
  type IndexKeys,
  indexKeysOf,
  matchesFilter,
  notedIn,
  notesAmong,
  termsOf,
  termsOfFilter,
  type WorkflowFacts,
} from './workflow-terms.ts';

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

/** The newest ended workflows of a folder that read or wrote notes of it. */
export async function notedWorkflows(
  database: Database,
  folder: string,
  count: number,
): Promise<{ workflow: WorkflowRow; notes: string[] }[]> {
  const sql = "SELECT id, terms FROM workflow_index WITH INDEX newest WHERE terms = $term AND newest > '' LIMIT $count";
  const [found] = (await database.query(sql, { term: notedIn(folder), count })) as [Pick<Found, 'id' | 'terms'>[]];
  const rows = await workflowRows(
    database,
    found.map(({ id }) => id.id),
  );
  return found.flatMap(({ id, terms }) => {
    const workflow = rows.get(id.id);
    return workflow ? [{ workflow, notes: notesAmong(terms) }] : [];
  });
}

async function workflowRows(database: Database, ids: readonly string[]): Promise<Map<string, WorkflowRow>> {
  const records = ids.map((id) => database.record('workflow', id));
  const [found] = (await database.query('SELECT * FROM $records', { records })) as [Row[]];
  const rows = found.map((stored) => decodeRow('workflow', stored) as unknown as WorkflowRow);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Rows of the first read when rows must be filtered here; later reads grow. */
const CHUNK = 200;
const MAX_CHUNK = 2000;
/** The most of one read whose rows are all needed: they are parsed here. */
const SCANNED = 500;

/** A row of an index. */
export type Found = IndexKeys & { id: { id: string }; terms: string[]; figures?: string };

/** What orders and bounds a list beside its terms. */
type Bounds = Pick<WorkflowQuery, 'before' | 'limit' | 'sort' | 'from' | 'to' | 'minCostUsd'>;

/** A list with an index of its own. */
export interface Listing<T> {
  index: 'workflow_index' | 'execution_index';
  /** The term that every row has. */
  any: string;
  /** The terms that a matching row must have. */
  wanted: readonly string[];
  /** What belongs to unfinished workflows: the index does not have it, or not as it is. */
  live: readonly { id: string; keys: IndexKeys; terms: readonly string[] }[];
  rowsOf: (ids: readonly string[]) => Promise<Map<string, T>>;
}

/**
 * Filtered or sorted rows: scans the index of the rarest term in the requested order and merges the live ones in.
 * Conditions that the index does not cover are checked here, because the engine applies a limit before them and would
 * lose rows. The cursor is an index key.
 */
export async function foundIn<T>(database: Database, query: Bounds, listing: Listing<T>): Promise<Paged<T>> {
  const { limit, sort = 'newest', before = '' } = query;
  const live = listing.live.flatMap(({ id, keys, terms }) => {
    const fit = keys[sort] > before && isListed(listing.wanted, query, terms, keys);
    return fit ? [{ id, key: keys[sort] }] : [];
  });
  const found = (await ended(database, query, listing)).map(({ id, [sort]: key }) => ({ id: id.id, key }));
  const merged = [...live, ...found].sort((a, b) => (a.key < b.key ? -1 : 1));
  const shown = merged.slice(0, limit);
  const rows = await listing.rowsOf(shown.map(({ id }) => id));
  return {
    items: shown.flatMap(({ id }) => rows.get(id) ?? []),
    next: merged.length > limit ? (shown.at(-1)?.key ?? null) : null,
  };
}

/** Whether a row with these terms and keys is in a list. */
export function isListed(
  wanted: readonly string[],
  bounds: Parameters<typeof matchesFilter>[0],
  terms: readonly string[],
  keys: IndexKeys,
): boolean {
  return wanted.every((one) => terms.includes(one)) && matchesFilter(bounds, keys);
}

/** Reads one more than the page needs. */
async function ended<T>(database: Database, query: Bounds, listing: Listing<T>): Promise<Found[]> {
  const { limit } = query;
  const found: Found[] = [];
  const needsLook = listing.wanted.length > 1 || query.from || query.to || query.minCostUsd;
  const first = needsLook ? CHUNK : limit + 1;
  for await (const rows of chunks(database, query, listing, { first, most: MAX_CHUNK, fields: [] })) {
    found.push(...rows.found);
    if (found.length > limit) return found.slice(0, limit + 1);
  }
  return found;
}

/** The newest rows that match, of at most `most` that are looked at; `whole`: there are no others. */
export async function scanned<T>(
  database: Database,
  query: Omit<Bounds, 'limit' | 'sort'>,
  listing: Pick<Listing<T>, 'index' | 'any' | 'wanted' | 'live'>,
  most: number,
): Promise<{ rows: Found[]; whole: boolean }> {
  const rows: Found[] = [];
  let looked = 0;
  const fields = ['figures'];
  for await (const chunk of chunks(database, { ...query, limit: 0 }, listing, {
    first: CHUNK,
    most: SCANNED,
    fields,
  })) {
    rows.push(...chunk.found);
    looked += chunk.looked;
    if (looked >= most && !chunk.isLast) return { rows, whole: false };
  }
  return { rows, whole: true };
}

/** What matches, as it is found, in the order that is asked for. */
async function* chunks<T>(
  database: Database,
  query: Bounds,
  { index, any, wanted, live }: Pick<Listing<T>, 'index' | 'any' | 'wanted' | 'live'>,
  { first, most, fields }: { first: number; most: number; fields: readonly string[] },
): AsyncGenerator<{ found: Found[]; looked: number; isLast: boolean }> {
  const { sort = 'newest' } = query;
  const running = new Set(live.map(({ id }) => id));
  const counts = await countsOf(database, wanted);
  const [term = any] = [...wanted].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  // The terms are most of a row.
  const columns = ['id', 'createdAt', 'nanoUsd', sort, ...fields, ...(wanted.length > 1 ? ['terms'] : [])];
  const sql = `SELECT ${columns.join(', ')} FROM ${index} WITH INDEX ${sort} WHERE terms = $term AND ${sort} > $after LIMIT $count`;
  let after = laterOf(query.before ?? '', startOf(query));
  let count = first;
  for (;;) {
    const [rows] = (await database.query(sql, { term, after, count })) as [Found[]];
    const end = rows.findIndex((row) => beyond(query, row));
    const found = rows
      .slice(0, end === -1 ? rows.length : end)
      .filter((row) => !running.has(row.id.id) && matchesFilter(query, row))
      .filter((row) => wanted.length < 2 || wanted.every((one) => row.terms.includes(one)));
    const last = rows.at(-1);
    const isLast = end !== -1 || !last || rows.length < count;
    yield { found, looked: rows.length, isLast };
    if (isLast) return;
    after = last[sort];
    count = Math.min(most, count * 2);
  }
}

/** Largest difference between the time in an id and the times in its row, in milliseconds. */
const SKEW_MS = 60_000;

/** The cursor at which the scan begins: newest first, it skips what is later than `to`. */
function startOf({ sort = 'newest', to }: Bounds): string {
  return sort === 'newest' && to !== undefined ? placeOfTime(Date.parse(to) + SKEW_MS) : '';
}

/** Whether no later row of the scan can match. */
function beyond({ sort = 'newest', from, minCostUsd }: Bounds, row: Found): boolean {
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

export function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}

/** The list of workflows; `unfinished`: all of those. */
export function workflowListing(
  database: Database,
  filter: WorkflowFilter,
  unfinished: readonly WorkflowFacts[],
): Listing<WorkflowRow> {
  return {
    ...{ index: 'workflow_index', any: ANY, wanted: termsOfFilter(filter) },
    live: unfinished.map((facts) => ({
      ...{ id: facts.workflow.id, keys: indexKeysOf(facts.workflow), terms: termsOf(facts) },
    })),
    rowsOf: (ids) => workflowRows(database, ids),
  };
}

/** The list of executions; `unfinished`: the workflows whose executions the index does not have yet. */
export function executionListing(
  reads: Pick<Store, 'executionsOf'>,
  filter: ExecutionFilter,
  unfinished: readonly WorkflowFacts[],
): Listing<SubAgentExecution> {
  return {
    ...{ index: 'execution_index', any: ANY_EXECUTION, wanted: termsOfExecutionFilter(filter) },
    live: executionsIn(unfinished).map((run) => ({
      ...{ id: run.id, keys: indexKeysOf({ ...run, createdAt: run.queuedAt }), terms: termsOfExecution(run) },
    })),
    rowsOf: async (ids) => new Map((await reads.executionsOf(ids)).map((row) => [row.id, row])),
  };
}

export function executionsIn(workflows: readonly Pick<WorkflowFacts, 'runs'>[]): RunRow[] {
  return workflows.flatMap(({ runs }) => runs.filter(({ kind }) => kind !== 'lead'));
}

/** Unfinished workflows, which the index does not have yet, with the facts that filters need. */
export async function unfinishedFacts(
  reads: Pick<Store, 'unfinishedWorkflows' | 'runsOf' | 'callsOf' | 'conversation'>,
): Promise<WorkflowFacts[]> {
  const workflows = (await reads.unfinishedWorkflows()).filter(({ taken }) => !taken);
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
