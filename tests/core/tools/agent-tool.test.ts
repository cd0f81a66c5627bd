/** `agent__NAME`: an agent as a tool of its own, with its contract as the arguments; it starts what `delegate_task` starts. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '#contract/agent.ts';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { agentTool, agentToolName, formerAgentTool, isAgentTool } from '#core/tools/agents/agent-tool.ts';
import type { Children } from '#core/tools/children.ts';
import type { Tool } from '#core/tools/tool.ts';
import { CHAIN, chainScript, FACTS, stagesOf, startChain } from '../../support/flows/chains.ts';
import { outcomes } from '../../support/engine.ts';
import { definitionOf } from '../../support/envelope.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { contextIn, folderWith, workspaceIn } from '../../support/workspace.ts';

const { reason: _, ...facts } = FACTS.properties;
/** Text, JSON, JSON with a reason of its own, and JSON that is no object. */
const AGENTS: AgentDefinition[] = [
  definitionOf({ name: 'polish', description: 'Polishes a text.', systemPrompt: 'You polish.', exposeAsTool: true }),
  definitionOf({
    name: 'draft',
    systemPrompt: 'You draft.',
    exposeAsTool: true,
    input: { format: 'json', schema: { ...FACTS, properties: facts, required: ['facts'] } },
  }),
  definitionOf({
    name: 'with reason',
    systemPrompt: 'You polish.',
    exposeAsTool: true,
    input: { format: 'json', schema: FACTS },
  }),
  definitionOf({
    name: 'list',
    systemPrompt: 'You polish.',
    exposeAsTool: true,
    input: {
      format: 'json',
      schema: { type: 'array', items: { $ref: '#/$defs/one' }, $defs: { one: { type: 'string' } } },
    },
  }),
  definitionOf({ name: 'off', exposeAsTool: true, enabled: false }),
  definitionOf({ name: 'leader', exposeAsTool: true, role: 'primary' }),
  definitionOf({ name: 'plain' }),
];

/** What its tool makes of one call: the run that it started, or what the lead was told. */
async function called(tool: string, input: object, options: Parameters<typeof startChain>[1] = {}) {
  const engine = await startChain(chainScript({}, [toolUse(tool, input)]), options, AGENTS);
  const end = await engine.ask('Go');
  const [run] = await stagesOf(engine, end.workflowId);
  const entry = engine.of('tool-end').find(({ entry: { name } }) => name === tool)?.entry;
  return { engine, end, run, told: entry?.output ?? '', status: entry?.status };
}

describe('the tool of an agent', () => {
  test('takes a text for the agent, and a reason that is shown to the person but not sent to the agent', async () => {
    const { engine, run, told } = await called('agent__polish', { input: 'Make it shine.', reason: 'Polish it' });
    expect(run).toMatchObject({ kind: 'delegate', agent: 'polish', title: 'Polish it', task: 'Make it shine.' });
    expect(JSON.parse(told)).toMatchObject({ success: true, child_id: run!.id, report: 'Rain is coming.' });
    expect(engine.of('approval-request')[0]?.approval.subject).toMatchObject({ operation: 'delegate' });
    expect(JSON.stringify(engine.model.requests[1]?.body)).not.toContain('Polish it');
    const tools = engine.model.requests[0]!.body.tools ?? [];
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith('agent__'))).toEqual([
      ...['agent__draft', 'agent__list', 'agent__polish', 'agent__with_reason'],
    ]);
    const polish = tools.find(({ name }) => name === 'agent__polish');
    expect(polish?.description).toMatch(/^Polishes a text\.\n.*At most 3 sub-agents/s);
    expect(polish?.input_schema).toMatchObject({ required: ['input', 'reason'] });
    const own = engine.model.requests[1]!.body.tools ?? [];
    expect(own.filter(({ name }) => name.startsWith('agent__'))).toEqual([]);
  });

  test('takes the values of its schema with a reason, and a non-object value as input', async () => {
    const calls = [
      toolUse('agent__draft', { facts: ['a'], reason: 'Draft it' }),
      toolUse('agent__with_reason', { facts: ['a'], reason: 'My reason' }),
      toolUse('agent__list', { input: ['a', 'b'], reason: 'List them' }),
    ];
    const engine = await startChain(chainScript({}, calls), {}, AGENTS);
    const { workflowId } = await engine.ask('Go');
    const runs = new Map((await stagesOf(engine, workflowId)).map((run) => [run.agent, run]));
    expect(runs.get('draft')).toMatchObject({ title: 'Draft it', task: '{"facts":["a"]}' });
    expect(runs.get('with reason')).toMatchObject({
      title: 'My reason',
      task: '{"facts":["a"],"reason":"My reason"}',
    });
    expect(runs.get('list')).toMatchObject({ task: '["a","b"]' });
    const schemaOf = (tool: string) =>
      engine.model.requests[0]!.body.tools?.find(({ name }) => name === tool)?.input_schema;
    expect(schemaOf('agent__draft')).toMatchObject({
      properties: { facts: FACTS.properties.facts, reason: { type: 'string' } },
      required: ['facts', 'reason'],
    });
    expect(schemaOf('agent__list')).toMatchObject({
      type: 'object',
      properties: { input: { type: 'array' } },
      $defs: { one: { type: 'string' } },
    });
  });

  test.for([
    ['without a reason', 'draft', { facts: ['a'] }, /reason/],
    ['with values that do not match its schema', 'draft', { facts: 'a', reason: 'r' }, /facts/],
    ['with properties outside its schema', 'draft', { facts: [], more: 1, reason: 'r' }, /more/],
    ['with a text but without a reason', 'polish', { input: 'x' }, /reason/],
    ['without a text', 'polish', { input: ' ', reason: 'r' }, /must not be empty/],
  ] as const)('rejects a call %s', async ([, agent, input, why]) => {
    const { engine, status, told, run } = await called(`agent__${agent}`, input);
    expect([status, run]).toEqual(['error', undefined]);
    expect(told).toMatch(why);
    expect(told).toMatch(/^Invalid/);
    expect(engine.of('approval-request')).toEqual([]);
  });

  const reason = { type: 'string', minLength: 1, description: '3 to 7 words that tell the person what this is for.' };
  const made = (schema: JsonSchema | null, misfit: string | null = null) =>
    agentTool({ name: 'my agent', description: 'Helps.', schema, misfit: () => misfit });

  test.for<[string, JsonSchema]>([
    ['a text', { type: 'string' }],
    ...(['allOf', 'anyOf', 'oneOf'] as const).map((key): [string, JsonSchema] => [key, { type: 'object', [key]: [] }]),
    ['a reference', { type: 'object', $ref: '#/definitions/a' }],
  ])('takes %s as one argument', ([, schema]) => {
    const shared = { $defs: { a: {} }, definitions: { b: {} } };
    const tool = made({ ...schema, ...shared, $schema: 'x' });
    const properties = { input: schema, reason };
    const wrapped = { type: 'object', properties, required: ['input', 'reason'], additionalProperties: false };
    expect(tool.schema).toStrictEqual({ ...wrapped, ...shared });
    expect(made(schema).schema).toStrictEqual(wrapped);
  });

  test('adds the argument reason to a schema without a reason', () => {
    const schema = { $schema: 'x', type: 'object', additionalProperties: false };
    const required = ['reason'];
    expect(made(schema).schema).toStrictEqual({
      type: 'object',
      additionalProperties: false,
      properties: { reason },
      required,
    });
    const own = { type: 'object', properties: { reason: { type: 'integer' } } };
    expect(made(own).schema).toStrictEqual({ ...own, required });
  });

  test('reports each fault of a call at its argument', () => {
    const findIssues = (tool: Tool, input: object) => tool.input.safeParse(input).error?.issues;
    expect(findIssues(made({ type: 'string' }, 'does not fit'), { input: 1, reason: ' ' })).toMatchObject([
      { code: 'custom', path: ['reason'], message: 'is required: 3 to 7 words' },
      { code: 'custom', path: [], message: 'does not fit' },
    ]);
    // With two quotation marks.
    const longest = 'x'.repeat(MAX_PROMPT_CHARS - 2);
    const tool = made({ type: 'string' });
    expect(findIssues(tool, { input: longest, reason: 'r' })).toBeUndefined();
    expect(findIssues(tool, { input: `${longest}x`, reason: 'r' })).toMatchObject([
      { path: [], message: `has more than ${MAX_PROMPT_CHARS} characters` },
    ]);
    for (const length of [1, 200])
      expect(findIssues(made(null), { input: 'x', reason: 'r'.repeat(length) })).toBeUndefined();
    for (const length of [0, 201])
      expect(findIssues(made(null), { input: 'x', reason: 'r'.repeat(length) })).toHaveLength(1);
  });

  test('has a name of at most 64 characters, and has its agent as the target for rules', async () => {
    expect(agentToolName('a b/c-d_é')).toBe('agent__a_b_c-d__');
    expect(agentToolName('x'.repeat(80))).toBe(`agent__${'x'.repeat(57)}`);
    expect(['agent__x', 'x', 'myagent__'].map(isAgentTool)).toEqual([true, false, false]);
    const targets = await made(null).targets!({}, workspaceIn('/'));
    expect(targets).toEqual({ values: ['my agent'], path: false });
  });

  test('remains available for a deleted agent to complete calls that started earlier', async () => {
    const tool = formerAgentTool('agent__my_agent');
    expect(tool).toMatchObject({ name: 'agent__my_agent', like: 'delegate_task', recovery: 'continue' });
    expect(tool.missing!({ search: {} as never, providerSearches: false })).toBe('Its agent cannot be used any more');
    expect(tool.input.safeParse({ anything: 1 }).success).toBe(true);
    expect(tool.describe(1)).toMatch(/^\nHands the agent my_agent a task/);
    const proposed: unknown[][] = [];
    const propose = async (...values: unknown[]) => (proposed.push(values), null);
    await tool.question!({}, { ...contextIn('/'), children: { propose } as unknown as Children });
    expect(proposed).toMatchObject([['delegate', 't', [{ agent: 'my_agent', prompt: '-', title: 'my_agent' }]]]);
  });

  test('answers a call of an unknown agent tool with the available tools', async () => {
    const { told, end } = await called('agent__nobody', { input: 'x', reason: 'r' });
    expect(told).toContain('There is no tool "agent__nobody"');
    expect(told).toContain('agent__polish');
    expect(outcomes(end)).toEqual(['completed']);
  });

  test('is denied by a rule that denies delegate_task for its agent, but not by rules for other agents', async () => {
    const rule = '[[permissions.rules]]\neffect = "deny"\ntool = "delegate_task"\npattern = "polish"\n';
    const configFolder = await folderWith({ 'config.toml': rule });
    const calls = [
      toolUse('agent__polish', { input: 'x', reason: 'r' }),
      toolUse('agent__draft', { facts: ['a'], reason: 'r' }),
    ];
    const engine = await startChain(chainScript({}, calls), { settings: rule, configFolder }, AGENTS);
    const { workflowId } = await engine.ask('Go');
    const runs = await stagesOf(engine, workflowId);
    expect(runs.map(({ agent, outcome }) => [agent, outcome]).filter(([, outcome]) => outcome === 'completed')).toEqual(
      [['draft', 'completed']],
    );
  });

  test('is rejected in a sub-agent with the maximum agent depth', async () => {
    const call = toolUse('agent__polish', { input: 'x', reason: 'r' });
    const script = chainScript({ draft: { blocks: [call] } }, [toolUse('agent__draft', { facts: [], reason: 'r' })]);
    const engine = await startChain(script, {}, AGENTS);
    await engine.ask('Go');
    const refusal = engine.of('tool-end').find(({ agent }) => agent === 'draft')?.entry.output;
    expect(refusal).toContain('Maximum agent depth (2) exceeded');
  });

  test('is omitted, with a notice, for the second of two agents whose tool names are equal', async () => {
    const twins = ['my agent', 'my_agent'].map((name) =>
      definitionOf({ name, systemPrompt: `You are ${name}.`, exposeAsTool: true }),
    );
    const engine = await startChain(chainScript({}, [text('No.')]), {}, twins);
    await engine.ask('Go');
    const notices = engine.of('notice').map((notice) => notice.text);
    expect(notices).toEqual([expect.stringContaining('my_agent is no tool: my agent has the name agent__my_agent')]);
  });

  test('starts the whole chain of its agent', async () => {
    const exposed = CHAIN.map((one): AgentDefinition =>
      one.name === 'research' ? { ...one, exposeAsTool: true } : one,
    );
    const call = toolUse('agent__research', { input: 'Find facts.', reason: 'Find facts' });
    const engine = await startChain(chainScript({}, [call]), {}, exposed);
    expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed', 'completed', 'completed']);
  });

  test('is available to a lead with a tool list only if the list names the tool', async () => {
    const lead = definitionOf({
      name: 'small',
      role: 'primary',
      tools: ['agent__draft'],
      systemPrompt: 'You are small.',
    });
    const script = new Script().on({}).reply([text('Hello.')]);
    const engine = await startChain(script, {}, [...AGENTS, lead]);
    const { id: conversationId } = await engine.runtime.request('conversation.create', { agent: 'small' });
    await engine.runtime.request('message.send', { conversationId, text: 'Go', approve: 'ask' });
    await engine.model.waitFor(({ seen }) => seen.system.includes('You are small.'));
    const tools = engine.model.requests[0]!.body.tools ?? [];
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith('agent__'))).toEqual(['agent__draft']);
  });

  test('works as the example in the documentation describes', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/tools.md'), 'utf8');
    const section = page.slice(page.indexOf('### Agents as tools'));
    const block = (language: string): string =>
      new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(section)![1]!;
    const { name, input } = JSON.parse(block('json')) as { name: string; input: object };
    const path = /`(\.triad\/agents\/.*?)`/.exec(section)![1]!;
    const script = chainScript({}, [toolUse(name, input)]);
    script.on({}).reply([text('They do.')]);
    const engine = await startChain(script, { files: { [path]: block('markdown') } }, []);
    const look = await engine.runtime.request('trust.look', { folder: engine.folder });
    const files = look.files.map((file) => ({ path: file.path, hash: file.hash! }));
    await engine.runtime.request('trust.set', { folder: engine.folder, files });
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    const [run] = await stagesOf(engine, end.workflowId);
    expect(section).toContain(`\`${run!.task}\``);
    expect(run).toMatchObject({ agent: 'fact-checker', title: 'Check what sum does' });
  });
});
