/** Nothing starts, goes on or is given more in the trash, also where the deletion comes in the middle of a start. */
import { expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { settingsOf } from '../../support/compose.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';

/** A lead that was interrupted in its first answer, and the runtime after it. */
async function interrupted(settings = '') {
  const store = await memoryStore();
  const script = new Script()
    .on({})
    .reply([text('Almost')], { hangAfter: 3, times: 1 })
    .on({})
    .reply([text('Real.')]);
  const engine = await startEngine(script, { store: lasting(store) });
  const { workflowId, runId } = await engine.send('Go');
  await engine.event('message-start');
  await engine.runtime.close();
  const again = await startAgain(engine, store, { settings: settingsOf(settings) });
  return { store, engine, again, workflowId, runId };
}

test('rejects a message if its conversation is deleted before the workflow starts', async () => {
  const inner = await memoryStore();
  const reached = Promise.withResolvers<undefined>();
  const free = Promise.withResolvers<undefined>();
  let slow = '';
  const store = {
    ...inner,
    lastSeq: async (id: string) => {
      if (id === slow) {
        reached.resolve(undefined);
        await free.promise;
      }
      return inner.lastSeq(id);
    },
  };
  // Of a conversation that it made itself a program asks nothing.
  const before = await startEngine(plainAnswer(), { store: inner });
  const { id: conversationId } = await before.runtime.request('conversation.create', {});
  const { runtime, model } = await startEngine(plainAnswer(), { store });
  slow = conversationId;
  const sent = runtime.request('message.send', { conversationId, text: 'Hi' });
  const refused = expect(sent).rejects.toMatchObject({ code: 'conflict' });
  await reached.promise;
  await runtime.request('conversation.delete', { conversationId });
  free.resolve(undefined);
  await refused;
  expect(model.requests).toEqual([]);
  expect(await inner.lastSeq(conversationId)).toBe(0);
});

test('rejects resuming and extending an interrupted workflow in the trash, without any event, and after a purge', async () => {
  const { store, engine, again, workflowId, runId } = await interrupted();
  const { conversationId } = engine;
  const add = { tokens: 1000 };
  const ways = [
    () => again.request('workflow.extend', { workflowId, add, seen: DEFAULT_WORKFLOW_LIMITS }),
    () => again.request('run.extend', { runId, add, seen: { iterations: 200 } }),
    () => again.request('workflow.resume', { workflowId }),
  ];
  await again.request('conversation.delete', { conversationId });
  const seq = await store.lastSeq(conversationId);
  for (const way of ways) await expect(way()).rejects.toMatchObject({ code: 'conflict' });
  expect(await store.lastSeq(conversationId)).toBe(seq);
  await again.request('conversation.purge', { conversationId });
  for (const way of ways) await expect(way()).rejects.toMatchObject({ code: 'not_found' });
});

test('rejects the purge of a conversation with a running workflow', async () => {
  const store = await memoryStore();
  const answered = new Gate();
  const script = plainAnswer({ reply: { hold: answered.at(0) } });
  const engine = await startEngine(script, { store });
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.send('Wait');
  // Nothing gets there while it runs; this is as if something had.
  await store.trash(conversationId, new Date().toISOString());
  await expect(runtime.request('conversation.purge', { conversationId })).rejects.toMatchObject({
    code: 'conflict',
  });
  answered.open();
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});

test('rejects resuming work of the real provider while the demo is active', async () => {
  const { engine, again, workflowId } = await interrupted('[providers]\nactive = "demo"\n');
  const before = engine.model.requests.length;
  await expect(again.request('workflow.resume', { workflowId })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('switch the provider') as string,
  });
  expect(engine.model.requests).toHaveLength(before);
});

test('rejects an extension that makes a limit larger than its maximum', async () => {
  const { again, store, workflowId } = await interrupted('');
  const extend = async (add: object) => {
    const seen = (await store.workflow(workflowId))?.budget ?? {};
    await again.request('workflow.extend', { workflowId, add, seen });
  };
  const refused = { code: 'bad_input', message: expect.stringContaining('at most') as string };
  await expect(extend({ costUsd: 1e308 })).rejects.toMatchObject(refused);
  await expect(extend({ tokens: Number.MAX_SAFE_INTEGER })).rejects.toMatchObject(refused);
  await extend({ tokens: 1e12 - 1e6 });
  await expect(extend({ tokens: 1e12 })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/^The number of tokens, with what is added, is more/) as string,
  });
  expect((await store.workflow(workflowId))?.budget?.tokens).toBeLessThanOrEqual(1e12);
});
