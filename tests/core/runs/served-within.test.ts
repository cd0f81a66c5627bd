/** Edits of a sub-agent, its coagent and its stages by the person; the hash that is approved is of the result. */
import { describe, expect, test } from 'vitest';
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

test('an edit of a run removes a tool and its permissions, and sets the mode, in its coagents and stages too', () => {
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

test('a coagent keeps task_complete if an edit removes it from the run, but loses other removed tools', () => {
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

test('a coagent loses an MCP server without remaining tools, and a judge has no MCP servers', () => {
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

test('coagents and stages get nothing beyond their own request', () => {
  const lead = leadOf();
  const asked = built().child(delegating(), lead, worker({ tools: ['read_file'] }));
  const { value } = edit(asked, lead, { tools: [...asked.tools, 'write_file'] });
  expect(value.tools).toContain('write_file');
  expect(served(value)).toEqual(served(asked));
});

describe('an edit of a coagent or a stage', () => {
  const lead = leadOf({}, '[permissions]\nmode = "selective"');
  const asked = built().child(delegating(), lead, worker({}));
  const [stage] = asked.stages;
  const { coagent } = asked.flow!;
  const editStage = (parts: Partial<Coagent>) => edit(asked, lead, { stages: [{ ...stage!, ...parts }] });
  const editCoagent = (parts: Partial<Coagent>) =>
    edit(asked, lead, { flow: { ...asked.flow!, coagent: { ...coagent!, ...parts } } });
  const change = (part: Coagent) => ({
    systemPrompt: 'Other.',
    maxTokens: part.maxTokens - 1,
    effort: 'low' as const,
    tools: part.tools.filter((tool) => tool !== 'bash'),
    limits: { ...part.limits, maxIterations: 2 },
    approvalMode: 'manual' as const,
  });

  test('takes from the coagent of a stage what the stage loses', () => {
    const tools = stage!.tools.filter((tool) => tool !== 'bash' && tool !== 'write_file');
    const { coagent: before } = stage!.flow!;
    const { coagent: after } = editStage({ tools, approvalMode: 'manual' }).value.stages[0]!.flow!;
    expect(before!.tools).toEqual(expect.arrayContaining(['bash', 'write_file', 'task_complete']));
    expect(after!.tools).toEqual(before!.tools.filter((tool) => tool !== 'bash' && tool !== 'write_file'));
    expect(after!.approvalMode).toBe('manual');
    const other = { ...stage!, tools, flow: { ...stage!.flow!, coagent: { ...before!, systemPrompt: 'Other.' } } };
    const { value } = edit(asked, lead, { stages: [other] });
    expect(value.stages[0]!.flow!.coagent).toMatchObject({ systemPrompt: 'Other.', tools: after!.tools });
  });

  test('changes only that agent, and the hash covers the result', () => {
    const changedStage = editStage(change(stage!));
    expect(changedStage.hash).toBe(canonicalHash(changedStage.value));
    expect(changedStage.value.stages[0]).toMatchObject(change(stage!));
    expect(changedStage.value.flow).toEqual(asked.flow);
    const changedCoagent = editCoagent(change(coagent!)).value;
    expect(changedCoagent.flow!.coagent).toMatchObject(change(coagent!));
    expect(changedCoagent.stages).toEqual(asked.stages);
    expect(changedCoagent.tools).toEqual(asked.tools);
  });

  test('removes permissions with the tools, and leaves the tool that ends the work', () => {
    const none = editCoagent({ tools: [] }).value.flow!.coagent!;
    expect(none.tools).toContain('task_complete');
    expect(none.tools).not.toContain('write_file');
    expect(none.permissions).not.toContain('FilesystemWrite');
  });

  test('loses the tools that the run loses in the same edit', () => {
    const tools = asked.tools.filter((tool) => tool !== 'write_file');
    const { value } = edit(asked, lead, { tools, stages: [{ ...stage!, systemPrompt: 'Other.' }] });
    expect(value.stages[0]!.systemPrompt).toBe('Other.');
    expect(value.stages[0]!.tools).not.toContain('write_file');
  });

  test('is rejected with the name of the agent if it exceeds the request or the limits', () => {
    expect(() => editStage({ tools: [...stage!.tools, 'spawn_agent'] })).toThrow(/^writer: .*spawn_agent/);
    expect(() => editCoagent({ approvalMode: 'auto' })).toThrow(/^reviewer: approvalMode cannot be wider/);
    expect(() => editStage({ limits: { ...stage!.limits, inactivityMs: 1e9 } })).toThrow(
      /^writer: inactivityMs cannot/,
    );
    expect(() => editStage({ maxTokens: 999_999 })).toThrow(/^writer: maxTokens cannot/);
    expect(() => editCoagent({ seesReports: true })).toThrow('reviewer: seesReports cannot be changed here');
    expect(() => editCoagent({ folder: '/' })).toThrow('reviewer: folder cannot be changed here');
  });

  test('cannot change the agents and their turns', () => {
    expect(() => edit(asked, lead, { stages: [] })).toThrow('stages cannot be changed here');
    expect(() => edit(asked, lead, { stages: [{ ...stage!, agent: 'other' }] })).toThrow(
      'stages cannot be changed here',
    );
    expect(() => edit(asked, lead, { flow: { ...asked.flow!, rounds: 9 } })).toThrow('flow cannot be changed here');
    expect(() => edit(asked, lead, { flow: undefined })).toThrow('flow cannot be changed here');
  });
});
