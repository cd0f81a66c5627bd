/** A search finds conversations by their titles and agents by their names, at most five of each. */
import { expect, test } from 'vitest';
import type { ConversationRow } from '#contract/view.ts';
import { namesFound } from '#core/host/records/names-found.ts';
import type { Harness } from '../../../support/engine.ts';

const updatedAt = '2026-03-01T12:00:00.000Z';

/** Creates a store with pages of titles, and with agents. `reads` lists the limit and the cursor of each requested page. */
function createStore(pages: readonly (readonly string[])[], agents: readonly string[] = []) {
  const reads: { limit: number; before: string | undefined }[] = [];
  const conversations: Harness['store']['conversations'] = ({ limit, before }) => {
    const at = reads.push({ limit, before }) - 1;
    const items = (pages[at] ?? []).map(
      (title, index) => ({ id: `${at}-${index}`, title, updatedAt }) as ConversationRow,
    );
    return Promise.resolve({ items, next: at + 1 < pages.length ? `page ${at + 1}` : null });
  };
  const facets = () => Promise.resolve({ agents } as unknown as Awaited<ReturnType<Harness['store']['facets']>>);
  return { store: { conversations, facets }, reads };
}

test('finds conversation titles with the positions of the matches, and agent names', async () => {
  const { store, reads } = createStore([['Fix the parser', 'Other'], ['A parser']], ['lead', 'parser-writer']);
  expect(await namesFound(store, 'parser')).toEqual({
    titles: [
      { conversationId: '0-0', title: 'Fix the parser', at: updatedAt, hits: [{ start: 8, end: 14 }] },
      { conversationId: '1-0', title: 'A parser', at: updatedAt, hits: [{ start: 2, end: 8 }] },
    ],
    agents: ['parser-writer'],
  });
  expect(reads).toEqual([
    { limit: 500, before: undefined },
    { limit: 500, before: 'page 1' },
  ]);
});

test('finds at most five titles and five agents, and reads no further page', async () => {
  const names = Array.from({ length: 7 }, (_, index) => `parser ${index}`);
  const { store, reads } = createStore([names, names], names);
  const { titles, agents } = await namesFound(store, 'parser');
  expect(titles?.map(({ title }) => title)).toEqual(names.slice(0, 5));
  expect(agents).toEqual(names.slice(0, 5));
  expect(reads).toHaveLength(1);
});

test('searches the 2,000 newest conversations', async () => {
  const { store, reads } = createStore([['a'], ['b'], ['c'], ['d'], ['parser']]);
  expect(await namesFound(store, 'parser')).toEqual({});
  expect(reads).toHaveLength(4);
});

test('reads nothing for an empty search', async () => {
  const { store, reads } = createStore([['Fix the parser']], ['parser']);
  expect(await namesFound(store, ' ')).toEqual({});
  expect(reads).toEqual([]);
});
