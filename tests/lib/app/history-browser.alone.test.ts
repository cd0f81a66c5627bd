// The history's lists: each is asked for as its address says, page by page, and forgets what was deleted.
import { afterEach, expect, it, vi } from 'vitest';
import type { SubAgentExecution } from '#contract/execution.ts';
import { HistoryBrowser } from '#lib/app/history-browser.svelte.ts';
import { NO_FILTERS, queryStringOf, type HistoryQuery } from '#lib/view/history-query.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';

const execution = (id: string): SubAgentExecution => ({
  id,
  sub_agent_id: id,
  workflow_id: 'w',
  parent_agent_id: 'p',
  sub_agent_name: 'inspector',
  task_description: 'Look.',
  status: 'completed',
  created_at: '2026-03-01T12:00:00.000Z',
});
const query: HistoryQuery = { ...NO_FILTERS, list: 'agents', agent: 'inspector', sort: 'cost' };

it('loads the next page of sub-agents with the filters and the cursor of the page before', async () => {
  const connection = new FakeConnection().on('execution.list', ({ before }) =>
    before === undefined ? { items: [execution('b')], next: 'after b' } : { items: [execution('a')], next: null },
  );
  const browser = new HistoryBrowser(connection);
  browser.open(query);
  await settled();
  await browser.executions.loadMore();
  await browser.executions.loadMore();
  expect(browser.executions.items.map(({ id }) => id)).toEqual(['b', 'a']);
  const asked = { agent: 'inspector', sort: 'cost', limit: 100 };
  expect(connection.calls).toEqual([
    { method: 'execution.list', input: asked },
    { method: 'execution.list', input: { ...asked, before: 'after b' } },
  ]);
  expect(browser.workflows.loaded).toBe(false);
});

afterEach(() => void vi.useRealTimers());

it('refreshes a list until all its rows have ended and nothing is running', async () => {
  vi.useFakeTimers();
  let rows = [execution('a')];
  const connection = new FakeConnection().on('execution.list', () => ({ items: rows, next: null }));
  const browser = new HistoryBrowser(connection);
  browser.open(query);
  await vi.advanceTimersByTimeAsync(0);
  let isWorking = true;
  const end = browser.follow(query, () => isWorking);
  await vi.advanceTimersByTimeAsync(5000);
  // Its end is stored after nothing works any more.
  isWorking = false;
  await vi.advanceTimersByTimeAsync(5000);
  rows = [{ ...execution('a'), outcome: 'completed' }];
  await vi.advanceTimersByTimeAsync(5000);
  expect(browser.executions.items).toEqual(rows);
  expect(browser.changes, 'only what is another list counts').toBe(1);
  const asked = connection.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(connection.calls).toHaveLength(asked);
  end();
});

it('reloads the list on return to it, and forgets its address after a deletion', async () => {
  const newest = { ...query, sort: 'newest' } as const;
  const connection = new FakeConnection().on('execution.list', () => ({ items: [execution('a')], next: null }));
  const browser = new HistoryBrowser(connection);
  browser.open(newest);
  await settled();
  browser.refreshIfShown(newest);
  await settled();
  expect(connection.calls).toHaveLength(2);
  expect(browser.search).toBe(queryStringOf(newest));
  browser.removeConversation('c');
  expect(browser.search).toBeNull();
});

it('removes the search hits of a deleted conversation, also title hits', async () => {
  const titled = (conversationId: string) => ({
    conversationId,
    title: 'Ports',
    at: '2026-03-01T12:00:00.000Z',
    hits: [],
  });
  const connection = new FakeConnection().on('history.search', () => ({
    items: [],
    next: null,
    agents: ['porter'],
    titles: [titled('c'), titled('d')],
  }));
  const browser = new HistoryBrowser(connection);
  browser.open({ ...NO_FILTERS, text: 'port' });
  await settled();
  browser.removeConversation('c');
  expect(browser.names).toEqual({ titles: [titled('d')], agents: ['porter'] });
});

it('ignores the names of a search that a narrower search has replaced', async () => {
  const late = Promise.withResolvers<{ items: []; next: null; agents: string[] }>();
  const connection = new FakeConnection().on('history.search', ({ workflows }) =>
    workflows === undefined ? late.promise : { items: [], next: null },
  );
  const browser = new HistoryBrowser(connection);
  browser.open({ ...NO_FILTERS, text: 'port' });
  browser.open({ ...NO_FILTERS, text: 'port', agent: 'porter' });
  await settled();
  late.resolve({ items: [], next: null, agents: ['porter'] });
  await settled();
  expect(browser.names).toEqual({ titles: [], agents: [] });
});

it('searches with the filters of the list, and continues after an empty page', async () => {
  const pages = [
    { items: [], next: 'a' },
    { items: [], next: null },
  ];
  const connection = new FakeConnection().on('history.search', () => pages.shift() ?? { items: [], next: null });
  const browser = new HistoryBrowser(connection);
  const input = () => connection.calls.map(({ input }) => input);
  browser.open({ ...NO_FILTERS, text: 'port', agent: 'porter' });
  await settled();
  expect(input()).toEqual([
    { text: 'port', workflows: { agent: 'porter' }, limit: 100 },
    { text: 'port', workflows: { agent: 'porter' }, before: 'a', limit: 100 },
  ]);
  browser.open({ ...NO_FILTERS, text: 'port', list: 'agents', kind: 'chain' });
  browser.open({ ...NO_FILTERS, text: 'port' });
  await settled();
  expect(input().slice(2)).toEqual([
    { text: 'port', executions: { kind: 'chain' }, limit: 100 },
    { text: 'port', limit: 100 },
  ]);
});

it('loads the filter values of each list', async () => {
  const none = { agents: [], models: [], tools: [], folders: [] };
  const connection = new FakeConnection()
    .on('workflow.facets', () => ({ ...none, tools: ['grep'] }))
    .on('execution.facets', () => ({ agents: ['inspector'], models: [] }));
  const browser = new HistoryBrowser(connection);
  await browser.loadFacets('agents');
  expect(browser.facets).toEqual({ workflows: none, agents: { ...none, agents: ['inspector'] } });
  await browser.loadFacets('workflows');
  expect(browser.facets.workflows).toEqual({ ...none, tools: ['grep'] });
});

it('requests the totals of each day once, and again after a change', async () => {
  const connection = new FakeConnection().on('workflow.days', ({ days }) => ({
    days: days.map((_, count) => ({ count, tokens: 1, estimated: 0, nanoUsd: 2, unpriced: 0 })),
    whole: true,
  }));
  const { days } = new HistoryBrowser(connection);
  const asked = () => connection.calls.map(({ input }) => (input as { days: { from: string }[] }).days.length);
  await days.load(NO_FILTERS, ['2026-03-02', '2026-03-01']);
  expect(days.totals['2026-03-01']).toMatchObject({ count: 1, whole: true });
  await days.load(NO_FILTERS, ['2026-03-02', '2026-03-01', '2026-02-27']);
  await days.load(NO_FILTERS, ['2026-02-27']);
  expect(asked()).toEqual([2, 1]);
  days.invalidate();
  expect(days.totals['2026-02-27'], 'shown until it is known anew').toBeDefined();
  await days.load(NO_FILTERS, ['2026-02-27']);
  await days.load({ ...NO_FILTERS, agent: 'inspector' }, ['2026-02-26']);
  expect(Object.keys(days.totals)).toEqual(['2026-02-26']);
  expect(connection.calls.at(-1)?.input).toMatchObject({ agent: 'inspector' });
});

it('requests the totals of a day again after a failure', async () => {
  const connection = new FakeConnection();
  const { days } = new HistoryBrowser(connection);
  await days.load(NO_FILTERS, ['2026-03-01']);
  await days.load(NO_FILTERS, ['2026-03-01']);
  expect(connection.calls).toHaveLength(2);
  expect(days.totals).toEqual({});
});
