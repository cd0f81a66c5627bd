/** The list of conversations: the pinned ones are a range of its index, and what is looked for in it is read bit by bit. */
import type { ConversationRow } from '#contract/view.ts';
import type { Database } from '../database.ts';
import { AFTER_PINNED, decodeRow, PINNED, sortKeyOfInstant } from '../rows/row-codec.ts';
import { selectIndexed } from '../rows/readable-rows.ts';
import { plain } from '../search/words.ts';
import type { ConversationQuery, Paged, Row } from '../store.ts';

/** Rows that a page of a filtered list looks at, at most, and those of one read. */
const PARTS = { lookedAt: 2000, read: 500 };

interface Placed {
  row: ConversationRow;
  /** The sort key, which is the cursor: a conversation moves to the front when it changes. */
  key: string;
}

export async function conversations(
  database: Database,
  query: ConversationQuery,
  { lookedAt, read } = PARTS,
): Promise<Paged<ConversationRow>> {
  const { limit, text = '', folder, pinned, unchangedSince } = query;
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0 && folder === undefined) return pageOf(await next(database, query, limit + 1), limit);
  const found: Placed[] = [];
  let before = query.before ?? '';
  for (let looked = 0; looked < lookedAt; looked += read) {
    const rows = await next(database, { before, pinned, unchangedSince }, read);
    found.push(...rows.filter(({ row }) => (folder ?? row.folder) === row.folder && hasWords(row, words)));
    if (found.length > limit) return pageOf(found, limit);
    if (rows.length < read) return { items: found.map(({ row }) => row), next: null };
    before = rows.at(-1)?.key ?? before;
  }
  return { items: found.map(({ row }) => row), next: before };
}

function hasWords({ title, folder }: ConversationRow, words: readonly string[]): boolean {
  const among = plain(`${title} ${folder}`);
  return words.every((word) => among.includes(word));
}

interface Range {
  before?: string | undefined;
  pinned?: true | undefined;
  unchangedSince?: string | undefined;
}

/** At most `count` after the cursor; those that are pinned stand where they would without. */
async function next(
  database: Database,
  { before = '', pinned, unchangedSince }: Range,
  count: number,
): Promise<Placed[]> {
  const since = unchangedSince === undefined ? '' : sortKeyOfInstant(unchangedSince);
  const both = await Promise.all([
    unchangedSince === undefined ? pinnedAfter(database, before, count) : [],
    pinned ? [] : rowsAfter(database, [AFTER_PINNED, before, since].toSorted().at(-1) ?? '', count),
  ]);
  return both
    .flat()
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, count);
}

/** Pinned ones that are read at a time: mostly there are few, and what is read behind them is read for nothing. */
const FEW = 16;

async function pinnedAfter(database: Database, before: string, count: number): Promise<Placed[]> {
  const found: Placed[] = [];
  for (let after = PINNED + before; found.length < count;) {
    const rows = await rowsAfter(database, after, FEW);
    const own = rows.filter(({ row }) => row.pinned);
    found.push(...own);
    if (own.length < FEW) break;
    after = PINNED + (own.at(-1)?.key ?? '');
  }
  return found;
}

async function rowsAfter(database: Database, after: string, count: number): Promise<Placed[]> {
  const found = await selectIndexed<Row>(
    database,
    {
      columns: '*',
      table: 'conversation',
      index: 'newest',
      where: 'listed = true AND place > $after',
      page: { order: 'place', count },
    },
    { after },
  );
  return found.map((stored) => ({
    row: decodeRow('conversation', stored) as unknown as ConversationRow,
    key: String(stored.place).replace(PINNED, ''),
  }));
}

/** From one more than the page has, where there are more. */
function pageOf(found: readonly Placed[], limit: number): Paged<ConversationRow> {
  const shown = found.slice(0, limit);
  return { items: shown.map(({ row }) => row), next: found.length > limit ? (shown.at(-1)?.key ?? null) : null };
}
