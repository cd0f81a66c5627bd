// The rail stands by folder, then by day; the conversation on the screen shows whatever is folded.
import { describe, expect, it } from 'vitest';
import type { ConversationRow } from '#contract/view.ts';
import { merged, railEntries, type RailLook } from '#lib/view/shell/rail.ts';
import { emptyConversation } from '../../support/rows.ts';

const now = new Date(2026, 2, 15, 12).getTime();
const daysAgo = (days: number, hour = 9) => new Date(2026, 2, 15 - days, hour).toISOString();
const row = (id: string, folder: string, updatedAt: string, pinned?: true): ConversationRow => ({
  ...emptyConversation(),
  id,
  title: id,
  folder,
  updatedAt,
  ...(pinned && { pinned }),
});
const look: RailLook = {
  now,
  folded: new Set(),
  most: null,
  whole: new Set(),
  unfinished: new Set(),
  active: null,
};

/** `/a:`, `today a1`, `a2`, `more`. */
function lines(rows: readonly ConversationRow[], some: Partial<RailLook> = {}): string[] {
  return railEntries(merged(rows), { ...look, ...some }).map((entry) =>
    entry.kind === 'folder'
      ? `${entry.folder}:`
      : entry.kind === 'more'
        ? 'more'
        : `${entry.day === null ? '' : `${entry.day} `}${entry.row.id}`,
  );
}

const all = [
  row('a1', '/a', daysAgo(0)),
  row('b1', '/b', daysAgo(0, 8)),
  row('a2', '/a', daysAgo(0, 1)),
  row('a3', '/a', daysAgo(1, 23)),
  row('a4', '/a', daysAgo(2)),
  row('a5', '/a', daysAgo(7)),
  row('a6', '/a', daysAgo(8)),
  row('a7', '/a', daysAgo(20)),
  row('a8', '/a', daysAgo(60)),
  row('a9', '/a', daysAgo(90), true),
];

describe('railEntries', () => {
  it('groups by folder, newest first, with pinned conversations before the days', () => {
    expect(lines(all)).toEqual([
      ...['/a:', 'pinned a9', 'today a1', 'a2', 'yesterday a3', 'week a4', 'a5', 'month a6', 'month a7', 'month a8'],
      ...['/b:', 'today b1'],
    ]);
  });

  it('truncates a folder until the person asks for more, and never hides pinned conversations', () => {
    expect(lines(all, { most: 2 })).toEqual(['/a:', 'pinned a9', 'today a1', 'more', '/b:', 'today b1']);
    const asked = { most: 2, whole: new Set(['/a']) };
    expect(lines(all, asked)).not.toContain('more');
    expect(lines(all, { ...asked, unfinished: new Set(['/a']) })).toContain('more');
  });

  it('shows only the open conversation of a folded folder', () => {
    const folded = new Set(['/a']);
    expect(lines(all, { folded })).toEqual(['/a:', '/b:', 'today b1']);
    expect(lines(all, { folded, active: 'a7' })).toEqual(['/a:', 'month a7', '/b:', 'today b1']);
    expect(lines(all, { most: 2, active: 'a7' })).toContain('month a7');
  });

  it('merged keeps each conversation once, in the version of the last list', () => {
    const renamed = { ...all[0]!, title: 'Renamed' };
    expect(merged(all, [renamed]).filter(({ id }) => id === 'a1')).toEqual([renamed]);
  });
});
