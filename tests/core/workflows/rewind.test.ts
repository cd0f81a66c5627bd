/** Going back to before a message: a fork that ends there, and an undo of the files changed since; both or neither. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Changes } from '#core/workspace/changes.ts';
import { type Harness, startEngine, talkIn } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { memoryStore } from '../../support/stores/pooled.ts';

type Engine = Awaited<ReturnType<typeof startEngine>>;

const write = (id: string, path: string, content: string) => toolUse('write_file', { path, content }, { id });

/** The second message has the lead and a sub-agent write. */
function script(): Script {
  return new Script()
    .on({ ...CHILD, step: 1 })
    .reply([write('scout_1', 'scout.txt', 'by the scout')])
    .on(CHILD)
    .reply([text('# Report\n\nThe wombat is in the cellar.')])
    .on({ ...LEAD, asked: /^First/, step: 1 })
    .reply([write('call_1', 'a.txt', 'first')])
    .on({ ...LEAD, asked: /^Second/, step: 1 })
    .reply([
      write('call_2', 'a.txt', 'second'),
      spawn({ name: 'scout', prompt: 'Find it.', tools: ['write_file'] }, 'call_3'),
    ])
    .on({ ...LEAD, asked: /^Last/, step: 1 })
    .reply([write('call_4', 'a.txt', 'last')])
    .on({})
    .reply([text('Done.')]);
}

const messagesOf = (engine: Engine, asked: RegExp): string[] =>
  engine.model.requests.filter(({ seen }) => asked.test(seen.asked)).map(({ body }) => JSON.stringify(body.messages));

const start = async (options: Parameters<typeof startEngine>[1] = {}, words = script()): Promise<Engine> => {
  const engine = await startEngine(words, { files: { 'a.txt': 'before' }, ...options });
  await engine.ask('First');
  return engine;
};

const put = ({ runtime, conversationId }: Engine, fromWorkflowId: string, how = {}) =>
  runtime.request('change.undo', { conversationId, target: { fromWorkflowId }, ...how });

const rewind = ({ runtime, conversationId }: Engine, workflowId: string, how = {}) =>
  runtime.request('conversation.rewind', { conversationId, workflowId, ...how });

/** Conversations that are forks of this one, also in the trash. */
async function forksOf({ runtime, conversationId }: Engine): Promise<string[]> {
  const [listed, trashed] = await Promise.all([
    runtime.request('conversation.list', {}),
    runtime.request('trash.list', {}),
  ]);
  return [...listed.items, ...trashed.items]
    .filter(({ from }) => from?.conversationId === conversationId)
    .map(({ id }) => id);
}

const snapshotOf = ({ runtime }: Engine, conversationId: string) =>
  runtime.request('conversation.snapshot', { conversationId });

test('rewinding undoes the files since the message and makes a fork whose next request lacks that message', async () => {
  const [engine, other] = await Promise.all([start(), start()]);
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Second');
  const file = (path: string) => readFile(join(engine.folder, path), 'utf8');
  const before = await snapshotOf(engine, conversationId);

  const { conversation, files } = await rewind(engine, workflowId);
  expect(files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'a.txt', outcome: 'put_back' },
    { path: 'scout.txt', outcome: 'put_back' },
  ]);
  expect(await file('a.txt')).toBe('first');
  await expect(file('scout.txt')).rejects.toThrow('ENOENT');
  expect(conversation.from).toMatchObject({ conversationId, workflowId, message: 2 });
  expect((await snapshotOf(engine, conversation.id)).workflows.map(({ prompt }) => prompt)).toEqual(['First']);

  const talk = await talkIn(runtime, conversation.id);
  const sent = await runtime.request('message.send', {
    conversationId: conversation.id,
    text: 'Third',
    approve: 'ask',
  });
  await talk.ended(sent.workflowId);
  talk.leave();
  await other.ask('Third');
  const third = messagesOf(engine, /^Third/);
  expect(third).toHaveLength(1);
  expect(third).toEqual(messagesOf(other, /^Third/));

  const after = await snapshotOf(engine, conversationId);
  expect(after.workflows.map(({ prompt, usage }) => [prompt, usage])).toEqual(
    before.workflows.map(({ prompt, usage }) => [prompt, usage]),
  );
  await put(engine, workflowId, { redo: true });
  expect([await file('a.txt'), await file('scout.txt')]).toEqual(['second', 'by the scout']);
});

test('rewinding also leaves out later messages, and a conflict prevents both the undo and the fork', async () => {
  const engine = await start();
  const { conversationId } = engine;
  const { workflowId } = await engine.ask('Second');
  await engine.ask('Later');
  await writeFile(join(engine.folder, 'a.txt'), 'mine');
  const elsewhere = { folder: '/elsewhere', at: '2026-01-01T00:00:00.000Z', notKept: [] };
  const files = [{ path: 'c.txt', before: null, after: null }];
  const ids = { conversationId, workflowId, runId: workflowId, toolCallId: 'call_0', agent: 'lead', tool: 'bash' };
  await new Changes(`${engine.folder}-replaced`).keep({ ...ids, ...elsewhere, files }, []);
  expect(await put(engine, workflowId, { preview: true })).toEqual(
    expect.arrayContaining([
      { path: 'scout.txt', outcome: 'put_back' },
      expect.objectContaining({ path: 'a.txt', outcome: 'conflict', says: { key: 'change_in_the_way', values: {} } }),
      expect.objectContaining({
        path: '/elsewhere/c.txt',
        outcome: 'conflict',
        says: { key: 'other_folder', values: {} },
      }),
    ]),
  );
  await expect(rewind(engine, workflowId)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(join(engine.folder, 'scout.txt'), 'utf8')).toBe('by the scout');
  expect(await forksOf(engine)).toEqual([]);
  const { conversation } = await rewind(engine, workflowId, { leave: true });
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('mine');
  expect((await snapshotOf(engine, conversation.id)).workflows.map(({ prompt }) => prompt)).toEqual(['First']);
  expect(await put(engine, workflowId, { redo: true })).toEqual([{ path: 'scout.txt', outcome: 'put_back' }]);
  await expect(put(engine, workflowId, { redo: true })).rejects.toThrow('Nothing of this is undone');
});

test('files that are already undone are no conflict, and a redo restores only the part of its own undo', async () => {
  const engine = await start();
  const first = engine.of('workflow-start')[0]!.workflowId;
  const second = await engine.ask('Second');
  await engine.ask('Last');
  const content = () => readFile(join(engine.folder, 'a.txt'), 'utf8');
  await rewind(engine, second.workflowId);
  expect(await content()).toBe('first');
  expect((await rewind(engine, second.workflowId)).files).toContainEqual({ path: 'a.txt', outcome: 'already' });
  expect((await rewind(engine, first)).files).toContainEqual({ path: 'a.txt', outcome: 'put_back' });
  expect(await content()).toBe('before');
  expect(await forksOf(engine)).toHaveLength(3);

  const undoneCalls = async () => {
    const events = await engine.store.events(engine.conversationId, 1, 10_000);
    return events.flatMap((event) => (event.type === 'change-undo' ? [[event.toolCallId, event.undone]] : []));
  };
  const before = await undoneCalls();
  await put(engine, first, { redo: true });
  expect(await content()).toBe('first');
  expect((await undoneCalls()).slice(before.length)).toEqual([['call_1', false]]);
  await put(engine, second.workflowId, { redo: true });
  expect(await content()).toBe('last');
});

test('the fork leaves the trash only once the files are undone', async () => {
  const store = await memoryStore();
  const seen: string[] = [];
  const restore: Harness['store']['restore'] = async (id) => {
    seen.push(await readFile(join(engine.folder, 'a.txt'), 'utf8'));
    return store.restore(id);
  };
  const engine: Engine = await start({ store: { ...store, restore } });
  const { workflowId } = await engine.ask('Second');
  await rewind(engine, workflowId);
  expect(seen).toEqual(['first']);
});

test('rewinding without changed files only makes a fork', async () => {
  const engine = await start();
  const { workflowId } = await engine.ask('Later');
  const { conversation, files } = await rewind(engine, workflowId);
  expect(files).toEqual([]);
  expect(await forksOf(engine)).toEqual([conversation.id]);
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('first');
});

test('rejects rewinding in a busy or deleted conversation, or to an unknown message', async () => {
  const gate = new Gate();
  const held = script()
    .on({ asked: /^Hold/ })
    .reply([text('Held.')], { hold: gate.at(0) });
  held.rules.unshift(held.rules.pop()!);
  const engine = await start({}, held);
  const { runtime, conversationId } = engine;
  const first = engine.of('workflow-start')[0]!.workflowId;
  const hold = await engine.send('Hold');
  const busy = 'Something runs or waits in this conversation: stop it first';
  await expect(rewind(engine, first)).rejects.toMatchObject({ code: 'conflict', message: busy });
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('first');
  await expect(rewind(engine, hold.workflowId)).rejects.toMatchObject({ code: 'conflict', message: busy });
  expect(await forksOf(engine)).toEqual([]);
  gate.open();
  await engine.ended(hold.workflowId);
  await expect(rewind(engine, conversationId)).rejects.toMatchObject({ code: 'not_found' });
  expect(await forksOf(engine)).toEqual([]);

  await runtime.request('conversation.delete', { conversationId });
  await expect(rewind(engine, first)).rejects.toMatchObject({
    code: 'conflict',
    message: 'This conversation is in the trash: restore it first',
  });
});
