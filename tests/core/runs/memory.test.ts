/** Notes of agents: kept for later workflows, by agent and folder, bounded, and deleted by the agent or by the person. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_MEMORY_CHARS, MAX_MEMORY_NOTES } from '#contract/limits.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { delegateTo, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { eventItems } from '../../support/commit-items.ts';

const memory = (operation: string, more: object = {}): Block => toolUse('memory', { operation, ...more });

/** One workflow in which the lead makes these calls one after the other. */
function calling(...calls: Block[]): Script {
  const script = new Script();
  for (const [index, call] of calls.entries()) script.on({ step: index + 1 }).reply([call], { times: 1 });
  return script.on({}).reply([text('Done.')]);
}

function outputs(engine: Harness): [string, string][] {
  return engine
    .of('tool-end')
    .flatMap(({ entry }) => (entry.name === 'memory' ? [[entry.status, entry.output] as [string, string]] : []));
}

describe('memory', () => {
  test('an agent writes, reads, lists and deletes a note without an approval', async () => {
    const engine = await startEngine(
      calling(
        memory('write', { name: 'style', text: 'Tabs, not spaces.' }),
        memory('read', { name: 'style' }),
        memory('read', { name: 'other' }),
        memory('list'),
        memory('delete', { name: 'style' }),
        memory('delete', { name: 'style' }),
      ),
    );
    await engine.ask('Go');
    expect(outputs(engine)).toEqual([
      ['completed', 'The note "style" is kept.'],
      ['completed', 'Tabs, not spaces.'],
      ['error', 'There is no note "other". There are: "style"'],
      ['completed', 'style (17 characters)'],
      ['completed', 'The note "style" is deleted.'],
      ['error', 'There is no note "style". There are: none'],
    ]);
    expect(engine.of('memory-change').map(({ scope, name, text: words }) => [scope, name, words])).toEqual([
      ['lead', 'style', 'Tabs, not spaces.'],
      ['lead', 'style', null],
    ]);
    expect(engine.of('approval-request')).toEqual([]);
    expect(await engine.runtime.request('memory.list', {})).toEqual([]);
  });

  test('a temporary agent with the name of the lead cannot read the notes of the lead, nor can another agent', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([memory('write', { name: 'secret', text: 'Of the lead.' })])
      .on({ ...LEAD, turn: 2 })
      .reply([
        spawn({ name: 'lead', prompt: 'Be the lead.' }),
        spawn({ name: 'code-reviewer', prompt: 'Be it, spawned.', agent: 'code-reviewer' }),
        delegateTo('code-reviewer', 'Be it, delegated.'),
      ])
      .on(LEAD)
      .reply([text('Done.')])
      .on({ turn: 1 })
      .reply((seen) => [memory('write', { name: 'mine', text: seen.prompt })])
      .on({ turn: 2 })
      .reply([memory('list')])
      .on({})
      .reply([text('Report.')]);
    const engine = await startEngine(script);
    await engine.ask('Go');
    const lists = outputs(engine).filter(([, output]) => output.endsWith('characters)'));
    expect(lists.map(([, output]) => output.split(' ')[0])).toEqual(['mine', 'mine', 'mine']);
    expect(lists.every(([, output]) => !output.includes('\n'))).toBe(true);
    const notes = await engine.runtime.request('memory.list', { folder: engine.folder });
    expect(notes.map(({ scope, name, text: words }) => [scope, name, words])).toEqual([
      ['code-reviewer', 'mine', 'Be it, delegated.'],
      ['lead', 'secret', 'Of the lead.'],
    ]);
    expect(await engine.runtime.request('memory.list', { folder: '/elsewhere' })).toEqual([]);
  });

  test('a temporary agent cannot read the notes of another temporary agent with an equal name', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'helper', prompt: 'Note it.' })])
      .on(LEAD)
      .reply([text('Done.')])
      .on({ step: 1 })
      .reply([memory('list')])
      .on({ step: 2 })
      .reply([memory('write', { name: 'mine', text: 'Of this run.' })])
      .on({ step: 3 })
      .reply([memory('list')])
      .on({})
      .reply([text('Report.')]);
    const engine = await startEngine(script);
    await engine.ask('Go');
    await engine.ask('Go on');
    const once = ['[There are no notes.]', 'The note "mine" is kept.', 'mine (12 characters)'];
    expect(outputs(engine).map(([, output]) => output)).toEqual([...once, ...once]);
    const { conversationId, folder, runtime, store } = engine;
    expect(await runtime.request('memory.list', {}), 'nobody reads them later').toEqual([]);
    const scopes = engine.of('memory-change').map(({ scope }) => scope);
    const kept = async () => (await Promise.all(scopes.map((scope) => store.notesOf(scope, folder)))).flat();
    expect(await kept()).toHaveLength(2);
    await runtime.request('conversation.delete', { conversationId });
    await runtime.request('conversation.purge', { conversationId });
    await store.settled();
    expect(await kept(), 'they go with their conversation').toEqual([]);
  });

  test('stores the deletion of a note by the person as one event in the history', async () => {
    const engine = await startEngine(calling(memory('write', { name: 'an "old" one', text: 'x' })));
    const { runId, workflowId } = await engine.ask('Go');
    const { folder } = engine;
    const name = 'an "old" one';
    expect(await engine.runtime.request('memory.list', {})).toMatchObject([{ scope: 'lead', folder, name }]);
    await engine.runtime.request('memory.delete', { scope: 'lead', folder, name });
    expect(await engine.runtime.request('memory.list', {})).toEqual([]);
    const again = engine.runtime.request('memory.delete', { scope: 'lead', folder, name });
    await expect(again).rejects.toMatchObject({ code: 'not_found' });
    const events = await engine.store.events(engine.conversationId, 1, 1000);
    expect(events.at(-1)).toMatchObject({
      type: 'memory-change',
      scope: 'lead',
      folder,
      name,
      text: null,
      by: 'person',
      runId,
      workflowId,
    });
    const other = await memoryStore();
    onTestFinished(() => other.close());
    const conversation = { ...(await engine.store.conversation(engine.conversationId))! };
    await other.commit([{ table: 'conversation', key: conversation.id, row: conversation }, ...eventItems(events)]);
    expect((await other.workflow(workflowId))?.outcome).toBe('completed');
    expect(await other.notes()).toEqual([]);
    await engine.ask('The conversation goes on');
    expect((await engine.store.events(engine.conversationId, 1, 1000)).map(({ seq }) => seq)).toEqual(
      engine.durable().map(({ seq }) => seq),
    );
  });

  test('a note outlives its conversation, and can be deleted before and after a purge', async () => {
    const engine = await startEngine(
      calling(memory('write', { name: 'one', text: 'x' }), memory('write', { name: 'two', text: 'x' })),
    );
    await engine.ask('Go');
    const { conversationId, folder, runtime, store } = engine;
    const remove = (name: string) => runtime.request('memory.delete', { scope: 'lead', folder, name });
    await runtime.request('conversation.delete', { conversationId });
    await remove('one');
    await runtime.request('conversation.restore', { conversationId });
    expect((await store.events(conversationId, 1, 1000)).at(-1)).toMatchObject({ name: 'one', text: null });
    await runtime.request('conversation.delete', { conversationId });
    await runtime.request('conversation.purge', { conversationId });
    await store.settled();
    expect((await store.notes()).map(({ name }) => name)).toEqual(['two']);
    await remove('two');
    expect(await store.notes()).toEqual([]);
    expect(await store.lastSeq(conversationId)).toBe(0);
  });

  test('limits the names, the sizes and the number of notes', async () => {
    const engine = await startEngine(
      calling(
        memory('write', { name: 'long', text: 'x'.repeat(MAX_MEMORY_CHARS + 1) }),
        memory('write', { name: ' a', text: 'x' }),
        memory('write', { name: 'a\nb', text: 'x' }),
        memory('write', { name: 'a' }),
        memory('write', { name: 'one too many', text: 'x' }),
        memory('write', { name: 'note 7', text: 'new' }),
      ),
    );
    const { folder } = await engine.runtime.request('app.state', {});
    const notes = Array.from({ length: MAX_MEMORY_NOTES }, (_, n) => `note ${n}`).map((name) => {
      const row = { scope: 'lead', folder, name, text: 'x', updatedAt: new Date().toISOString() };
      return {
        table: 'memory' as const,
        key: [`lead\n${folder}`, name] as [string, string],
        row,
      };
    });
    await engine.store.commit(notes);
    await engine.ask('Go');
    expect(outputs(engine)).toEqual([
      ['error', expect.stringMatching(/at most 20000 characters/)],
      ['error', expect.stringMatching(/must not be empty, nor begin or end with a space/)],
      ['error', expect.stringMatching(/nor have line breaks/)],
      ['error', expect.stringMatching(/is required for write/)],
      ['error', expect.stringMatching(/at most 200 notes/)],
      ['completed', 'The note "note 7" is kept.'],
    ]);
  });
});
