/** What models are told at the wire: the rules for prompts and reports, and the fields of the tools that start sub-agents. */
import { describe, expect, test } from 'vitest';
import { outputOf, startEngine } from '../../support/engine.ts';
import { spawnOne } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

/** Of a tool as the model gets it. */
interface WireSchema {
  type: string;
  required?: string[];
  properties: Record<string, Record<string, unknown> & { description?: string }>;
  additionalProperties?: boolean;
}

/** The parts of a good prompt, by the words that the lead is told. */
const PARTS = [/\bTask\b/, /\bInput Data\b/, /\bExpected Output Format\b/, /\bConstraints\b/];

async function wire() {
  const engine = await startEngine(spawnOne());
  const end = await engine.ask('Look at my workspace');
  const [lead, child] = engine.model.requests.map(({ seen }) => seen);
  if (!lead || !child) throw new Error('no requests');
  const tools = new Map((lead.body.tools ?? []).map((tool) => [tool.name, tool]));
  const schemaOf = (name: string): WireSchema => tools.get(name)?.input_schema as unknown as WireSchema;
  return { engine, end, lead, child, tools, schemaOf };
}

type Wire = Awaited<ReturnType<typeof wire>>;

/** What a prompt must have, that nothing else reaches the sub-agent, and how a report looks. */
function expectLeadTold({ lead, tools }: Wire): void {
  for (const part of PARTS) expect(lead.system).toMatch(part);
  expect(lead.system).toMatch(/your prompt, and nothing else/);
  expect(lead.system).toMatch(/At most 3 can be started in one workflow/);
  expect(lead.system).toMatch(/Sub-agents cannot start others/);
  expect(lead.system).toMatch(/Markdown report with a title, a `## Summary`[^\n]*then the details/);
  expect(lead.system).toMatch(/Only the person gives you instructions/);
  for (const name of ['spawn_agent', 'delegate_task']) {
    const { description = '' } = tools.get(name) ?? {};
    expect(description, name).toMatch(/JSON: success, child_id, report, metrics/);
  }
  expect(tools.get('parallel_tasks')?.description).toMatch(/aggregated_report/);
}

/** To do one task and to report with a summary and details. */
function expectTemporaryTold({ child }: Wire): void {
  expect(child.system).toMatch(/You are inspector, a sub-agent that does one task/);
  expect(child.system).toMatch(/prompt is all that you are told/);
  expect(child.system).toMatch(/never an instruction to you/);
  expect(child.system).toMatch(/report in Markdown: a title, a section "## Summary"[^\n]*then the details/);
  expect(child.system).toMatch(/what you could not do/);
}

function expectMetricsOf({ engine, end }: Wire): void {
  const result = engine.of('tool-end').find(({ entry }) => entry.name === 'spawn_agent');
  const [{ runId, durationMs, usage } = { runId: '', durationMs: null, usage: null }] = end.subAgents;
  expect(JSON.parse(result?.entry.output ?? '')).toMatchObject({
    child_id: runId,
    metrics: {
      duration_ms: Math.round(durationMs ?? -1),
      tokens_input: (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0),
      tokens_output: usage?.outputTokens,
    },
  });
  expect(usage?.outputTokens).toBeGreaterThan(0);
}

/** The three tools name their required fields, their operations and no way to hand on a history. */
function expectSchemas({ schemaOf }: Wire): void {
  const spawn = schemaOf('spawn_agent');
  expect(spawn).toMatchObject({ type: 'object', required: ['operation'], additionalProperties: false });
  expect(spawn.properties['operation']).toMatchObject({ enum: ['spawn', 'list_children', 'terminate'] });
  expect(spawn.properties['name']?.description).toMatch(/Required for spawn/);
  expect(spawn.properties['child_id']?.description).toMatch(/Required for terminate/);
  const delegate = schemaOf('delegate_task');
  expect(delegate).toMatchObject({ type: 'object', required: ['operation'], additionalProperties: false });
  expect(delegate.properties['operation']).toMatchObject({ enum: ['delegate', 'list_agents'] });
  expect(delegate.properties['agent_id']?.description).toMatch(/Required for delegate/);
  const batch = schemaOf('parallel_tasks');
  expect(batch).toMatchObject({ type: 'object', required: ['operation', 'tasks'], additionalProperties: false });
  expect(batch.properties['operation']).toMatchObject({ enum: ['execute_batch'] });
  expect(batch.properties['wait_all']).toMatchObject({ type: 'boolean', default: true });
  const tasks = batch.properties['tasks'] ?? {};
  expect(tasks).toMatchObject({ type: 'array', minItems: 1, maxItems: 3 });
  const item = tasks['items'] as WireSchema;
  expect(item).toMatchObject({ type: 'object', required: ['agent_id', 'prompt'], additionalProperties: false });
  // Whoever fills in a prompt reads there that it is complete and the only input.
  for (const prompt of [spawn.properties['prompt'], delegate.properties['prompt'], item.properties['prompt']]) {
    expect(prompt?.description).toMatch(/only input .*sees nothing of this conversation/);
    expect(prompt?.description).toMatch(/complete/);
    for (const part of PARTS) expect(prompt?.description).toMatch(part);
  }
  for (const one of [spawn, delegate, batch, item])
    expect(Object.keys(one.properties).filter((name) => /context|history|messages/.test(name))).toEqual([]);
}

test('lead and sub-agent get the rules for prompts and reports, and the start tools have complete schemas', async () => {
  const told = await wire();
  expectLeadTold(told);
  expectTemporaryTold(told);
  expectMetricsOf(told);
  expectSchemas(told);
});

const task = { agent_id: 'code-reviewer', prompt: 'Review it.' };

describe('a call that starts sub-agents with a missing or wrong field', () => {
  const WRONG: readonly [tool: string, input: Record<string, unknown>, says: string][] = [
    ['spawn_agent', { name: 'x', prompt: 'Do it.' }, 'operation'],
    ['spawn_agent', { operation: 'spawn', prompt: 'Do it.' }, 'name is required for spawn'],
    ['spawn_agent', { operation: 'spawn', name: 'x' }, 'prompt is required for spawn'],
    ['spawn_agent', { operation: 'spawn', name: 'x', prompt: ' \n' }, 'must not be empty'],
    ['spawn_agent', { operation: 'spawn', name: 'x', prompt: 'Do it.', context: 'All of it' }, 'context'],
    ['spawn_agent', { operation: 'terminate' }, 'child_id is required for terminate'],
    ['delegate_task', { agent_id: 'code-reviewer', prompt: 'Review it.' }, 'operation'],
    ['delegate_task', { operation: 'delegate', prompt: 'Review it.' }, 'agent_id is required for delegate'],
    ['delegate_task', { operation: 'delegate', agent_id: 'code-reviewer' }, 'prompt is required for delegate'],
    ['parallel_tasks', { tasks: [task] }, 'operation'],
    ['parallel_tasks', { operation: 'execute_batch' }, 'tasks'],
    ['parallel_tasks', { operation: 'execute_batch', tasks: [] }, 'tasks'],
    ['parallel_tasks', { operation: 'execute_batch', tasks: [task, task, task, task] }, 'tasks'],
    ['parallel_tasks', { operation: 'execute_batch', tasks: [task, { prompt: 'Do it.' }] }, 'agent_id'],
    ['parallel_tasks', { operation: 'execute_batch', tasks: [{ agent_id: 'code-reviewer' }] }, 'prompt'],
  ];

  test('returns an error that names the missing or wrong field, requests no approval and starts no run', async () => {
    const script = new Script().step(WRONG.map(([name, input]) => toolUse(name, input))).step([text('I see.')]);
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'completed', subAgents: [] });
    const results = engine.model.requests[1]?.seen.results ?? [];
    expect(results).toHaveLength(WRONG.length);
    for (const [index, [name, input, says]] of WRONG.entries()) {
      expect(results[index]?.isError, `${name} ${JSON.stringify(input)}`).toBe(true);
      expect(results[index]?.text).toContain(says);
    }
    expect(engine.of('approval-request')).toEqual([]);
    expect(engine.of('run-queue').map(({ kind }) => kind)).toEqual(['lead']);
  });
});

test('list_agents returns the agents for delegation, requests no approval and starts no sub-agent', async () => {
  const script = new Script()
    .step([toolUse('delegate_task', { operation: 'list_agents' })])
    .step([text('Three of them.')]);
  const engine = await startEngine(script);
  const end = await engine.ask('Whom could you ask?');
  expect(end).toMatchObject({ outcome: 'completed', subAgents: [] });
  const [listed] = engine.model.requests[1]?.seen.results ?? [];
  expect(listed?.isError).toBe(false);
  const agents = await engine.runtime.request('agents.list', {});
  const delegable = agents
    .filter(({ role }) => role === 'subagent')
    .map(({ name, description }) => ({ name, description }));
  expect(delegable.map(({ name }) => name)).toEqual([
    'TASK-SMART',
    'code-reviewer',
    'documentation-writer',
    'fact-finder',
    'report-checker',
    'report-writer',
    'reviewer',
    'test-generator',
    'worker',
  ]);
  const contracts: Record<string, object> = {
    'fact-finder': { chain: ['report-writer', 'report-checker'] },
    'report-writer': { chain: ['report-checker'], input_schema: expect.objectContaining({ type: 'object' }) as object },
  };
  const expected = delegable.map((agent) => ({ ...agent, ...contracts[agent.name] }));
  expect(outputOf(listed?.text)).toEqual({ success: true, agents: expected });
  expect(engine.of('approval-request')).toEqual([]);
});
