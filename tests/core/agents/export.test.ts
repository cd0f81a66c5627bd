/** Agents in the formats of other programs: each reads its file back, and what it cannot express is listed. */
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { AgentDefinition } from '#contract/agent.ts';
import { parseDefinition } from '#core/agents/definition.ts';
import { exportAgent } from '#core/agents/export/export-agent.ts';
import { EXPORT_FORMATS, type AgentExportFormat } from '#core/agents/export/exported.ts';
import { parseForeign } from '#core/agents/foreign.ts';
import { splitMarkdown } from '#core/agents/frontmatter.ts';
import { allTools } from '#core/tools/all-tools.ts';

const tools = allTools();

function defined(keys: string, prompt = 'You help.'): AgentDefinition {
  const text = `---\nname: My Reviewer\ndescription: "Reviews: one file"\n${keys}\n---\n${prompt}\n`;
  const parsed = parseDefinition(text, { source: 'user', path: '/agents/x.md', tools });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.definition;
}

const HANDOFF = { type: 'static', text: 'Look at this.' } as const;

const written = (keys: string, format: AgentExportFormat, prompt?: string) =>
  exportAgent(defined(keys, prompt), format, tools);

/** What goose makes of a recipe before it reads the YAML: empty quotes change, and `{{'text'}}` is that text. */
function rendered(recipe: string): string {
  const literal = /\{\{'([^']*)'\}\}/g;
  if (/\{[{%#]/.test(recipe.replaceAll(literal, ''))) throw new Error('goose would render a part of the text');
  return recipe.replaceAll(/:\s*""/g, ": ''").replaceAll(literal, '$1');
}

/** The keys and the prompt as the other program reads them. */
function readBack(format: AgentExportFormat, text: string): { keys: Record<string, unknown>; prompt: unknown } {
  if (format === 'codex') {
    const keys = parseToml(text);
    return { keys, prompt: keys['developer_instructions'] };
  }
  if (format === 'goose') {
    parseYaml(text);
    const keys = parseYaml(rendered(text)) as Record<string, unknown>;
    return { keys, prompt: keys['instructions'] };
  }
  const file = splitMarkdown(text);
  return { keys: parseYaml(file?.frontmatter ?? '') as Record<string, unknown>, prompt: file?.body.trim() };
}

const FULL =
  'model: opus\neffort: high\ntemperature: 0.2\nmax_iterations: 12\ntools: [read_file, grep, edit_file, mcp__db__query]\npermissions: [FilesystemRead, FilesystemWrite]\nrequires_approval: [FilesystemWrite]\nmax_minutes: 5\nx-team: docs';

test('an export for Claude Code contains name, tools, model, effort and turns', () => {
  const { text, file, lost } = written(FULL, 'claude');
  expect(file).toBe('.claude/agents/my-reviewer.md');
  expect(readBack('claude', text)).toEqual({
    keys: {
      name: 'my-reviewer',
      description: 'Reviews: one file',
      tools: expect.any(String) as string,
      model: 'opus',
      effort: 'high',
      maxTurns: 12,
    },
    prompt: 'You help.',
  });
  const names = String(readBack('claude', text).keys['tools']).split(', ');
  expect(names.sort()).toEqual(['Edit', 'Glob', 'Grep', 'Read', 'mcp__db__query']);
  expect(lost.map(({ key }) => key)).toEqual(['name', 'temperature', 'max_minutes', 'requires_approval', 'x-team']);
});

test('an export for opencode contains mode, model with provider, temperature, steps and permissions', () => {
  const { text, file, lost } = written(`${FULL}\nrole: primary`, 'opencode');
  expect(file).toBe('.opencode/agent/my-reviewer.md');
  const { keys } = readBack('opencode', text);
  expect(keys).toMatchObject({
    description: 'Reviews: one file',
    mode: 'primary',
    model: 'anthropic/claude-opus-5-5',
    temperature: 0.2,
    steps: 12,
    permission: { '*': 'deny', read: 'allow', grep: 'allow', edit: 'ask', db_query: 'ask' },
  });
  expect(Object.keys(keys['permission'] as object)[0], 'the last rule that fits counts').toBe('*');
  expect(lost.map(({ key }) => key)).toEqual(['name', 'effort', 'max_minutes', 'x-team']);
});

test('an export for Codex contains instructions, effort, a sandbox and a model that Codex runs', () => {
  const { text, file, lost } = written(FULL, 'codex');
  expect(file).toBe('.codex/agents/my-reviewer.toml');
  expect(readBack('codex', text).keys).toEqual({
    name: 'my-reviewer',
    description: 'Reviews: one file',
    model_reasoning_effort: 'high',
    developer_instructions: 'You help.',
  });
  expect(lost.map(({ key }) => key)).toContain('model');
  const reading = readBack(
    'codex',
    written('permissions: [FilesystemRead]\nmodel: gpt-6\nprovider: openai', 'codex').text,
  );
  expect(reading.keys).toMatchObject({ sandbox_mode: 'read-only', model: 'gpt-6' });
});

test('an export for goose is a recipe with settings and the answer schema', () => {
  const schema = 'output_format: json\noutput_schema: {type: object, properties: {a: {type: string}}}';
  const { text, lost } = written(`${FULL}\n${schema}`, 'goose');
  expect(readBack('goose', text).keys).toEqual({
    version: '1.0.0',
    title: 'My Reviewer',
    description: 'Reviews: one file',
    settings: { goose_provider: 'anthropic', goose_model: 'claude-opus-5-5', temperature: 0.2, max_turns: 12 },
    response: { json_schema: { type: 'object', properties: { a: { type: 'string' } } } },
    instructions: 'You help.',
  });
  expect(lost.map(({ key }) => key)).toEqual([
    ...['tools', 'permissions', 'effort', 'max_minutes', 'requires_approval', 'x-team'],
  ]);
});

describe.each(EXPORT_FORMATS)('%s', (format) => {
  test.each([
    ['rules', 'First\n\n---\n\nname: not a key\n---\nLast'],
    ['quotes', `"""\n'''\n"double" 'single' \\ back \\n`],
    ['template signs', 'Write {{ name }}, {% raw %}, {# none #}, {{{three}}} and {"a": {"b": ""}}'],
    ['blanks', '  indented\n\ttab\n\n\n- item: x # no comment\nend:'],
    ['signs of YAML', '& * ! | > % @ ` : ? - [a, b] {c: d}\n%TAG\n...'],
    ['other scripts', 'Überprüfe 文件 👩‍👩‍👧 \u00a0\u2028 end'],
  ])('keeps a prompt with %s', (_, prompt) => {
    const agent = defined('', 'x');
    const { text } = exportAgent({ ...agent, systemPrompt: prompt.trim() }, format, tools);
    expect(readBack(format, text).prompt).toBe(prompt.trim());
  });

  test('lists variables that only Triad replaces, and unescapes escaped variables', () => {
    const prompt = 'You are {{agent}} in {{folder}}; write \\{{date}}.';
    const { text, lost } = written('', format, prompt);
    expect(readBack(format, text).prompt).toBe('You are My Reviewer in {{folder}}; write {{date}}.');
    expect(lost.filter(({ key }) => key === 'prompt').map(({ reason }) => reason)).toEqual([
      expect.stringContaining('{{folder}}'),
    ]);
  });
});

test('an export lists the coagent and the control flow of a composition as lost', () => {
  const flow = { type: 'judge', rounds: 3, primary: 'lead', coagent: 'reviewer', handoff: HANDOFF } as const;
  const { lost } = exportAgent({ ...defined(''), flow }, 'claude', tools);
  expect(lost.map(({ key }) => key)).toEqual(['name', 'coagent', 'control_flow']);
});

test('an agent without limits is exported without them', () => {
  expect(readBack('claude', written('', 'claude').text).keys).toEqual({
    name: 'my-reviewer',
    description: 'Reviews: one file',
  });
  expect(readBack('opencode', written('', 'opencode').text).keys).not.toHaveProperty('permission');
});

test('exports no tool that the permissions of the agent exclude', () => {
  const keys = 'permissions: [FilesystemRead]';
  expect(readBack('claude', written(keys, 'claude').text).keys['tools']).not.toMatch(/\bWrite|Edit|Bash|Web/);
  const permission = readBack('opencode', written(keys, 'opencode').text).keys['permission'];
  expect(permission).toMatchObject({ '*': 'deny', read: 'allow' });
  expect(permission).not.toHaveProperty('edit');
  expect(permission).not.toHaveProperty('bash');
});

test.each(['claude', 'opencode'] as const)('an export for %s is imported with the same tools', (format) => {
  const { text } = written('tools: [read_file, grep]\nmodel: haiku', format);
  const parsed = parseForeign(text, format, { source: 'user', path: `/x/my-reviewer.md`, tools });
  expect(parsed).toMatchObject({
    ok: true,
    definition: {
      name: 'my-reviewer',
      description: 'Reviews: one file',
      systemPrompt: 'You help.',
      ...(format === 'claude'
        ? { model: 'haiku', tools: expect.arrayContaining(['read_file', 'grep']) as unknown }
        : {}),
    },
  });
});
