/** What a run is built from: each value from the definition, the request, the parent or the settings, in this order of right. */
import { describe, expect, test } from 'vitest';
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import { MAX_DEFAULT_OUTPUT } from '#contract/limits.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { checkCeilings, checkMode } from '#core/runs/envelopes/narrowing.ts';
import type { ChildRequest } from '#core/tools/children.ts';
import { definitionOf } from '../../support/envelope.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { agentsWith, built, connected, delegating, leadOf, registry, spawning, unnamed } from './envelope-support.ts';

describe('the envelope of a lead', () => {
  test('takes values from its definition, and missing values from the settings', () => {
    const plain = leadOf({}, '[limits.run]\nmax_iterations = 7\nmax_tokens = 900\n[limits]\ninactivity_seconds = 60\n');
    expect(plain).toMatchObject({
      agent: 'lead',
      definitionHash: 'h',
      systemPrompt: 'Work well.',
      prompt: 'Do it',
      provider: 'anthropic',
      maxTokens: MAX_DEFAULT_OUTPUT,
      effort: null,
      mcpServers: [],
      folder: '/work',
      limits: { maxIterations: 7, inactivityMs: 60_000, budget: { tokens: 900 } },
      approvalMode: 'manual',
      stages: [],
    });
    expect(plain.model).toMatch(/sonnet/);
    expect(plain.tools).toEqual(unnamed(true));
    expect(plain.permissions).toEqual(registry.permissionsOf(registry.names(true)));
    for (const field of ['requiresApproval', 'approvalTimeoutMs', 'reflection', 'lacks'])
      expect(plain).not.toHaveProperty(field);
    expect(leadOf().limits).not.toHaveProperty('budget');
    const reflection = { criteria: 'Short?', maxRetries: 2 };
    const own = leadOf({
      model: 'haiku',
      effort: 'high',
      maxTokens: 500,
      maxIterations: 3,
      requiresApproval: ['write_file', 'grep'],
      approvalTimeoutMs: 4000,
      reflection,
    });
    expect(own).toMatchObject({ effort: 'high', maxTokens: 500, limits: { maxIterations: 3 }, reflection });
    expect(own).toMatchObject({ requiresApproval: ['grep', 'write_file'], approvalTimeoutMs: 4000 });
    expect(own.model).toMatch(/haiku/);
    expect(plain.limits).not.toHaveProperty('doomLoopThreshold');
    expect(leadOf({ doomLoopThreshold: 7 }).limits).toMatchObject({ doomLoopThreshold: 7 });
    expect(leadOf({}, '[permissions]\nmode = "auto"\n').approvalMode).toBe('auto');
    expect(leadOf({}, '[models]\ndefault = "opus"\n').model).toMatch(/opus/);
  });

  test('has no tools that start others if the role is subagent, and rejects such tools', () => {
    expect(leadOf({ role: 'subagent' }).tools).toEqual(unnamed(false));
    expect(() => leadOf({ role: 'subagent', tools: ['spawn_agent'] })).toThrow(
      /lead asks for tools that it cannot have: spawn_agent\. Triad can give: .*write_file/,
    );
  });

  test('has the named and baseline tools, as far as its permissions allow', () => {
    expect(leadOf({ tools: ['write_file'] }).tools).toEqual([...registry.baseline(), 'write_file'].sort());
    expect(leadOf({ tools: ['write_file'], permissions: [] }).tools).toEqual([...registry.baseline()].sort());
    expect(() => leadOf({ permissions: ['DatabaseWrite'] })).toThrow(
      /lead asks for permissions that it cannot have: DatabaseWrite\. Triad has: Execute, FilesystemRead, /,
    );
    expect(leadOf({ permissions: ['SemanticSearch', 'FilesystemRead'] }).tools).not.toContain('write_file');
  });

  test.each(['semantic_search', 'read_note', 'list_notes'])(
    'always includes the tool %s, also for sub-agents',
    (name) => {
      const lead = leadOf({ tools: ['todo_read'], permissions: [] });
      const asked = built().child(spawning({ tools: [], permissions: [] }), lead, agentsWith());
      const edited = built().edited({ ...asked, tools: [], permissions: [] }, asked, lead).value;
      for (const { tools, permissions } of [lead, asked, edited]) {
        expect(tools).toContain(name);
        expect(permissions).toEqual(expect.arrayContaining(['FilesystemRead', 'SemanticSearch']));
      }
    },
  );

  test('in the demo has no tool that edits parts of files or runs commands, whatever the definition names', () => {
    const demo = leadOf({}, '', 'demo');
    for (const name of ['edit_file', 'bash']) expect(demo.tools).not.toContain(name);
    expect(demo.tools).toEqual(expect.arrayContaining(['spawn_agent', 'todo_write', 'read_file', 'write_file']));
    expect(demo).toMatchObject({ provider: 'demo', model: 'demo' });
    expect(leadOf({ tools: ['edit_file'] }, '', 'demo').tools).toEqual([...registry.baseline()].sort());
    expect(() => leadOf({ permissions: ['FilesystemWrite', 'DatabaseWrite'] }, '', 'demo')).not.toThrow();
    expect(() => leadOf({ permissions: ['DatabaseRead'] }, '', 'demo')).toThrow(/DatabaseRead/);
  });
});

test('a lead knows the agents of its folder only if it has a tool that starts agents', () => {
  const agents = agentsWith({}, { name: 'second' });
  const findNames = (tool: string) =>
    built()
      .lead(definitionOf({ role: 'primary', tools: [tool] }), 'Do it', '/work', settingsOf('').limits, [], agents)
      .agents?.map(({ name }) => name);
  expect(findNames('read_file')).toBeUndefined();
  for (const tool of ['delegate_task', 'spawn_agent']) expect(findNames(tool), tool).toEqual(['second', 'worker']);
});

test('a judge has the tools of its agent that only read', () => {
  const flow = { type: 'judge', rounds: 2, primary: 'worker', coagent: 'judge' } as const;
  const agents = agentsWith({ flow: { ...flow, handoff: { type: 'static', text: 'Look.' } } }, { name: 'judge' });
  const { tools = [] } = built().child(delegating(), leadOf(), agents).flow?.coagent ?? {};
  expect(tools).toEqual(expect.arrayContaining(['grep', 'read_file']));
  for (const name of ['bash', 'write_file']) expect(tools).not.toContain(name);
});

test('an agent that takes JSON rejects any other prompt, with the reason', () => {
  const agents = agentsWith({ input: { format: 'json', schema: null } });
  expect(() => built().child(delegating(), leadOf(), agents)).toThrow(
    'worker takes JSON as its prompt, and this cannot be used: it is not JSON',
  );
});

describe('an agent on a model', () => {
  const settings = `[providers.local]
type = "openai-chat"
base_url = "http://127.0.0.1:9/v1"
models.plain = { supports_extended_thinking = false, supports_tools = false }
models.thinker = { supports_extended_thinking = true }
`;
  const make = (model: string, parts: Partial<AgentDefinition> = {}) =>
    leadOf({ provider: 'local', model, effort: 'high', tools: [], ...parts }, settings);

  test('without thinking has no effort', () => {
    expect([make('plain').effort, make('thinker').effort]).toEqual([null, 'high']);
  });

  test('without tools has none, and is rejected if it names one', () => {
    expect(make('plain').tools).toEqual([]);
    expect(() => make('plain', { tools: ['write_file', 'read_note'] })).toThrow(
      'The model plain calls no tools, and this agent would have write_file: choose another model',
    );
  });
});

describe('the envelope of a temporary agent', () => {
  const lead = leadOf({ maxTokens: 4000, maxIterations: 9 });

  test('inherits values that the request leaves out, except limits and tools that start others', () => {
    const child = built().child(spawning(), lead, agentsWith());
    expect(child).toMatchObject({
      agent: 'helper',
      definitionHash: null,
      prompt: 'Do a part',
      provider: 'anthropic',
      model: lead.model,
      maxTokens: MAX_DEFAULT_OUTPUT,
      effort: null,
      folder: '/work',
      mcpServers: [],
      approvalMode: lead.approvalMode,
      limits: { maxIterations: 40, inactivityMs: lead.limits.inactivityMs, budget: { costUsd: 2 } },
    });
    expect(child.tools).toEqual(unnamed(false));
    expect(child.systemPrompt).toMatch(/^You are helper, /);
  });

  test('has a tool that must be named only if named, even if its lead lacks the tool', () => {
    const named = ['task_complete', 'think'];
    const agents = agentsWith({ name: 'worker', tools: named });
    const own = { tools: [...registry.baseline(), ...named].sort() };
    expect(lead.tools).not.toContain('think');
    expect(built().child(spawning({ tools: named }), lead, agents)).toMatchObject(own);
    expect(built().child(spawning({ agent: 'worker' }), lead, agents)).toMatchObject(own);
    expect(built().child(spawning(), { ...lead, tools: named }, agents).tools).not.toContain('think');
  });

  test('lacks a tool of its lead that needs a set-up which its own provider does not have', () => {
    expect(lead.tools).toContain('web_search');
    const spawn = (parts: Partial<ChildRequest>) =>
      built().child(spawning({ provider: 'openai', model: 'gpt-5', ...parts }), lead, agentsWith());
    expect(spawn({}).tools).toEqual(unnamed(false).filter((name) => name !== 'web_search'));
    expect(() => spawn({ tools: ['web_search'] })).toThrow(/tools that it cannot have: web_search.*\. web_search: /);
    const printing = { ...registry.get('grep')!, name: 'print', missing: () => 'no printer' };
    const missingBoth = spawning({ provider: 'openai', model: 'gpt-5', tools: ['print', 'web_search'] });
    expect(() => built('', 'anthropic', registry.with([printing])).child(missingBoth, lead, agentsWith())).toThrow(
      /cannot have: print, web_search\. .*\. print: no printer\. web_search: \S/,
    );
  });

  test('uses the values of the request', () => {
    const request = spawning({
      systemPrompt: 'Be quick.',
      tools: ['write_file'],
      model: 'haiku',
      effort: 'low',
      provider: 'anthropic',
    });
    const child = built().child(request, lead, agentsWith());
    expect(child).toMatchObject({ systemPrompt: 'Be quick.', effort: 'low' });
    expect(child.tools).toEqual([...registry.baseline(), 'write_file'].sort());
    expect(child.model).toMatch(/haiku/);
  });

  test('based on another agent keeps its name and uses the settings of the base as defaults', () => {
    const base = { model: 'opus', effort: 'max' as const, maxTokens: 100, maxIterations: 2, tools: ['write_file'] };
    const child = built().child(spawning({ agent: 'worker' }), lead, agentsWith(base));
    expect(child).toMatchObject({ agent: 'helper', definitionHash: 'h', systemPrompt: 'Work well.', effort: 'max' });
    expect(child).toMatchObject({ maxTokens: 100, limits: { maxIterations: 2 } });
    expect(child.model).toMatch(/opus/);
    expect(child.tools).toEqual([...registry.baseline(), 'write_file'].sort());
    const other = spawning({ agent: 'worker', effort: 'low', model: 'haiku', systemPrompt: 'Mine.' });
    const named = built().child(other, lead, agentsWith(base));
    expect(named).toMatchObject({ effort: 'low', systemPrompt: 'Mine.' });
    expect(named.model).toMatch(/haiku/);
  });

  test('rejects a provider or server that the lead lacks and lists the available ones', () => {
    const make =
      (parts: Partial<ChildRequest>, parent = lead) =>
      () =>
        built().child(spawning(parts), parent, agentsWith());
    expect(make({ provider: 'other' })).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        message: expect.stringContaining('There is no provider "other", but anthropic, openai: add it') as unknown,
      }),
    );
    expect(make({ mcpServers: ['a', 'x', 'y'] }, connected())).toThrow(
      expect.objectContaining({
        code: 'not_allowed',
        message: 'MCP servers that it cannot have: x, y. The lead has: a, b',
      }),
    );
    expect(make({ mcpServers: ['x'] })).toThrow('The lead has: none');
  });
});

describe('the envelope of a permanent agent', () => {
  const lead = leadOf();

  test('is found by name only among enabled agents that can be delegated to', () => {
    const agents = agentsWith(
      {},
      { name: 'second' },
      { name: 'boss', role: 'primary' },
      { name: 'off', enabled: false },
    );
    agents.register(definitionOf({ name: 'fleeting', lifecycle: 'temporary' }), 'run-1');
    expect(built().child(delegating(), lead, agents)).toMatchObject({ agent: 'worker', systemPrompt: 'Work well.' });
    for (const name of ['boss', 'off', 'run-1', 'nobody'])
      expect(() => built().child(delegating(name), lead, agents), name).toThrow(
        expect.objectContaining({
          code: 'not_found',
          message: `agent not found: "${name}". The agents that can be used are: second, worker`,
        }),
      );
    expect(() => built().child(delegating('x'), lead, agentsWith())).toThrow('can be used are: none');
  });

  test('leaves out tools that the lead lacks if they need no permission, and rejects others', () => {
    const parent = leadOf({ tools: ['read_file', 'delegate_task'] });
    const child = built().child(delegating(), parent, agentsWith({ tools: ['read_file', 'todo_write'] }));
    expect(child.tools).not.toContain('todo_write');
    expect(() => built().child(delegating(), parent, agentsWith({ tools: ['write_file'] }))).toThrow(
      /worker asks for tools that it cannot have: write_file\. The lead can give: /,
    );
    const all = built().child(delegating(), lead, agentsWith({ tools: ['todo_write'] }));
    expect(all.tools).toContain('todo_write');
  });

  test('uses the demo model in the demo, where no spawned agent gets write_file, even if it is requested', () => {
    const demo = leadOf({}, '', 'demo');
    const child = built('', 'demo').child(
      delegating(),
      demo,
      agentsWith({ tools: ['read_file'], permissions: ['FilesystemWrite'] }),
    );
    expect(child).toMatchObject({ provider: 'demo', model: 'demo' });
    expect(built('', 'demo').child(spawning(), demo, agentsWith()).tools).not.toContain('write_file');
    expect(() => built('', 'demo').child(spawning({ tools: ['write_file'] }), demo, agentsWith())).toThrow(
      /write_file/,
    );
  });

  test('has its own limits, capped by the current settings, independent of its lead', () => {
    const parent = leadOf({ maxTokens: 50, maxIterations: 2 }, '[limits.run]\nmax_tokens = 10\nmax_minutes = 5\n');
    const now =
      '[limits.run]\nmax_tokens = 20\nmax_cost_usd = 3\nmax_minutes = 2\n[limits]\ninactivity_seconds = 30\nmax_iterations_ceiling = 100\n';
    const child = built(now).child(delegating(), parent, agentsWith({ maxTokens: 60, maxIterations: 150 }));
    expect(child.limits).toMatchObject({
      maxIterations: 100,
      inactivityMs: 30_000,
      budget: { tokens: 20, costUsd: 3, minutes: 2 },
    });
    expect(child.maxTokens).toBe(60);
    expect(child.cut).toEqual([{ limit: 'maxIterations', wanted: 150, most: 100 }]);
    expect(built().child(delegating(), parent, agentsWith({})).limits.maxIterations).toBe(40);
  });

  test('uses the minutes of the request, else of its definition, else of the setting for sub-agents', () => {
    const settings = '[limits]\nchild_minutes = 4\n[limits.run]\nmax_minutes = 9\nmax_tokens = 10\n';
    const buildBudget = (maxMinutes: number | null, ownMinutes: number | null) => {
      const agents = agentsWith({ maxMinutes: ownMinutes });
      return built(settings).child({ ...delegating(), maxMinutes }, lead, agents).limits.budget;
    };
    expect(buildBudget(2, 3)).toEqual({ tokens: 10, costUsd: 2, minutes: 2 });
    expect(buildBudget(null, 3)).toEqual({ tokens: 10, costUsd: 2, minutes: 3 });
    expect(buildBudget(null, null)).toEqual({ tokens: 10, costUsd: 2, minutes: 4 });
    expect(leadOf({}, settings).limits.budget).toEqual({ tokens: 10, minutes: 9 });
  });
});

describe('an edit of the person', () => {
  const lead = leadOf({}, '[limits.run]\nmax_tokens = 1000\n');
  const reflection = { criteria: 'Short?', maxRetries: 1 };
  const asked = built().child(delegating(), lead, agentsWith({ reflection, tools: ['write_file', 'todo_write'] }));
  const edit = (parts: object, of: Envelope = asked) => built().edited({ ...of, ...parts }, of, lead);

  test('keeps the envelope and its hash if nothing is changed', () => {
    expect(edit({})).toEqual({ value: asked, hash: canonicalHash(asked) });
  });

  test('changes prompts, model, output, effort, mode, tools and limits, and nothing else', () => {
    const { value, hash } = edit({
      prompt: 'Less',
      systemPrompt: 'Slow.',
      model: 'haiku',
      maxTokens: 5,
      effort: 'low',
      tools: ['todo_write'],
      limits: { maxIterations: 1, inactivityMs: 10_000, budget: { tokens: 7 } },
    });
    expect(value).toMatchObject({ prompt: 'Less', systemPrompt: 'Slow.', maxTokens: 5, effort: 'low' });
    expect(value.limits).toMatchObject({ maxIterations: 1, inactivityMs: 10_000, budget: { tokens: 7 } });
    expect(value.model).toMatch(/haiku/);
    expect(value.tools).toEqual([...registry.baseline(), 'todo_write'].sort());
    expect(value.permissions).toEqual(registry.permissionsOf(value.tools));
    expect(value.reflection).toEqual(reflection);
    expect(hash).toBe(canonicalHash(value));
    expect(hash).not.toBe(canonicalHash(asked));
    // An empty budget is none, and changes no hash.
    const open = leadOf();
    const bare = built().child(spawning(), open, agentsWith());
    const empty = built().edited({ ...bare, limits: { ...bare.limits, budget: {} } }, bare, open);
    const { budget: _, ...limits } = bare.limits;
    expect(empty.hash).toBe(canonicalHash({ ...bare, limits }));
  });

  test.for([
    ['agent', 'other'],
    ['definitionHash', 'other'],
    ['folder', '/'],
    ['mcpServers', ['x']],
    ['stages', [{}]],
  ])('rejects a change of %s', ([field, value]) => {
    expect(() => edit({ [field as string]: value })).toThrow(expect.objectContaining({ code: 'bad_input' }) as Error);
    if (field !== 'stages')
      expect(() => edit({ [field as string]: value })).toThrow(`${field as string} cannot be changed here`);
  });

  test.for<[object, string, RegExp]>([
    [{ prompt: ' \n' }, 'bad_input', /prompt is empty/],
    [{ prompt: 7 }, 'bad_input', /edited settings do not fit: /],
    [{ tools: ['spawn_agent'] }, 'not_allowed', /spawn_agent\. The lead can give/],
    [{ permissions: ['DatabaseRead'] }, 'not_allowed', /DatabaseRead\. The lead has: /],
    [{ permissions: [] }, 'not_allowed', /write_file\. Its permissions can give: /],
    [{ maxTokens: 1_000_000 }, 'not_allowed', /maxTokens cannot be more than .* writes/],
    [{ approvalMode: 'auto' }, 'not_allowed', /approvalMode cannot be wider than the lead's \(manual\)/],
  ])('%o is refused', ([parts, code, message]) => {
    expect(() => edit(parts)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) as string }) as Error,
    );
  });

  test('moves the agent to another provider with a model and parameters of that provider', () => {
    const settings = `[providers.local]
type = "openai-chat"
base_url = "http://127.0.0.1:9/v1"
models.plain = { supports_extended_thinking = false, supports_temperature = false }
models.warm = { supports_temperature = true }
`;
    const warm = { ...asked, provider: 'local', model: 'warm', effort: 'high', temperature: 0.5 } as const;
    const move = (parts: object, of: Envelope = asked) => built(settings).edited({ ...of, ...parts }, of, lead).value;
    expect(move({ provider: 'local', model: 'warm' })).toEqual({
      ...asked,
      provider: 'local',
      model: 'warm',
      modelOrigin: 'person',
    });
    expect(move({ model: 'plain' }, warm)).toMatchObject({ model: 'plain', effort: null });
    expect(move({ model: 'plain' }, warm)).not.toHaveProperty('temperature');
    expect(move({ maxTokens: 5 }, warm)).toEqual({ ...warm, maxTokens: 5 });
    for (const provider of ['nowhere', 'demo', ''])
      expect(() => move({ provider })).toThrow(expect.objectContaining({ code: 'bad_input' }) as Error);
  });

  test('to a provider without a web search rejects that tool, with the reason', () => {
    const searching = { provider: 'openai', model: 'gpt-5', tools: ['web_search'] };
    expect(() => edit(searching)).toThrow(/tools that it cannot have: web_search.*\. web_search: /);
  });

  test('keeps the only model of a demo agent', () => {
    const demoLead = leadOf({}, '', 'demo');
    const demo = built('', 'demo').child(spawning(), demoLead, agentsWith());
    const change = (model: string) => () => built('', 'demo').edited({ ...demo, model }, demo, demoLead);
    expect(change('sonnet')).toThrow('The demo has only the model demo');
    expect(change(' demo ')().value.model).toBe('demo');
    const moved = () => built('', 'demo').edited({ ...demo, provider: 'anthropic' }, demo, demoLead);
    expect(moved).toThrow('The demo answers for all');
  });
});

describe('ceilings of an edit by the person', () => {
  const limits =
    '[limits]\nmax_iterations_ceiling = 30\ninactivity_seconds = 9\nrun.max_tokens = 100\nrun.max_cost_usd = 2\n';
  const settings = settingsOf(limits).limits;
  const asked: Envelope = { ...leadOf({}, limits), approvalMode: 'selective', model: 'claude-haiku-4-5' };
  const budget = { tokens: 100, costUsd: 2 };
  const check = (parts: Partial<Envelope['limits']>, more: Partial<Envelope> = {}) =>
    checkCeilings({ ...asked, ...more, limits: { ...asked.limits, budget, ...parts } }, asked, settings, {
      maxOutput: 64_000,
    });

  test('allow values within the settings, and more time and money than the defaults', () => {
    check({});
    check({ maxIterations: 30, inactivityMs: 9000, budget: { tokens: 1, costUsd: 3, minutes: 9999 } });
  });

  test.for<[Partial<Envelope['limits']>, string]>([
    [{ maxIterations: 31 }, 'maxIterations cannot be more than limits.max_iterations_ceiling allows (30)'],
    [{ inactivityMs: 9001 }, 'inactivityMs cannot be more than limits.inactivity_seconds allows (9000)'],
    [{ budget: { ...budget, tokens: 101 } }, 'limits.budget.tokens cannot be more than limits.run allows (100)'],
    [{ budget: { costUsd: 1 } }, 'limits.budget.tokens'],
  ])('%o is refused', ([parts, message]) => {
    expect(() => check(parts)).toThrow(message);
  });

  test('limit the output to the maximum of the model', () => {
    expect(() => check({}, { maxTokens: 64_001 })).toThrow('maxTokens cannot be more than claude-haiku-4-5 writes');
    check({}, { maxTokens: 64_000 });
  });

  test('allow the requested values even if the settings were lowered since', () => {
    const before: Envelope = { ...asked, limits: { maxIterations: 50, inactivityMs: 10_000, budget: { tokens: 200 } } };
    const kept = { ...settings, run: { ...settings.run, max_cost_usd: null } };
    expect(() => checkCeilings(before, before, kept, { maxOutput: null })).not.toThrow();
    const more = { ...before, limits: { ...before.limits, maxIterations: 51 } };
    expect(() => checkCeilings(more, before, kept, { maxOutput: null })).toThrow('limits.max_iterations_ceiling');
  });

  test('allow only the mode of the lead or a stricter mode', () => {
    expect(() => checkMode({ ...asked, approvalMode: 'manual' }, asked)).not.toThrow();
    expect(() => checkMode({ ...asked, approvalMode: 'auto' }, asked)).toThrow(
      "approvalMode cannot be wider than the lead's (selective)",
    );
  });
});
