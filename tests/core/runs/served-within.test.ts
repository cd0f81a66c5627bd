/** What a person takes from a sub-agent, its coagent and its stages lose too; the hash that is approved is of the result. */
import { expect, test } from 'vitest';
import type { AgentDefinition, Coagent, Envelope } from '#contract/agent.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { agentsWith, built, connected, delegating, leadOf, OFFERS, serversIn } from './envelope-support.ts';

const flow = (type: 'judge' | 'smart', coagent = 'reviewer'): Partial<AgentDefinition> => ({
  flow: { type, rounds: 3, primary: 'worker', coagent, handoff: { type: 'static', text: 'Look.' } },
});
const worker = (parts: Partial<AgentDefinition>) =>
  agentsWith(
    { next: ['writer'], ...flow('smart'), ...parts },
    { name: 'reviewer' },
    { name: 'writer', ...flow('smart') },
  );

const served = ({ flow: own, stages }: Envelope): Coagent[] =>
  [own?.coagent, ...stages.flatMap((stage) => [stage, stage.flow?.coagent])].filter((part) => part !== undefined);
const edit = (asked: Envelope, lead: Envelope, parts: Partial<Envelope>) =>
  built().edited({ ...asked, ...parts }, asked, lead);

test('a tool that was taken away, with the permissions that only it needed, and an approval mode', () => {
  const lead = leadOf({}, '[permissions]\nmode = "selective"');
  const asked = built().child(delegating(), lead, worker({}));
  expect(served(asked)).toHaveLength(3);
  for (const part of served(asked)) expect(part).toMatchObject({ approvalMode: 'selective' });
  for (const part of served(asked)) expect(part.tools).toEqual(expect.arrayContaining(['write_file', 'bash']));
  const tools = asked.tools.filter((tool) => tool !== 'bash');
  const { value, hash } = edit(asked, lead, { tools, approvalMode: 'manual' });
  expect(hash).toBe(canonicalHash(value));
  for (const [index, part] of served(value).entries()) {
    const before = served(asked)[index]!;
    expect(part.tools).toEqual(before.tools.filter((tool) => tool !== 'bash'));
    expect(part.permissions).toEqual(value.permissions);
    expect(part).toMatchObject({ approvalMode: 'manual', systemPrompt: before.systemPrompt, limits: before.limits });
  }
});

test('a coagent that ends the work keeps how it says so, and what the run never had', () => {
  const agents = agentsWith(
    { tools: ['think', 'task_complete', 'bash'], ...flow('smart') },
    { name: 'reviewer', tools: ['think'] },
  );
  const lead = leadOf();
  const asked = built().child(delegating(), lead, agents);
  const taking = (...taken: string[]) => ({ tools: asked.tools.filter((tool) => !taken.includes(tool)) });
  const coagentWithout = (...taken: string[]) => edit(asked, lead, taking(...taken)).value.flow!.coagent!;
  expect(coagentWithout('bash', 'task_complete')).toEqual(asked.flow!.coagent!);
  expect(coagentWithout('think').tools).toEqual(asked.flow!.coagent!.tools.filter((tool) => tool !== 'think'));
});

test('an MCP server of which nothing is left; a judge has none', () => {
  const lead = connected();
  const tools = ['mcp__a__one', 'mcp__b__three'];
  const child = (type: 'judge' | 'smart') =>
    built().child(delegating(), lead, agentsWith({ tools, ...flow(type) }, { name: 'reviewer', tools }));
  const asked = child('smart');
  const of = (envelope: Envelope) => serversIn({ ...asked, ...envelope.flow!.coagent! });
  expect(of(asked)).toEqual([
    ['a', 'one'],
    ['b', 'three'],
  ]);
  const left = asked.tools.filter((tool) => tool !== 'mcp__b__three');
  const one = edit(asked, lead, { tools: left, mcp: asked.mcp!, mcpServers: asked.mcpServers });
  expect(of(one.value)).toEqual([['a', 'one']]);
  expect(one.value.flow!.coagent!.mcpServers).toEqual(['a']);
  const none = edit(asked, lead, { tools: left.filter((tool) => !tool.startsWith('mcp__')) });
  expect(none.value.flow!.coagent).not.toHaveProperty('mcp');
  expect(child('judge').flow!.coagent).not.toHaveProperty('mcp');
  expect(OFFERS).toHaveLength(2);
});

test('what serves it is not edited itself, and gets nothing that the run is given beyond what was asked', () => {
  const lead = leadOf();
  const asked = built().child(delegating(), lead, worker({ tools: ['read_file'] }));
  const { value } = edit(asked, lead, { tools: [...asked.tools, 'write_file'] });
  expect(value.tools).toContain('write_file');
  expect(served(value)).toEqual(served(asked));
  const [stage] = asked.stages;
  expect(() => edit(asked, lead, { stages: [{ ...stage!, systemPrompt: 'Other.' }] })).toThrow(
    'stages cannot be changed here',
  );
  expect(() => edit(asked, lead, { flow: { ...asked.flow!, rounds: 9 } })).toThrow('flow cannot be changed here');
});
