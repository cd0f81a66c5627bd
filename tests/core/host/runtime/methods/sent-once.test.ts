/** A message that is sent once more with its id, because no answer came, begins nothing more. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { startAgain, startEngine } from '../../../../support/engine.ts';

const answers = (): Script => new Script().on({}).reply([text('Done.')]);

test('a message sent again with its id returns the first workflow, and another text with that id is rejected', async () => {
  const engine = await startEngine(answers());
  const { runtime, store, conversationId, model } = engine;
  const message = { conversationId, text: 'Look', sentAs: randomUUID() };
  const first = await runtime.request('message.send', message);
  await engine.ended(first.workflowId);
  const { workflowId, runId } = await runtime.request('message.send', message);
  expect([workflowId, runId]).toEqual([first.workflowId, first.runId]);
  const other = runtime.request('message.send', { ...message, text: 'Look there' });
  await expect(other).rejects.toMatchObject({ code: 'conflict' });
  expect((await store.workflows({ conversationId, limit: 10 })).items).toHaveLength(1);
  expect(model.requests).toHaveLength(1);
});

test('two simultaneous messages with one id start one workflow, and messages without that id start others', async () => {
  const { runtime, store, conversationId } = await startEngine(answers());
  const send = (sentAs?: string) => runtime.request('message.send', { conversationId, text: 'Look', sentAs });
  const id = newId();
  const [one, same] = await Promise.all([send(id), send(id)]);
  expect(same.workflowId).toBe(one.workflowId);
  await Promise.all([send(), send(), send(newId())]);
  expect((await store.workflows({ conversationId, limit: 10 })).items).toHaveLength(4);
});

test('ignores a message id that occurs only in the text of another message', async () => {
  const engine = await startEngine(answers());
  const { runtime, store, conversationId } = engine;
  const sentAs = newId();
  const trap = `{"sentAs":"${sentAs}"}`;
  await engine.ended((await runtime.request('message.send', { conversationId, text: trap })).workflowId);
  await engine.ended((await runtime.request('message.send', { conversationId, text: 'Look', sentAs })).workflowId);
  expect((await store.workflows({ conversationId, limit: 10 })).items).toHaveLength(2);
});

test('a rejected message can be sent again with its id', async () => {
  const { runtime, conversationId } = await startEngine(answers());
  const message = { conversationId, text: 'Look', sentAs: newId() };
  const refused = runtime.request('message.send', { ...message, provider: 'nobody' });
  await expect(refused).rejects.toMatchObject({ code: expect.any(String) as string });
  expect(await runtime.request('message.send', message)).toMatchObject({ queued: false });
});

test('a restarted program recognizes a message id, also if the message created the conversation', async () => {
  const first = await startEngine(answers());
  const { runtime, store, folder } = first;
  const sentAs = newId();
  const message = { conversationId: sentAs, text: 'Look', sentAs, begin: { folder } };
  const { workflowId } = await runtime.request('message.send', message);
  await expect.poll(async () => (await store.workflow(workflowId))?.outcome).toBe('completed');
  const again = await startAgain(first, store);
  expect(await again.request('message.send', message)).toMatchObject({ workflowId });
  expect((await store.workflows({ conversationId: sentAs, limit: 10 })).items).toHaveLength(1);
  expect(await again.request('conversation.get', { conversationId: sentAs })).toMatchObject({ folder, title: 'Look' });
});

test('an invalid first message creates no conversation', async () => {
  const { runtime, folder, conversationId } = await startEngine(answers());
  const id = newId();
  const message = { conversationId: id, text: 'Look', sentAs: id, begin: { folder } };
  for (const wrong of [{ provider: 'nobody' }, { begin: { folder, agent: 'nobody' } }, { begin: { folder: '/none' } }])
    await expect(runtime.request('message.send', { ...message, ...wrong })).rejects.toThrow(/./);
  const ids = async () => (await runtime.request('store.conversations', {})).toSorted();
  expect(await ids()).toEqual([conversationId]);
  await runtime.request('message.send', message);
  expect(await ids()).toEqual([conversationId, id].toSorted());
});
