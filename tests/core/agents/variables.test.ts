/** Variables of prompts: what each stands for, what stands for itself, and what is told where there is none. */
import { expect, test } from 'vitest';
import { parseDefinition } from '#core/agents/definition.ts';
import { promptValues, rendered } from '#core/agents/variables.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { agentText } from '../../support/linking.ts';

const tools = allTools();
const errorsOf = (text: string, path: string) => {
  const parsed = parseDefinition(text, { source: 'user', path, tools });
  return parsed.ok ? [] : parsed.errors;
};

test('replaces each variable once, with and without blanks, and leaves escaped and unknown variables', () => {
  const values = { a: '{{b}}', b: '$& $1', constructor: 'no' };
  expect(rendered('{{a}} {{b}} \\{{a}} {{ a }} {{c}} {{toString}} {a}', values)).toBe(
    '{{b}} $& $1 {{a}} {{b}} {{c}} {{toString}} {a}',
  );
});

test('system prompts have values for all variables', () => {
  const values = promptValues({ agent: 'x', folder: '/at', maxSubAgents: 2 });
  expect(values).toMatchObject({ max_sub_agents: '2', folder: '/at', agent: 'x' });
  expect(values.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(values.platform).not.toBe('');
});

test('an unknown variable is reported at its line and column, in both formats', () => {
  const body = 'In {{folder}} \\{{x}}\n\n and {{foldr}}, {{dat}}.';
  expect(errorsOf(agentText('x').replace('You are x.', `\n${body}`), '/x.md')).toMatchObject([
    { line: 8, column: 6, key: null, suggestion: '{{folder}}' },
    { line: 8, column: 17, suggestion: '{{date}}' },
  ]);
  const toml = (prompt: string) => `name = "x"\ndescription = "{{what}}"\nprompt = ${prompt}\n`;
  expect(errorsOf(toml(`'''\n${body}'''`), '/x.toml')).toMatchObject([
    { line: 6, column: 6, key: 'prompt', suggestion: '{{folder}}' },
    { line: 6, column: 17, key: 'prompt', suggestion: '{{date}}' },
  ]);
  expect(errorsOf(toml('"Hi \\\\{{x}} {{y}}"'), '/x.toml')).toMatchObject([{ line: 3, column: 22 }]);
});

const SECTIONED = `next = "other"

[agent]
name = "x"
description = "Does x"
role = "subagent"

[model]
model = "haiku"
temperature = 0.7
max_tokens = 8192

[tools]
enabled = ["grep", "read_file"]

[react]
max_iterations = 20
doom_loop_threshold = 3

[prompt]
system = """
You are {{agent}}.
"""
`;

test('an agent in TOML may use sections with the known keys, and locations are exact', () => {
  expect(parseDefinition(SECTIONED, { source: 'user', path: '/x.toml', tools })).toMatchObject({
    ok: true,
    definition: {
      name: 'x',
      model: 'haiku',
      temperature: 0.7,
      maxTokens: 8192,
      tools: ['grep', 'read_file'],
      next: ['other'],
      maxIterations: 20,
      doomLoopThreshold: 3,
      systemPrompt: 'You are {{agent}}.',
    },
    at: { temperature: { line: 10, column: 15 } },
  });
});

test.for<[string, string, object]>([
  ['model = "haiku"', 'model = "haiky"', { line: 9, column: 9, key: 'model', suggestion: 'haiku' }],
  ['"read_file"', '"raed_file"', { line: 14, column: 20, key: 'tools', suggestion: 'read_file' }],
  ['max_iterations = 20', 'max_iterations = 0', { line: 17, column: 18, key: 'max_iterations' }],
  ['max_tokens', 'max_token', { line: 11, column: 1, key: 'model.max_token', suggestion: 'max_tokens' }],
  [
    'model = "haiku"',
    'provider = "A b"',
    { line: 9, key: 'provider', message: expect.stringContaining('not the name of a provider') as string },
  ],
  ['[react]', '[raect]', { line: 16, column: 1, key: 'raect' }],
  ['role =', 'tools =', { line: 6, key: 'agent.tools' }],
  ['next = "other"', 'name = "y"', { line: 4, key: 'name', message: expect.stringContaining('says again') as string }],
  [
    '"""\nYou are {{agent}}.\n"""',
    '{ file = "p.md" }',
    { line: 21, column: 10, message: expect.stringContaining('inline') as string },
  ],
])('reports a mistake in a section: %s becomes %s', ([good, bad, error]) => {
  expect(errorsOf(SECTIONED.replace(good, bad), '/x.toml')).toMatchObject([error]);
});
