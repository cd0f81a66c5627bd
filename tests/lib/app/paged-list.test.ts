// A list that is read page by page holds every row once and keeps what was loaded, whatever changes meanwhile.
import { describe, expect, it } from 'vitest';
import { PagedList } from '#lib/app/paged-list.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';

const SIZE = 3;

/** A store with rows that a page is read from, three at a time. */
function shelf(rows: string[]): { rows: string[]; pages: PagedList<string>; asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const state = { rows, asked };
  const pages = new PagedList<string>(
    (row) => row,
    async (before) => {
      asked.push(before);
      const from = before === undefined ? 0 : state.rows.indexOf(before) + 1;
      const items = state.rows.slice(from, from + SIZE);
      return { items, next: from + SIZE < state.rows.length ? (items.at(-1) ?? null) : null };
    },
  );
  return Object.assign(state, { pages });
}

describe('PagedList', () => {
  it('loads pages until the end, and requests no further page', async () => {
    const { pages, asked } = shelf(['a', 'b', 'c', 'd', 'e']);
    await pages.load();
    await Promise.all([pages.loadMore(), pages.loadMore()]);
    expect(pages.items).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(pages.next).toBeNull();
    await pages.loadMore();
    expect(asked).toEqual([undefined, 'c']);
  });

  it('refreshes the start and keeps the rows loaded below', async () => {
    const store = shelf(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await store.pages.load();
    await store.pages.loadMore();
    store.rows = ['new', 'e', 'a', 'b', 'c', 'd', 'f', 'g'];
    await store.pages.refresh();
    expect(store.pages.items, 'a row that moved up stands there once').toEqual(['new', 'e', 'a', 'b', 'c', 'd', 'f']);
    expect(store.pages.grewAtStart).toBe(true);
    await store.pages.loadMore();
    expect(store.pages.items.at(-1)).toBe('g');
    expect(store.pages.grewAtStart).toBe(false);
  });

  it('removes rows that disappeared from the start', async () => {
    const store = shelf(['a', 'b', 'c', 'd']);
    await store.pages.load();
    await store.pages.loadMore();
    store.rows = ['b', 'c', 'd'];
    await store.pages.refresh();
    expect(store.pages.items).toEqual(['b', 'c', 'd']);
    store.pages.drop((row) => row === 'c');
    expect(store.pages.items).toEqual(['b', 'd']);
  });

  it('removes the last row if it left a list that is loaded completely', async () => {
    const store = shelf(['a', 'b']);
    await store.pages.load();
    store.rows = ['a'];
    expect(await store.pages.refresh()).toBe(true);
    expect(store.pages.items).toEqual(['a']);
    const { items } = store.pages;
    expect(await store.pages.refresh()).toBe(false);
    expect(store.pages.items, 'nothing is shown anew').toBe(items);
  });

  it('ignores the late answer of an earlier source', async () => {
    const slow = Promise.withResolvers<{ items: string[]; next: null }>();
    const pages = new PagedList<string>(
      (row) => row,
      () => slow.promise,
    );
    const first = pages.load();
    await pages.load(async () => ({ items: ['second'], next: null }));
    slow.resolve({ items: ['first'], next: null });
    await first;
    expect(pages.items).toEqual(['second']);
    expect(pages.loading).toBe(false);
  });

  it('reports a failure and keeps its rows', async () => {
    const store = shelf(['a', 'b', 'c', 'd']);
    await store.pages.load();
    await store.pages.load(() => Promise.reject(new RequestError('store_failed', 'The disk is full')));
    expect(store.pages.failure?.code).toBe('store_failed');
    expect(store.pages.items).toEqual(['a', 'b', 'c']);
  });
});
