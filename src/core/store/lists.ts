/** The pages of the screens: newest first, each one scan of an index with its limit pushed into it. */
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import type { Database } from './database.ts';
import { decodeRow, placeOfId, type Row } from './rows.ts';
import type { Page, Paged, Store, Table } from './store.ts';

/** The cursor is a place, because a conversation moves to the front when it changes. */
export async function conversations(
  database: Database,
  { before = '', limit }: Page,
): Promise<Paged<ConversationRow>> {
  const sql =
    'SELECT * FROM conversation WITH INDEX newest WHERE listed = true AND place > $before LIMIT $count';
  const [found] = await database.query(sql, { before, count: limit + 1 });
  return page<ConversationRow>('conversation', found as Row[], limit, (_, place) => place);
}

/** The cursor is the id of a workflow. */
export async function workflows(
  database: Database,
  { before, limit, outcome, agent, conversationId }: Parameters<Store['workflows']>[0],
): Promise<Paged<WorkflowRow>> {
  const place = before === undefined ? '' : placeOfId(before);
  const fits = ({ outcome: its, agents }: Row) =>
    (outcome === undefined || its === outcome) &&
    (agent === undefined || (agents as string[]).includes(agent));
  const found =
    conversationId === undefined
      ? await filtered(database, { place, count: limit + 1, outcome, agent })
      : await ofConversation(database, { place, count: limit + 1, conversationId }, fits);
  return page<WorkflowRow>('workflow', found, limit, ({ id }) => id);
}

const END = 'place > $place LIMIT $count';

/** Across conversations: each filter has an index that covers it whole. */
async function filtered(
  database: Database,
  values: { outcome: unknown; agent: unknown } & Row,
): Promise<Row[]> {
  const byOutcome = values.outcome === undefined ? '' : 'outcome = $outcome AND ';
  const index = values.outcome === undefined ? 'newest' : 'newest_by_outcome';
  const rows = `SELECT * FROM workflow WITH INDEX ${index} WHERE`;
  const ids = `SELECT VALUE workflow FROM workflow_agent WITH INDEX ${index} WHERE agent = $agent AND`;
  let sql = `${rows} ${byOutcome || 'listed = true AND '}${END}`;
  if (values.agent !== undefined) sql = `SELECT * FROM (${ids} ${byOutcome}${END})`;
  const [found] = await database.query(sql, values);
  return found as Row[];
}

/** Filters here, not in the query: the engine applies a limit before what the index does not cover, and loses rows. */
async function ofConversation(
  database: Database,
  values: { place: string; count: number; conversationId: string },
  fits: (stored: Row) => boolean,
): Promise<Row[]> {
  const sql = `SELECT * FROM workflow WITH INDEX newest_of_conversation WHERE conversationId = $conversationId AND ${END}`;
  const found: Row[] = [];
  let { place } = values;
  for (;;) {
    const [rows] = (await database.query(sql, { ...values, place })) as [Row[]];
    found.push(...rows.filter(fits));
    const last = rows.at(-1);
    if (found.length >= values.count || rows.length < values.count || !last)
      return found.slice(0, values.count);
    place = String(last.place);
  }
}

/** A page of rows that were read with one too many. */
function page<T>(
  table: Table,
  found: readonly Row[],
  limit: number,
  cursor: (last: T, place: string) => string,
): Paged<T> {
  const items = found.slice(0, limit).map((stored) => decodeRow(table, stored) as T);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items, next: more ? cursor(last, String(found[limit - 1]?.place)) : null };
}
