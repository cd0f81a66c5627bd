/** The last message that each run of a chain must give: the next agent's input contract, or the run's own output contract. */
import { expect, test } from 'vitest';
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import { agentsWith, built, delegating, leadOf } from './envelope-support.ts';

const SCHEMA = { type: 'object', properties: { facts: { type: 'array' } }, required: ['facts', 'reason'] };
const OWN = { type: 'object', required: ['page'] };

/** Returns the envelope of an agent that another one follows. */
function buildChain(first: Partial<AgentDefinition>, next: Partial<AgentDefinition>): Envelope {
  const agents = agentsWith({ next: ['writer'], ...first }, { name: 'writer', ...next });
  return built().child(delegating(), leadOf(), agents);
}

test('a run before an agent that takes JSON returns JSON of its schema and the fixed reason', () => {
  const envelope = buildChain({}, { input: { format: 'json', schema: SCHEMA } });
  const reason = 'Chained execution from agent__worker';
  expect(envelope.output).toEqual({ format: 'json', schema: SCHEMA, next: 'writer', reason });
  expect(envelope.systemPrompt).toContain('## Your last message\n\nIt is handed to writer as it is. So it is one JSON');
  expect(envelope.systemPrompt).toContain(JSON.stringify(SCHEMA, null, 2));
  expect(envelope.stages).toMatchObject([{ agent: 'writer' }]);
  expect(envelope.stages[0]).not.toHaveProperty('output');
});

test.for([
  [undefined, 'text'],
  ['text', 'text'],
  ['json', 'text'],
  ['markdown', 'markdown'],
] as const)('a run with the output %s before an agent that takes text gives %s', ([format, expected]) => {
  const output = format && { format, schema: format === 'json' ? OWN : null };
  const envelope = buildChain(output ? { output } : {}, {});
  expect(envelope.output).toMatchObject({ format: expected, schema: null, next: 'writer' });
  expect(envelope.systemPrompt).toContain('It is handed to writer as it is, so it must stand for itself.');
});

test('the declared output stays in the envelope if the next agent takes another schema', () => {
  const declared = { format: 'json', schema: OWN } as const;
  const chained = buildChain({ output: declared }, { input: { format: 'json', schema: SCHEMA } });
  expect(chained.output).toMatchObject({ schema: SCHEMA, declared });
  const alone = built().child(delegating('writer'), leadOf(), agentsWith({ name: 'writer', output: declared }));
  expect(alone.output).toEqual(declared);
});
