/** The trash: everything of a conversation hidden at once, taken back as it was, and in the end really deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import type { Store } from '#core/store/store.ts';
import { Conversation } from '../finished.ts';
import { ENGINES } from '../engines.ts';
import { openOn, type Opened } from '../support.ts';

const CHILD = { agent: 'trashy', model: 'rubbish', tools: ['shred'], outcome: 'refused' as const };

/** What every list says of a conversation's things. */
async function seen(store: Store, id: string) {
  const ids = <T extends { id: string }>({ items }: { items: T[] }) => items.map((one) => one.id);
  const limit = 200;
  const facets = await store.facets();
  return {
    conversations: ids(await store.conversations({ limit })).filter((one) => one === id),
    trashed: ids(await store.trashed({ limit })).filter((one) => one === id),
    newest: (await store.workflows({ limit })).items.filter(({ conversationId }) => conversationId === id).length,
    costly: (await store.workflows({ limit, sort: 'cost' })).items.filter(({ conversationId }) => conversationId === id)
      .length,
    byAgent: ids(await store.workflows({ limit, agent: 'trashy' })).length,
    byOutcome: ids(await store.workflows({ limit, outcome: 'refused' })).length,
    facets: [facets.agents.includes('trashy'), facets.models.includes('rubbish'), facets.tools.includes('shred')],
    words: (await store.search({ text: 'platypus', limit })).items.length,
    executions: ids(await store.executions({ limit, agent: 'trashy' })).length,
    costlyExecutions: (await store.executions({ limit, sort: 'cost', model: 'rubbish' })).items.length,
    executionFacets: (await store.executionFacets()).agents.includes('trashy'),
  };
}

describe.each(ENGINES)('on %s', (engine) => {
  let opened: Opened;
  let store: Store;
  beforeAll(async () => {
    opened = await openOn(engine);
    store = opened.store;
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
  const tables = async () => {
    const names = Object.keys(((await opened.database.query('INFO FOR DB'))[0] as { tables: object }).tables);
    const rows = await opened.database.query(names.map((name) => `SELECT * FROM ${name};`).join('\n'));
    return new Map(names.map((name, index) => [name, JSON.parse(JSON.stringify(rows[index])) as object[]]));
  };

  test('hides a deleted conversation from all lists, and restores it unchanged', async () => {
    const { row } = await make();
    const before = await seen(store, row.id);
    expect(before).toMatchObject({
      conversations: [row.id],
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
    const stored = await store.conversation(row.id);
    const at = '2026-03-02T00:00:00.000Z';
    expect(await store.trash(row.id, at)).toBe(true);
    expect(await store.trash(row.id, at)).toBe(false);
    expect(await seen(store, row.id)).toEqual({
      conversations: [],
      trashed: [row.id],
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
    expect(await store.conversation(row.id)).toEqual({ ...stored, deletedAt: at });
    expect((await store.workflows({ conversationId: row.id, limit: 9 })).items).toHaveLength(3);
    expect(await store.restore(row.id)).toBe(true);
    expect(await store.restore(row.id)).toBe(false);
    expect(await seen(store, row.id)).toEqual(before);
    expect(await store.conversation(row.id)).toEqual(stored);
    await store.trash(row.id, at);
    await store.purge(row.id);
  });

  test('hides and restores a conversation that is deleted before it is indexed', async () => {
    const { row } = await make();
    await store.trash(row.id, '2026-03-02T00:00:00.000Z');
    expect(await seen(store, row.id)).toMatchObject({ byAgent: 0, words: 0, executions: 0, executionFacets: false });
    await store.restore(row.id);
    expect(await seen(store, row.id)).toMatchObject({ byAgent: 3, words: 3, executions: 3, executionFacets: true });
    await store.trash(row.id, '2026-03-02T00:00:00.000Z');
    await store.purge(row.id);
  });

  test('a purge deletes every row of a conversation', async () => {
    await store.settled();
    const before = await tables();
    const conversation = await make();
    const { id } = conversation.row;
    const [workflow] = (await store.workflows({ conversationId: id, limit: 1 })).items;
    const { id: workflowId, runId, createdAt: at } = workflow!;
    const message = { messageId: newId(), conversationId: id, workflowId, runId, at, parts: [] };
    await store.commit([{ table: 'open_message', key: message.messageId, row: message }]);
    // Enough for a segment of the search.
    await conversation.add({
      children: [{ ...CHILD, tools: Array.from({ length: 260 }, () => 'shred') }],
    });
    await store.settled();
    expect((await tables()).get('search_segment')?.length).toBeGreaterThan(before.get('search_segment')?.length ?? 0);
    expect(await store.purge(id)).toBe(false);
    await store.trash(id, '2026-03-02T00:00:00.000Z');
    expect(await store.purge(id)).toBe(true);
    expect(await store.conversation(id)).toBeNull();
    expect((await store.trashed({ limit: 9 })).items).toEqual([]);
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
    expect((await store.search({ text: 'something', limit: 9 })).items).toHaveLength(1);
  });

  test('lists the conversations that were deleted before a given time', async () => {
    const [old, young] = [await make(), await make()];
    await store.trash(old.row.id, '2026-01-01T00:00:00.000Z');
    await store.trash(young.row.id, '2026-03-01T00:00:00.000Z');
    expect((await store.trashed({ limit: 9 })).items.map(({ id }) => id)).toEqual([young.row.id, old.row.id]);
    expect(await store.trashedBefore('2026-02-01T00:00:00.000Z', 9)).toEqual([old.row.id]);
    for (const { row } of [old, young]) await store.purge(row.id);
  });
});
