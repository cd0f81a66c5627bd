/** An agent's file is read strictly, and every fault has its place and a hint. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '#contract/agent.ts';
import { parseDefinition } from '#core/agents/definition.ts';
import { sha256 } from '#core/base/hash.ts';
import { allTools } from '#core/tools/all-tools.ts';

const tools = allTools();
const parse = (text: string, path = '/agents/x.md') => parseDefinition(text, { source: 'user', path, tools });
const file = (keys: string, body = 'You help.') =>
  `---\nname: x\ndescription: Does x\n${keys}${keys ? '\n' : ''}---\n${body}\n`;

function errorsOf(text: string, path?: string): Fault[] {
  const result = parse(text, path);
  return result.ok ? [] : result.errors;
}

test('reads the keys of a file, and the text below the frontmatter as the system prompt', () => {
  const keys =
    'role: primary\nmodel: opus\neffort: high\nmax_tokens: 4096\ntemperature: 0.5\nmax_iterations: 7\ndoom_loop_threshold: 5\nmax_minutes: 1.5\ntools: [read_file, grep]\nmcp_servers: [db]\npermissions: [FilesystemRead]\nrequires_approval: [FilesystemWrite, grep]\napproval_timeout: 60\nenable_reflection: true\nmax_retries: 2\nreflection_criteria: Is it short?\nenabled: false\nx-note: {a: 1}';
  const text = file(keys, '\n# Prompt\n\n---\n\nStill the prompt.\n');
  expect(parse(text)).toEqual({
    ok: true,
    definition: {
      name: 'x',
      description: 'Does x',
      role: 'primary',
      model: 'opus',
      effort: 'high',
      maxTokens: 4096,
      temperature: 0.5,
      maxIterations: 7,
      doomLoopThreshold: 5,
      maxMinutes: 1.5,
      tools: ['read_file', 'grep'],
      mcpServers: ['db'],
      permissions: ['FilesystemRead'],
      requiresApproval: ['FilesystemWrite', 'grep'],
      approvalTimeoutMs: 60_000,
      reflection: { criteria: 'Is it short?', maxRetries: 2 },
      systemPrompt: '# Prompt\n\n---\n\nStill the prompt.',
      extra: { 'x-note': { a: 1 } },
      enabled: false,
      lifecycle: 'permanent',
      source: 'user',
      sourcePath: '/agents/x.md',
      hash: sha256(text),
    },
    warnings: [],
    at: { provider: { line: 1, column: 1 }, model: { line: 5, column: 8 }, temperature: { line: 8, column: 14 } },
    mentions: [{ key: 'mcp_servers', item: 0, at: { line: 13, column: 15 }, server: 'db', tool: null }],
    links: [],
  });
});

test('omitted keys are null, and an agent defaults to an enabled sub-agent', () => {
  expect(parse(file(''))).toMatchObject({
    ok: true,
    definition: {
      role: 'subagent',
      model: null,
      effort: null,
      maxTokens: null,
      temperature: null,
      maxIterations: null,
      doomLoopThreshold: null,
      maxMinutes: null,
      tools: null,
      mcpServers: null,
      permissions: null,
      requiresApproval: [],
      approvalTimeoutMs: null,
      reflection: null,
      enabled: true,
    },
  });
});

test('reflection defaults to one retry, and accepts its criteria as a list or as text', () => {
  const reflectionOf = (keys: string) => {
    const result = parse(file(keys));
    return result.ok && result.definition.reflection;
  };
  expect(reflectionOf('enable_reflection: true')).toEqual({ criteria: null, maxRetries: 1 });
  expect(reflectionOf('enable_reflection: true\nmax_retries: 0')).toMatchObject({ maxRetries: 0 });
  expect(reflectionOf('enable_reflection: true\nreflection_criteria: [It is short, It is right]')).toEqual({
    criteria: '- It is short\n- It is right',
    maxRetries: 1,
  });
  expect(reflectionOf('enable_reflection: false\nmax_retries: 2')).toBeNull();
});

test('reflection keys without enable_reflection cause a warning', () => {
  expect(parse(file('max_retries: 2\nreflection_criteria: Is it short?'))).toMatchObject({
    ok: true,
    definition: { reflection: null },
    warnings: ['max_retries', 'reflection_criteria'].map((key, index) => ({
      line: 4 + index,
      key,
      message: `${key} changes nothing without enable_reflection: true`,
    })),
  });
});

test('line ends of Windows and a byte order mark change nothing', () => {
  expect(parse(`\uFEFF${file('model: haiku').replaceAll('\n', '\r\n')}`)).toMatchObject({
    ok: true,
    definition: { model: 'haiku', systemPrompt: 'You help.' },
  });
});

test('an unknown key is reported with its location and the nearest valid key', () => {
  expect(errorsOf(file('model: opus\ntool: [grep]'))).toEqual([
    {
      line: 5,
      column: 1,
      key: 'tool',
      message: 'unknown key tool',
      suggestion: 'tools',
      says: [{ key: 'unknown_key', values: { key: 'tool' } }],
    },
  ]);
  expect(errorsOf(file('zzzzzz: 1'))).toMatchObject([{ key: 'zzzzzz', suggestion: null }]);
  expect(errorsOf(file('__proto__: 1'))).toMatchObject([{ key: '__proto__' }]);
});

test.for([
  ['role: primry', { line: 4, column: 7, key: 'role', suggestion: 'primary' }],
  ['effort:   hihg', { line: 4, column: 11, key: 'effort', suggestion: 'high' }],
  ['model: 3', { line: 4, column: 8, key: 'model', message: 'model must be text' }],
  ['model:', { line: 4, column: 1, key: 'model', message: 'model must be text, or be left out' }],
  [
    'max_iterations: 201',
    { line: 4, column: 17, key: 'max_iterations', message: 'max_iterations must be at most 200' },
  ],
  ['max_minutes: 0', { key: 'max_minutes', message: 'max_minutes must be a number above 0, at most 1000000' }],
  ['max_tokens: 1.5', { key: 'max_tokens', message: 'max_tokens must be a whole number from 1 to 1000000' }],
  ['tools: grep', { key: 'tools', message: 'tools must be a list of tool names, such as [read_file, grep]' }],
  ['tools:\n  - grep\n  - 3', { line: 6, column: 5, key: 'tools', message: 'tools (item 2) must be text' }],
  ['enabled: "no"', { key: 'enabled', message: 'enabled must be true or false' }],
  ['x-a: &alias opus\nmodel: *alias', { line: 5, key: 'model', message: 'model must be text' }],
  ['tools: [gerp]', { line: 4, column: 9, key: 'tools', suggestion: 'grep' }],
  [
    'tools: [spawn_agent]',
    {
      key: 'tools',
      message: 'tools (item 1) spawn_agent is for leads alone: sub-agents cannot start others',
    },
  ],
  [
    'permissions:\n  - FilesystemRead\n  - DatbaseWrite',
    { line: 6, column: 5, key: 'permissions', suggestion: 'DatabaseWrite' },
  ],
  ['permissions: FilesystemRead', { line: 4, column: 14, key: 'permissions' }],
  ['requires_approval: [FilesystemWrit]', { column: 21, key: 'requires_approval', suggestion: 'FilesystemWrite' }],
  ['requires_approval: [write_fil]', { key: 'requires_approval', suggestion: 'write_file' }],
  ['approval_timeout: 0', { line: 4, column: 19, message: 'approval_timeout must be at least 1' }],
  ['approval_timeout: 5 min', { key: 'approval_timeout' }],
  [
    'next: [a, 3]',
    { line: 4, column: 7, key: 'next', message: 'next must be the name of an agent, or a list of names' },
  ],
  ['enable_reflection: "yes"', { column: 20, message: 'enable_reflection must be true or false' }],
  ['max_retries: 6', { line: 4, column: 14, message: 'max_retries must be at most 5' }],
  ['max_retries: -1', { key: 'max_retries', message: 'max_retries must be at least 0' }],
  ['reflection_criteria: [short, ""]', { column: 30, message: 'reflection_criteria (item 2) must not be empty' }],
  ['prompt: x', { key: 'prompt', message: 'unknown key prompt' }],
  ['model: {a: 1}', { key: 'model', message: 'model must be text' }],
] as const)('reports a wrong value: %s', ([keys, error]) => {
  expect(errorsOf(file(keys))).toMatchObject([error]);
});

test('a missing key is named', () => {
  expect(errorsOf('---\nname: x\n---\nText')).toMatchObject([
    { line: 1, column: 1, key: 'description', message: 'description is missing', suggestion: null },
  ]);
});

test('reports a repeated key and an invalid name', () => {
  expect(errorsOf('---\nname: x\ndescription: d\nname: y\n---\nText')).toMatchObject([
    { line: 4, column: 1, key: 'name' },
  ]);
  expect(errorsOf('---\nname: "../x"\ndescription: d\n---\nText')).toMatchObject([{ line: 2, column: 7, key: 'name' }]);
});

test('reports all faults of a file in the order of their lines', () => {
  const errors = errorsOf('---\nname: x\nrolle: primary\nenabled: 1\n---\n\n');
  expect(errors.map(({ line, key }) => [line, key])).toEqual([
    [1, 'description'],
    [3, 'rolle'],
    [4, 'enabled'],
    [6, null],
  ]);
});

const lines = (text: string, path?: string) => errorsOf(text, path).map(({ line, key }) => [line, key]);

test('reports unknown tools, models, permissions and variables together with wrong values', () => {
  const text = file(
    'effort: hihg\nmodel: opsu\ntools: [gerp, 5, spawn_agent]\npermissions: [ReadFilesystem, WriteDatabase]\nrequires_approval: [write_fil]\ninput_format: json',
    'See {{fodler}}',
  );
  expect(lines(text)).toEqual([
    [4, 'effort'],
    [5, 'model'],
    [6, 'tools'],
    [6, 'tools'],
    [6, 'tools'],
    [7, 'permissions'],
    [7, 'permissions'],
    [8, 'requires_approval'],
    [9, 'input_format'],
    [11, null],
  ]);
});

test('reports no conflict between two keys if one of them is faulty', () => {
  expect(lines(file('provider: 5\nmodel: my-model'))).toEqual([[4, 'provider']]);
  expect(lines(file('input_format: jsn\ninput_schema: {}'))).toEqual([[4, 'input_format']]);
  expect(lines(file('role: primry\ntools: [spawn_agent]'))).toEqual([[4, 'role']]);
});

test('reports each syntax error, and the faults of the other keys', () => {
  const yaml = '---\nname: x\ndescription: a: b\nmodle: x\nrole: [a\nname: y\npermissions: [WriteDatabase]\n---\nText';
  expect(lines(yaml)).toEqual([
    [3, null],
    [4, 'modle'],
    [5, null],
    [6, 'name'],
    [7, 'permissions'],
  ]);
  const toml = 'name = x\ndescription = "d"\nrole = sub\nmax_tokens = "5"\nname = "y"\nprompt = "p"\n';
  expect(lines(toml, '/agents/x.toml')).toEqual([
    [1, null],
    [3, null],
    [4, 'max_tokens'],
    [5, null],
  ]);
});

test('reports no fault that follows from a syntax error', () => {
  const open = 'name = "x"\ndescription = "d"\nmodle = "m"\nprompt = """\nYou help.\nrole = not a key\n';
  expect(errorsOf(open, '/agents/x.toml')).toHaveLength(1);
  const list = 'name = "x"\ntools = ["grep"\nmodle = "m"\ndescription = "d"\nprompt = "p"\n';
  expect(errorsOf(list, '/agents/x.toml')).toHaveLength(1);
  expect(lines('---\nname: x\ndescription: "open\nrole: primry\n---\nText')).toEqual([
    [3, null],
    [4, 'role'],
  ]);
});

test('reports all faults of the sections of a TOML file', () => {
  const text =
    '[agent]\nname = "x"\ndescription = "d"\nroel = "primary"\n[model]\nmodle = "m"\ntemperature = "warm"\n[prompt]\nsystem = { url = "x" }\n';
  expect(errorsOf(text, '/agents/x.toml')).toMatchObject([
    { line: 4, key: 'agent.roel', suggestion: 'role' },
    { line: 6, key: 'model.modle', suggestion: 'model' },
    { line: 7, key: 'temperature' },
    { line: 9, key: 'prompt' },
  ]);
});

test.for(['', 'no frontmatter', '---\nname: x\n', 'x\n---\nname: x\n---\n'])(
  'reports missing frontmatter: %j',
  (text) => {
    expect(errorsOf(text)).toMatchObject([
      { line: 1, column: 1, message: expect.stringContaining('frontmatter') as string },
    ]);
  },
);

test('reports invalid YAML, and frontmatter without keys, with the location', () => {
  expect(errorsOf('---\nname: x\ndescription: d\ntools: [a\n---\nText')).toMatchObject([{ line: 4, key: null }]);
  expect(errorsOf('---\n- a\n---\nText')).toMatchObject([
    { line: 2, message: 'the frontmatter must be keys with values' },
  ]);
});

test('a lead may have tools that start agents, and the name lead is reserved for a lead', () => {
  expect(parse(file('role: primary\ntools: [spawn_agent, grep]'))).toMatchObject({ ok: true });
  expect(errorsOf('---\nname: lead\ndescription: d\n---\nText')).toMatchObject([{ line: 2, column: 7, key: 'name' }]);
  expect(parse('---\nname: lead\ndescription: d\nrole: primary\n---\nText')).toMatchObject({ ok: true });
});

test('an unknown model is an error', () => {
  expect(errorsOf(file('model: sonet'))).toMatchObject([
    {
      line: 4,
      column: 8,
      key: 'model',
      suggestion: 'sonnet',
      message: expect.stringContaining('is not known') as string,
    },
  ]);
});

test('a permission that only tools of MCP servers can need causes a warning', () => {
  const { ok, warnings } = parse(file('permissions: [FilesystemRead, DatabaseRead]'));
  expect(ok).toBe(true);
  expect(warnings).toMatchObject([
    {
      line: 4,
      column: 31,
      key: 'permissions',
      message: expect.stringMatching(/^permissions \(item 2\) DatabaseRead: only tools of MCP servers/) as string,
    },
  ]);
});

test('a tool that the permissions exclude causes a warning with its location', () => {
  const { ok, warnings } = parse(file('tools: [grep, write_file]\npermissions: [FilesystemRead]'));
  expect(ok).toBe(true);
  expect(warnings).toMatchObject([
    {
      line: 4,
      column: 15,
      message: expect.stringContaining('write_file needs FilesystemWrite') as string,
    },
  ]);
});

describe('TOML', () => {
  const toml = (keys: string) =>
    `name = "x"\ndescription = "Does x"\n${keys}\nprompt = """\nYou help.\nmodel = not a key\n"""\n`;
  const path = '/agents/x.toml';

  test('accepts the keys of Markdown files, and the prompt as a key', () => {
    const text = toml('tools = ["grep"]\napproval_timeout = 5 # seconds\n[x-mine]\nb = 1\n').replace(
      /(\[x-mine\]\nb = 1\n\n)([\s\S]*)$/,
      '$2\n$1',
    );
    expect(parse(text, path)).toMatchObject({
      ok: true,
      definition: {
        name: 'x',
        tools: ['grep'],
        approvalTimeoutMs: 5000,
        model: null,
        systemPrompt: 'You help.\nmodel = not a key',
      },
    });
  });

  test.for([
    ['tool = ["grep"]', { line: 3, column: 1, key: 'tool', suggestion: 'tools' }],
    ['tools = [\n  "grep", # "]"\n  "raed_file",\n]', { line: 5, column: 3, key: 'tools', suggestion: 'read_file' }],
    ['  enabled =  "no"', { line: 3, column: 14, key: 'enabled' }],
    ["'max_tokens' = 1.5", { line: 3, column: 16, key: 'max_tokens' }],
    ["x-a = '''\nrole = \"x\"\n'''\nrole = \"x\"", { line: 6, column: 8, key: 'role' }],
    ['x-a = { b = [1, "]"] }\neffort = "hihg"', { line: 4, column: 10, key: 'effort', suggestion: 'high' }],
    ['next = []', { line: 3, column: 8, message: 'next must name an agent, or be left out' }],
    ['name = "y"', { line: 3, key: null }],
  ] as const)('reports a defect with its location: %s', ([keys, error]) => {
    expect(errorsOf(toml(keys), path)).toMatchObject([error]);
  });

  test('reports a missing prompt, and a fault at its line after a very long prompt', () => {
    expect(errorsOf('name = "x"\ndescription = "d"', path)).toMatchObject([{ line: 1, key: 'prompt' }]);
    const long = `prompt = """${'a "quoted" word, '.repeat(10_000)}"""\nname = "x"\ndescription = "d"\nmodle = "m"\n`;
    expect(errorsOf(long, path)).toMatchObject([{ line: 4, key: 'modle', suggestion: 'model' }]);
  });
});

test('rejects files with too many keys or too long frontmatter', () => {
  const many = (separator: string, count: number) =>
    Array.from({ length: count }, (_, index) => `x-${index}${separator} 1`).join('\n');
  const messages = (text: string, path?: string) => errorsOf(text, path).map(({ message }) => message);
  expect(messages(file(many(':', 10_000)))).toEqual(['the frontmatter is longer than 64 KiB']);
  expect(messages(file(many(':', 600)))).toEqual(['the file has more than 500 keys']);
  expect(messages(many(' =', 600), '/agents/x.toml')).toEqual(['the file has more than 500 keys']);
});
