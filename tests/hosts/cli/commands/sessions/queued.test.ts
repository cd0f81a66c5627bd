/** Queued messages in `triad sessions`: withdrawn, left by a stop, or run. None of them is shown as stopped. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../../support/engine.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { commandLine } from '../../../support/memory-io.ts';

/** A conversation whose first message hangs, with two queued messages. */
async function startQueue() {
  const script = new Script().on({ asked: /first/ }).reply([text('I begin.', { deltas: 4 })], { hangAfter: 4 });
  const engine = await startEngine(script.on({}).reply([text('Done.')]));
  const ids = [(await engine.send('first')).workflowId];
  await engine.event('message-delta');
  for (const message of ['second', 'third']) ids.push((await engine.send(message)).workflowId);
  const triad = async (...args: string[]) => {
    const { code, out } = await commandLine(engine.runtime)('sessions', ...args);
    expect(code).toBe(0);
    return out;
  };
  const states = async () => {
    const shown = await triad('show', engine.conversationId);
    return [...shown.matchAll(/^Workflow \S+ · (\w+)/gm)].map(([, state]) => state);
  };
  const last = async () => (await triad('list')).split('\n')[1];
  return { engine, ids, states, last };
}

test('shows what became of each queued message when one is withdrawn and the work before it is stopped', async () => {
  const { engine, ids, states, last } = await startQueue();
  const [first = '', second = '', third = ''] = ids;
  await engine.runtime.request('workflow.stop', { workflowId: third });
  await engine.ended(third);
  expect(await states()).toEqual(['running', 'pending', 'withdrawn']);
  expect(await last()).toContain(' pending ');
  await engine.runtime.request('workflow.stop', { workflowId: first });
  await engine.ended(second);
  expect(await states()).toEqual(['cancelled', 'completed', 'withdrawn']);
  expect(await last()).toContain(' completed ');
});

test('shows all queued messages as withdrawn when all work is stopped', async () => {
  const { engine, ids, states, last } = await startQueue();
  await engine.runtime.request('workflow.stop', { workflowId: ids[0]!, withdrawQueued: true });
  for (const id of ids) await engine.ended(id);
  expect(await states()).toEqual(['cancelled', 'withdrawn', 'withdrawn']);
  expect(await last()).toContain(' cancelled ');
});
