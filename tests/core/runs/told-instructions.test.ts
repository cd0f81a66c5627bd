/** Which envelopes hold what a project tells agents, and from where they have it. */
import { expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import { definitionOf } from '../../support/envelope.ts';
import { built, delegating, leadOf } from './envelope-support.ts';

test('an agent with project instructions gets those of its parent, or the current ones if the parent has none', () => {
  const named = (path: string) => ({ path, hash: path, text: path });
  const agents = new AgentRegistry([], [named('now')]);
  for (const name of ['asks', 'judge'])
    agents.register(definitionOf({ name, tools: [], projectInstructions: true, hash: name }));
  agents.register(definitionOf({ name: 'plain', tools: [], next: ['asks'], hash: 'plain' }));
  const parent = leadOf();
  const toldIn = (envelope: Pick<Envelope, 'instructions'> | undefined) =>
    envelope?.instructions?.map(({ path }) => path);
  const child = (name: string, from: Envelope) => built().child(delegating(name), from, agents);
  expect(toldIn(child('asks', { ...parent, instructions: [named('then')] }))).toEqual(['then']);
  expect(toldIn(child('asks', parent))).toEqual(['now']);
  const plain = child('plain', { ...parent, instructions: [named('then')] });
  expect([toldIn(plain), toldIn(plain.stages[0])]).toEqual([undefined, ['now']]);
  const flow = {
    type: 'judge',
    rounds: 1,
    primary: 'lead',
    coagent: 'judge',
    handoff: { type: 'static', text: 'x' },
  } as const;
  const composition = definitionOf({ name: 'both', role: 'primary', flow });
  const lead = built().lead(composition, 'Do it', '/work', undefined, [], agents);
  expect([toldIn(lead), toldIn(lead.flow?.coagent)]).toEqual([['now'], ['now']]);
});
