/** A compaction of a conversation in which nothing runs: what a dying process leaves of it, and a message sent meanwhile. */
import { expect, test } from 'vitest';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { NOTES, SUMMARISER } from '../../support/fake-model/compacting.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';

const looking = (script: Script) =>
  script
    .on({ step: 1, lastUser: /^One/ })
    .reply([toolUse('list_directory', { path: '.' })])
    .on({})
    .reply([text('An answer.')]);

test('a message sent during a compaction waits for the summary, and the conversation cannot be deleted meanwhile', async () => {
  const gate = new Gate();
  const held = new Script().on({ system: SUMMARISER }).reply([text(NOTES)], { hold: gate.at(0) });
  const engine = await startEngine(looking(held));
  await engine.ask('One');
  const done = engine.runtime.request('context.compact', { conversationId: engine.conversationId });
  await engine.event('request-start', ({ purpose }) => purpose === 'compaction');
  const { conversationId } = engine;
  const refused = [
    () => engine.runtime.request('conversation.delete', { conversationId }),
    () => engine.runtime.request('conversation.purge', { conversationId }),
  ];
  for (const ask of refused)
    await expect(ask()).rejects.toMatchObject({
      code: 'conflict',
      message: 'Something runs or waits in this conversation: stop it first',
    });
  expect((await engine.store.conversation(conversationId))?.deletedAt).toBeUndefined();
  const { workflowId } = await engine.send('Two');
  gate.open();
  await done;
  await engine.ended(workflowId);
  expect(engine.model.requests.at(-1)?.seen.prompt).toContain('The notes of the model.');
  await engine.runtime.request('conversation.delete', { conversationId });
});

test.for([
  ['a provider that stays overloaded', {}, 3],
  ['a provider that asks for a pause of an hour', { 'retry-after': '3600' }, 1],
] as const)('%s fails a compaction early and leaves no wait in the snapshot', async ([, headers, requests]) => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const script = new Script().on({ system: SUMMARISER }).reply([], { status: 529, error, headers });
  const engine = await startEngine(looking(script));
  await engine.ask('One');
  const { conversationId } = engine;
  const compacting = engine.runtime.request('context.compact', { conversationId });
  await expect(compacting).rejects.toMatchObject({ code: 'overloaded' });
  expect(engine.model.requests.slice(2)).toHaveLength(requests);
  const snapshot = await engine.runtime.request('conversation.snapshot', { conversationId });
  expect(snapshot.waits ?? {}).toEqual({});
});

test('a compaction request of a killed process is counted once at the next start', async () => {
  const gate = new Gate();
  const store = await memoryStore();
  let dead = false;
  const writes: Promise<void>[] = [];
  /** Writes nothing after the death of the program. */
  const commit: Harness['store']['commit'] = (items) => {
    if (dead) return Promise.resolve();
    const write = store.commit(items);
    writes.push(write);
    return write;
  };
  const script = new Script().on({ system: SUMMARISER }).reply([text(NOTES)], { hold: gate.at(3) });
  const engine = await startEngine(looking(script), { store: { ...lasting(store), commit } });
  const { workflowId, runId } = await engine.ask('One');
  const { conversationId } = engine;
  const compacting = engine.runtime.request('context.compact', { conversationId }).catch(() => undefined);
  const { request } = await engine.event('request-start', ({ purpose }) => purpose === 'compaction');
  await eventually(async () => expect(await store.openMessages()).toHaveLength(1));
  dead = true;
  await Promise.all(writes);

  for (let start = 0; start < 2; start += 1) await (await startAgain(engine, lasting(store))).close();
  const counted = (await store.requestsOf(workflowId)).filter(({ purpose }) => purpose === 'compaction');
  const { inputTokens } = request;
  expect(counted).toMatchObject([{ inputTokens, reported: false, error: { code: 'interrupted' } }]);
  expect((await store.run(runId))?.outcome).toBe('completed');
  expect(await store.openMessages()).toEqual([]);
  gate.open();
  await compacting;
});
