/** The conversations of the rail in the order in which they stand: by folder, then by day. Pure. */
import type { ConversationRow } from '#contract/view.ts';

/** The heading above a row; `month`: that of the row. */
export type RailDay = 'pinned' | 'today' | 'yesterday' | 'week' | 'month';

export type RailEntry =
  | { kind: 'folder'; key: string; folder: string; folded: boolean }
  /** `day`: the heading that stands above it, where it is the first of it. */
  | { kind: 'conversation'; key: string; row: ConversationRow; day: RailDay | null }
  | { kind: 'more'; key: string; folder: string };

/** A set of folders, as far as it is asked. */
interface Folders {
  has(folder: string): boolean;
}

export interface RailLook {
  /** Epoch milliseconds. */
  now: number;
  folded: Folders;
  /** Rows of a folder that show before the person asks for more; null: all. */
  most: number | null;
  /** Folders of which the person asked for more. */
  whole: Folders;
  /** Of these there is more than is loaded. */
  unfinished: Folders;
  /** The conversation on the screen always shows, whatever is folded. */
  active: string | null;
}

const DAY_MS = 86_400_000;

/** Each conversation once, last used first. */
export function merged(...lists: readonly (readonly ConversationRow[])[]): ConversationRow[] {
  const rows = new Map(lists.flat().map((row) => [row.id, row]));
  return [...rows.values()].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
}

/** Each once, in the order of the rows. */
export function foldersOf(rows: readonly ConversationRow[]): string[] {
  return [...new Set(rows.map(({ folder }) => folder))];
}

export function railEntries(rows: readonly ConversationRow[], look: RailLook): RailEntry[] {
  return [...Map.groupBy(rows, ({ folder }) => folder)].flatMap(([folder, own]) => {
    const folded = look.folded.has(folder);
    const head: RailEntry = { kind: 'folder', key: `folder:${folder}`, folder, folded };
    const sorted = [...own.filter(({ pinned }) => pinned), ...own.filter(({ pinned }) => !pinned)];
    const shown = sorted.filter((row, index) => row.id === look.active || (!folded && isIn(row, index, folder, look)));
    const more = !folded && (shown.length < sorted.length || look.unfinished.has(folder));
    return [
      head,
      ...withDays(shown, look.now),
      ...(more ? [{ kind: 'more', key: `more:${folder}`, folder } as const] : []),
    ];
  });
}

function isIn({ pinned }: ConversationRow, index: number, folder: string, { most, whole }: RailLook): boolean {
  return most === null || pinned === true || index < most || whole.has(folder);
}

function withDays(rows: readonly ConversationRow[], now: number): RailEntry[] {
  let last = '';
  return rows.map((row) => {
    const day = dayOf(row, now);
    const at = new Date(row.updatedAt);
    const name = day === 'month' ? `${at.getFullYear()} ${at.getMonth()}` : day;
    const isFirst = name !== last;
    last = name;
    return { kind: 'conversation', key: row.id, row, day: isFirst ? day : null };
  });
}

function dayOf({ pinned, updatedAt }: ConversationRow, now: number): RailDay {
  if (pinned) return 'pinned';
  const days = Math.round((startOfDay(now) - startOfDay(Date.parse(updatedAt))) / DAY_MS);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  return days <= 7 ? 'week' : 'month';
}

/** Of the reader's day; days with another hour of summer time are rounded. */
function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** The last parts of a path, which tell folders apart: `~/…/project`. */
export function folderName(folder: string): string {
  const parts = folder.split(/[/\\]/).filter(Boolean);
  return parts.at(-1) ?? folder;
}
