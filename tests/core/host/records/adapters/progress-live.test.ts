/** Progress of sub-agents while they work: an observer gets it at once, and whatever the observer does delays nothing. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { observe } from '#core/host/records/adapters/progress.ts';
import { CHILD, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { Gate } from '../../../../support/gate.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';

const { start } = sharedEngine();

/** Two sub-agents; the reply of the second one waits at the gate. */
function twoChildren(gate: Gate): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'quick', prompt: 'Be quick.' }), spawn({ name: 'slow', prompt: 'Be slow.' })])
    .on({ ...CHILD, prompt: /slow/ })
    .reply([text('Slow is done.')], { hold: gate.at(0) })
    .on(CHILD)
    .reply([text('Quick is done.')])
    .on(LEAD)
    .reply([text('Done.')]);
}

test('an observer gets each start and end while the other sub-agent still works', async () => {
  const gate = new Gate();
  const engine = await start(twoChildren(gate));
  const seen: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const { runtime, conversationId } = engine;
  await runtime.subscribe('conversation', { conversationId }, (event: AgentEvent) => {
    observe(event, {
      onAgentSpawn: ({ agent }) => seen.push(`start ${agent}`),
      onAgentComplete: ({ agent }) => {
        seen.push(`end ${agent}`);
        arrived.resolve();
      },
      onAgentError: ({ agent }) => seen.push(`error ${agent}`),
    });
  });
  const { workflowId } = await engine.send('Go');
  // The second one cannot end before the gate opens, so what arrives now arrives while it works.
  await Promise.all([gate.reached, arrived.promise]);
  expect(seen.toSorted()).toEqual(['end quick', 'start quick', 'start slow']);
  gate.open();
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
  expect(seen).toHaveLength(4);
});

test('an observer that never finishes, and one that fails, delay neither the lead nor other observers', async () => {
  const gate = new Gate();
  gate.open();
  const engine = await start(twoChildren(gate));
  const { runtime, conversationId } = engine;
  /** Of the one that never finishes, and one of the other, which is not called again after its failure. */
  let calls = 0;
  const never = new Promise<void>(() => undefined);
  const stuck = async (): Promise<void> => {
    calls += 1;
    await never;
  };
  await runtime.subscribe('conversation', { conversationId }, () => stuck() as unknown as undefined);
  await runtime.subscribe('conversation', { conversationId }, () => {
    calls += 1;
    throw new Error('The observer is broken');
  });
  const seen: AgentEvent['type'][] = [];
  await runtime.subscribe('conversation', { conversationId }, ({ type }) => void seen.push(type));
  const end = await engine.ask('Go');
  expect(end.outcome).toBe('completed');
  expect(calls).toBeGreaterThan(seen.length);
  expect(seen.filter((type) => type === 'run-end')).toHaveLength(3);
});
