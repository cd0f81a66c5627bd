// The rail: looks among all conversations, keeps what was chosen, and has the one on the screen whatever is loaded.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input, Output } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { PagedList } from '#lib/app/paged-list.svelte.ts';
import { Rail } from '#lib/app/rail.svelte.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { emptyConversation } from '../support/rows.ts';
import { storage } from '../support/storage.ts';

type Query = Input<'conversation.list'>;
type Page = Output<'conversation.list'>;

const row = (id: string, folder = '/a', rest: Partial<ConversationRow> = {}): ConversationRow => ({
  ...emptyConversation(),
  id,
  title: id,
  folder,
  updatedAt: '2026-03-01T12:00:00.000Z',
  ...rest,
});

beforeEach(() => {
  vi.stubGlobal('localStorage', storage());
  return () => void vi.unstubAllGlobals();
});

async function railOf(newest: ConversationRow[], answer: (query: Query) => Page = () => ({ items: [], next: null })) {
  const connection = new FakeConnection().on('conversation.list', (query) => answer(query));
  const list = new PagedList<ConversationRow>(
    ({ id }) => id,
    async () => ({ items: newest, next: 'more' }),
  );
  await list.load();
  const rail = new Rail(connection, list);
  const ids = () =>
    rail
      .entries(0)
      .flatMap((entry) => (entry.kind === 'conversation' ? [entry.key] : entry.kind === 'more' ? ['…'] : []));
  return { rail, connection, ids };
}

describe('Rail', () => {
  it('searches on until a page is filled or all conversations are searched', async () => {
    const pages: Record<string, Page> = {
      '': { items: [], next: '1' },
      '1': { items: [row('found')], next: '2' },
      '2': { items: [], next: null },
    };
    const { rail, ids, connection } = await railOf([row('a')], ({ before = '' }) => pages[before]!);
    rail.look('fou');
    await settled();
    expect(ids()).toEqual(['found']);
    expect(connection.calls.map(({ input }) => (input as Query).text)).toEqual(['fou', 'fou', 'fou']);
    expect(rail.total).toBe(1);
    rail.look('');
    expect(ids()).toEqual(['a']);
  });

  it('shortens folders if there are several, and loads more of one folder', async () => {
    const many = Array.from({ length: 12 }, (_, n) => row(`a${n}`));
    const asked: Query[] = [];
    const { rail, ids } = await railOf([...many, row('b', '/b')], (query) => {
      asked.push(query);
      return { items: many, next: null };
    });
    expect(ids()).toEqual([...many.slice(0, 8).map(({ id }) => id), '…', 'b']);
    expect(rail.hasOlder).toBe(true);
    await rail.more('/a');
    expect(asked).toEqual([{ folder: '/a', limit: 50 }]);
    expect(ids()).toEqual([...many.map(({ id }) => id), 'b']);
  });

  it('lists the conversation on the screen, also if no page contains it', async () => {
    const { rail, ids, connection } = await railOf([row('a')]);
    connection.on('conversation.get', () => row('old'));
    await rail.enter('old');
    expect(ids()).toContain('old');
    await rail.enter('a');
    expect(connection.calls.filter(({ method }) => method === 'conversation.get')).toHaveLength(1);
  });

  it('remembers the open folder after its conversation was left, and in a new window', async () => {
    const { rail, connection } = await railOf([row('a'), row('b', '/b')]);
    expect(rail.openFolder).toBeNull();
    await rail.enter('b');
    await rail.enter(null);
    expect(rail.openFolder).toBe('/b');
    connection.on('conversation.get', () => row('old', '/old'));
    await rail.enter('old');
    expect(rail.openFolder).toBe('/old');
    const { rail: another } = await railOf([]);
    another.recall();
    expect(another.openFolder).toBe('/old');
  });

  it('updates renamed, pinned and deleted conversations', async () => {
    const { rail, ids } = await railOf([row('a'), row('b')]);
    rail.changed(row('b', '/a', { title: 'Named', pinned: true }));
    expect([rail.rowOf('b')?.title, ids()]).toEqual(['Named', ['b', 'a']]);
    rail.toggle('b');
    rail.removed('b');
    expect([ids(), [...rail.chosen]]).toEqual([['a'], []]);
  });

  it('selects a range from the first selected conversation', async () => {
    const { rail } = await railOf([]);
    const shown = ['1', '2', '3', '4', '5'];
    rail.toggle('2');
    rail.chooseTo('4', shown);
    expect([...rail.chosen]).toEqual(['2', '3', '4']);
    rail.chooseTo('1', shown);
    expect([...rail.chosen]).toEqual(['1', '2']);
    rail.choose([]);
    expect(rail.chosen.size).toBe(0);
  });

  it('remembers which folders are folded', async () => {
    const { rail } = await railOf([]);
    rail.toggleFolder('/a');
    const { rail: next } = await railOf([]);
    next.recall();
    expect([...next.folded]).toEqual(['/a']);
  });
});
