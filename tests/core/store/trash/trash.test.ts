/** The trash: everything of a conversation hidden at once, taken back as it was, and in the end really deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Output } from '#contract/rpc.ts';
import { newId } from '#core/base/ids.ts';
import { Conversation } from '../finished.ts';
import { ENGINES } from '../engines.ts';
import { openRuntimeOn, type OpenedRuntime } from '../open-runtime.ts';

const CHILD = { agent: 'trashy', model: 'rubbish', tools: ['shred'], outcome: 'refused' as const };

/** What every list says of a conversation's things. */
async function seen(request: OpenedRuntime['request'], id: string) {
  const ids = <T extends { id: string }>({ items }: { items: T[] }) => items.map((one) => one.id);
  const limit = 200;
  const facets = await request('workflow.facets', {});
  const ofConversation = ({ items }: Output<'workflow.list'>) =>
    items.filter(({ conversationId }) => conversationId === id).length;
  return {
    conversations: ids(await request('conversation.list', { limit })).filter((one) => one === id),
    trashed: ids(await request('trash.list', { limit })).filter((one) => one === id),
    newest: ofConversation(await request('workflow.list', { limit })),
    costly: ofConversation(await request('workflow.list', { limit, sort: 'cost' })),
    byAgent: ids(await request('workflow.list', { limit, agent: 'trashy' })).length,
    byOutcome: ids(await request('workflow.list', { limit, outcome: 'refused' })).length,
    facets: [facets.agents.includes('trashy'), facets.models.includes('rubbish'), facets.tools.includes('shred')],
    words: (await request('history.search', { text: 'platypus', limit })).items.length,
    executions: ids(await request('execution.list', { limit, agent: 'trashy' })).length,
    costlyExecutions: (await request('execution.list', { limit, sort: 'cost', model: 'rubbish' })).items.length,
    executionFacets: (await request('execution.facets', {})).agents.includes('trashy'),
  };
}

/** Less than the days after which the runtime purges a conversation. */
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();

describe.each(ENGINES)('on %s', (engine) => {
  let opened: OpenedRuntime;
  let store: OpenedRuntime['store'];
  let request: OpenedRuntime['request'];
  beforeAll(async () => {
    opened = await openRuntimeOn(engine);
    ({ store, request } = opened);
    const other = await new Conversation(store).create();
    await other.add({ prompt: 'Something else' });
  });
  afterAll(() => opened.close());

  const make = async () => {
    const conversation = await new Conversation(store).create();
    const plans = [0, 1, 2].map((n) => ({ prompt: `platypus ${n}`, children: [CHILD], lead: { text: 'x' } }));
    await conversation.addAll(plans);
    return conversation;
  };
  const discard = async (conversationId: string) => {
    await request('conversation.delete', { conversationId });
    await request('conversation.purge', { conversationId });
  };
  const tables = async () => {
    const names = Object.keys(((await opened.database.query('INFO FOR DB'))[0] as { tables: object }).tables);
    const rows = await opened.database.query(names.map((name) => `SELECT * FROM ${name};`).join('\n'));
    return new Map(names.map((name, index) => [name, JSON.parse(JSON.stringify(rows[index])) as object[]]));
  };

  test('hides a deleted conversation from all lists, and restores it unchanged', async () => {
    const { id: conversationId } = (await make()).row;
    const get = () => request('conversation.get', { conversationId });
    const before = await seen(request, conversationId);
    expect(before).toMatchObject({
      conversations: [conversationId],
      trashed: [],
      newest: 3,
      costly: 3,
      byAgent: 3,
      words: 3,
      executions: 3,
      costlyExecutions: 3,
      executionFacets: true,
    });
    expect(before.facets).toEqual([true, true, true]);
    const stored = await get();
    const startedAt = new Date().toISOString();
    await request('conversation.delete', { conversationId });
    const { deletedAt, ...kept } = await get();
    expect(kept).toEqual(stored);
    expect([startedAt, deletedAt, new Date().toISOString()].toSorted()[1]).toBe(deletedAt);
    await expect(request('conversation.delete', { conversationId })).rejects.toMatchObject({ code: 'conflict' });
    expect(await seen(request, conversationId)).toEqual({
      conversations: [],
      trashed: [conversationId],
      newest: 0,
      costly: 0,
      byAgent: 0,
      byOutcome: 0,
      words: 0,
      facets: [false, false, false],
      executions: 0,
      costlyExecutions: 0,
      executionFacets: false,
    });
    expect(await get()).toEqual({ ...stored, deletedAt });
    expect((await request('conversation.snapshot', { conversationId })).workflows).toHaveLength(3);
    await request('conversation.restore', { conversationId });
    await expect(request('conversation.restore', { conversationId })).rejects.toMatchObject({ code: 'conflict' });
    expect(await seen(request, conversationId)).toEqual(before);
    expect(await get()).toEqual(stored);
    await discard(conversationId);
  });

  test('hides and restores a conversation that is deleted before it is indexed', async () => {
    const { id: conversationId } = (await make()).row;
    await request('conversation.delete', { conversationId });
    expect(await seen(request, conversationId)).toMatchObject({
      byAgent: 0,
      words: 0,
      executions: 0,
      executionFacets: false,
    });
    await request('conversation.restore', { conversationId });
    const restored = { byAgent: 3, words: 3, executions: 3, executionFacets: true };
    expect(await seen(request, conversationId)).toMatchObject(restored);
    await discard(conversationId);
  });

  test('a purge deletes every row of a conversation', async () => {
    await store.settled();
    const before = await tables();
    const conversation = await make();
    const { id } = conversation.row;
    const { workflows } = await request('conversation.snapshot', { conversationId: id });
    const { id: workflowId, runId, createdAt: at } = workflows.at(-1)!;
    const message = { messageId: newId(), conversationId: id, workflowId, runId, at, parts: [] };
    await store.commit([{ table: 'open_message', key: message.messageId, row: message }]);
    // Enough for a segment of the search.
    await conversation.add({
      children: [{ ...CHILD, tools: Array.from({ length: 260 }, () => 'shred') }],
    });
    await store.settled();
    expect((await tables()).get('search_segment')?.length).toBeGreaterThan(before.get('search_segment')?.length ?? 0);
    const purge = () => request('conversation.purge', { conversationId: id });
    await expect(purge()).rejects.toMatchObject({ code: 'conflict' });
    await request('conversation.delete', { conversationId: id });
    await purge();
    await expect(request('conversation.get', { conversationId: id })).rejects.toMatchObject({ code: 'not_found' });
    expect((await request('trash.list', {})).items).toEqual([]);
    await store.settled();
    const after = await tables();
    for (const [name, rows] of before) {
      // Counts stay, as zeros.
      const left =
        name === 'facet' ? after.get(name)?.filter((row) => !('count' in row && row.count === 0)) : after.get(name);
      const same = name === 'facet' ? rows.filter((row) => !('count' in row && row.count === 0)) : rows;
      if (!['search_segment', 'search_words', 'workflow_index', 'lease'].includes(name))
        expect(left, name).toEqual(same);
    }
    const text = JSON.stringify([...after]);
    expect(text).not.toContain('platypus');
    expect(text).not.toContain(id);
    expect((await request('history.search', { text: 'something' })).items).toHaveLength(1);
  });

  test('lists the conversations that were deleted before a given time', async () => {
    const [old, young] = [await make(), await make()];
    await store.trash(old.row.id, daysAgo(3));
    await store.trash(young.row.id, daysAgo(1));
    expect((await request('trash.list', {})).items.map(({ id }) => id)).toEqual([young.row.id, old.row.id]);
    expect(await store.trashedBefore(daysAgo(2), 9)).toEqual([old.row.id]);
    for (const { row } of [old, young]) await store.purge(row.id);
  });
});
