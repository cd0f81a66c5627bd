/** A workflow that was cut off stands in the attention feed until somebody resumes it, goes on without it, or throws it away. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Attention } from '#contract/view.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
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
  const workflows: Harness['store']['workflows'] = async (query) => {
    if (query.outcome !== undefined) await first;
    return store.workflows(query);
  };
  const runtime = await startAgain(engine, { ...store, workflows });
  let state: Attention | null = null;
  await runtime.subscribe('attention', { canAnswer: true }, (now) => (state = now));
  const waiting = () => state?.interrupted;
  return { runtime, conversationId: engine.conversationId, workflowId, waiting };
}

test('an interrupted workflow is in the attention feed after a restart until it is resumed', async () => {
  const { runtime, conversationId, workflowId, waiting } = await cutOff();
  const told = [{ conversationId, workflowId, title: 'Go', agent: 'lead' }];
  await eventually(() => expect(waiting()).toMatchObject(told));
  await runtime.request('workflow.resume', { workflowId });
  await eventually(() => expect(waiting()).toEqual([]));
});

test('the program answers requests before the attention feed has loaded the interrupted workflows', async () => {
  const caughtUp = Promise.withResolvers<void>();
  const { runtime, conversationId, waiting } = await cutOff(caughtUp.promise);
  expect(await runtime.request('conversation.get', { conversationId })).toMatchObject({ title: 'Go' });
  expect(waiting()).toBeUndefined();
  caughtUp.resolve();
  await eventually(() => expect(waiting()).toHaveLength(1));
});

test('an interrupted workflow leaves the attention feed with its conversation in the trash or with a new message', async () => {
  const { runtime, conversationId, waiting } = await cutOff();
  await eventually(() => expect(waiting()).toHaveLength(1));
  await runtime.request('conversation.delete', { conversationId });
  await eventually(() => expect(waiting()).toEqual([]));
  await runtime.request('conversation.restore', { conversationId });
  await eventually(() => expect(waiting()).toHaveLength(1));
  await runtime.request('message.send', { conversationId, text: 'Something else.' });
  await eventually(() => expect(waiting()).toEqual([]));
});

const UNKNOWN = 'Interrupted while it ran, outcome unknown: look at what it has done before you do it again';

/** The program is closed while the lead, or a sub-agent, runs a command that has written a file; then started again. */
async function cutOffInCommand(who: 'lead' | 'helper') {
  const command = toolUse('bash', { command: 'echo half > out.txt; sleep 60' });
  const script = new Script()
    .on({ ...(who === 'lead' ? LEAD : CHILD), turn: 1 })
    .reply([command, toolUse('write_file', { path: 'later.txt', content: 'x' })])
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'helper', prompt: 'Help.' })])
    .on({})
    .reply([text('Done.')]);
  const store = await memoryStore();
  const engine = await startEngine(script, { store: lasting(store) });
  const { workflowId } = await engine.send('Go');
  await engine.event('tool-start', ({ name }) => name === 'bash');
  await eventually(() => access(join(engine.folder, 'out.txt')));
  await engine.runtime.close();
  const runtime = await startAgain(engine, store);
  const before = engine.model.requests.length;
  const nextRequest = () => engine.model.waitFor(({ index }) => index >= before);
  return { runtime, workflowId, conversationId: engine.conversationId, nextRequest };
}

test.for(['lead', 'helper'] as const)(
  'a new message describes an interrupted call (%s) to the model exactly as a resume does',
  async (who) => {
    const resumed = await cutOffInCommand(who);
    await resumed.runtime.request('workflow.resume', { workflowId: resumed.workflowId });
    const [result] = (await resumed.nextRequest()).seen.results;
    expect(result?.text).toContain(UNKNOWN);

    const { runtime, conversationId, nextRequest } = await cutOffInCommand(who);
    await runtime.request('message.send', { conversationId, text: 'And now?' });
    const { seen } = await nextRequest();
    const told = JSON.stringify(seen.body.messages);
    expect(told).toContain(JSON.stringify(result?.text).slice(1, -1));
    expect(told).toContain('And now?');
    expect(told.split(UNKNOWN)).toHaveLength(2);
    // The call behind it had not started; the call that started the sub-agent has no effect of its own.
    expect(told).toContain('No result: the work was interrupted before this call was done');
    expect(told.includes('helper: bash')).toBe(who === 'helper');
  },
);
