/** A workflow that was cut off stands in the attention feed until somebody resumes it, goes on without it, or throws it away. */
import { expect, test } from 'vitest';
import type { Attention } from '#contract/view.ts';
import type { Store } from '#core/store/store.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';

/** The program is closed while the model writes, and started again on the same store; `first`: when that finds things. */
async function cutOff(first: Promise<void> = Promise.resolve()) {
  const held = new Gate();
  const script = new Script()
    .on({ asked: /Go/ })
    .reply([text('Half.')], { times: 1, hold: held.at(0) })
    .on({})
    .reply([text('Done.')]);
  const store = await memoryStore();
  const engine = await startEngine(script, { store: lasting(store) });
  const { workflowId } = await engine.send('Go');
  await held.reached;
  const closed = engine.runtime.close();
  held.open();
  await closed;
  const workflows: Store['workflows'] = async (query) => {
    if (query.outcome !== undefined) await first;
    return store.workflows(query);
  };
  const runtime = await startAgain(engine, { ...store, workflows });
  let state: Attention | null = null;
  await runtime.subscribe('attention', { canAnswer: true }, (now) => (state = now));
  const waiting = () => state?.interrupted;
  return { runtime, conversationId: engine.conversationId, workflowId, waiting };
}

test('it waits after a restart, and no more once it was resumed', async () => {
  const { runtime, conversationId, workflowId, waiting } = await cutOff();
  const told = [{ conversationId, workflowId, title: 'Go', agent: 'lead' }];
  await eventually(() => expect(waiting()).toMatchObject(told));
  await runtime.request('workflow.resume', { workflowId });
  await eventually(() => expect(waiting()).toEqual([]));
});

test('the program starts, and serves, before the lists have caught up with what it asks of them', async () => {
  const caughtUp = Promise.withResolvers<void>();
  const { runtime, conversationId, waiting } = await cutOff(caughtUp.promise);
  expect(await runtime.request('conversation.get', { conversationId })).toMatchObject({ title: 'Go' });
  expect(waiting()).toBeUndefined();
  caughtUp.resolve();
  await eventually(() => expect(waiting()).toHaveLength(1));
});

test('it does not wait while its conversation is in the trash, nor once the person went on without it', async () => {
  const { runtime, conversationId, waiting } = await cutOff();
  await eventually(() => expect(waiting()).toHaveLength(1));
  await runtime.request('conversation.delete', { conversationId });
  await eventually(() => expect(waiting()).toEqual([]));
  await runtime.request('conversation.restore', { conversationId });
  await eventually(() => expect(waiting()).toHaveLength(1));
  await runtime.request('message.send', { conversationId, text: 'Something else.' });
  await eventually(() => expect(waiting()).toEqual([]));
});
