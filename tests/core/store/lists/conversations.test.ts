// The list of conversations: pinned ones are found at once and stand where they would without; a filter finds all of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversations } from '#core/store/lists/conversations.ts';
import type { Store } from '#core/store/store.ts';
import { openOn, type Opened } from '../support.ts';
import { conversationRow, put } from '../support.ts';
import { setFields } from '../../../support/commit-items.ts';

let opened: Opened;
let store: Store;
beforeAll(async () => {
  opened = await openOn('mem');
  store = opened.store;
});
afterAll(() => opened.close());

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const rows = Array.from({ length: 130 }, (_, n) =>
  conversationRow({
    title: `Talk ${n}${n === 7 ? ' about Übergrößen' : ''}`,
    folder: `/work/${n % 3}`,
    updatedAt: at(n),
  }),
);
const idOf = (n: number) => rows[n]?.id ?? '';
const pin = (n: number, pinned: boolean) => store.commit([setFields('conversation', idOf(n), { pinned })]);

/** Page after page, with the number of pages. */
async function all(
  query: Omit<Parameters<Store['conversations']>[0], 'before'>,
): Promise<[ids: string[], pages: number]> {
  const ids: string[] = [];
  for (let before: string | undefined, pages = 1; ; pages += 1) {
    const page = await conversations(opened.database, { ...query, before }, { lookedAt: 100, read: 50 });
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) return [ids, pages];
    before = page.next;
  }
}

test('a filter finds all matching conversations in pages without reading all rows at once', async () => {
  await store.commit(rows.map((row) => put('conversation', row)));
  expect(await all({ text: 'uberGROSSEN talk', limit: 50 })).toEqual([[idOf(7)], 2]);
  expect((await store.conversations({ text: 'talk 7 work', limit: 3 })).items).toHaveLength(3);
  const [ofFolder] = await all({ folder: '/work/1', limit: 60 });
  expect(ofFolder).toEqual(rows.flatMap(({ folder, id }) => (folder === '/work/1' ? [id] : [])).reverse());
  expect(await all({ text: 'nothing like it', limit: 50 })).toEqual([[], 2]);
});

test('pinned conversations keep their position in the full list and have a separate list', async () => {
  const before = await all({ limit: 60 });
  await pin(2, true);
  await pin(65, true);
  expect(await all({ pinned: true, limit: 1 })).toEqual([[idOf(65), idOf(2)], 2]);
  expect(await all({ limit: 60 })).toEqual(before);
  expect((await store.conversation(idOf(2)))?.updatedAt).toBe(at(2));
  await pin(65, false);
  expect(await all({ pinned: true, limit: 9 })).toEqual([[idOf(2)], 1]);
});

test('the list of unchanged conversations excludes pinned conversations', async () => {
  const [old] = await all({ unchangedSince: at(5), limit: 50 });
  expect(old).toEqual([5, 4, 3, 1, 0].map(idOf));
});

test('a pinned conversation in the trash is not listed, and is pinned after it is restored', async () => {
  await store.trash(idOf(2), at(9999));
  expect((await store.conversations({ pinned: true, limit: 9 })).items).toEqual([]);
  expect((await store.conversations({ text: 'talk 2', limit: 1, folder: '/work/2' })).items[0]?.id).not.toBe(idOf(2));
  await store.restore(idOf(2));
  expect((await store.conversations({ pinned: true, limit: 9 })).items.map(({ id }) => id)).toEqual([idOf(2)]);
});
