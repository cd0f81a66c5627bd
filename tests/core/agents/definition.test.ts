/** An agent's file is read strictly, and every fault has its place and a hint. */
import { expect, test } from 'vitest';
import { type DefinitionError, parseDefinition } from '#core/agents/definition.ts';
import { sha256 } from '#core/hash.ts';

const parse = (text: string) => parseDefinition(text, { source: 'user', path: '/agents/x.md' });
const file = (keys: string, body = 'You help.') =>
  `---\nname: x\ndescription: Does x\n${keys}${keys ? '\n' : ''}---\n${body}\n`;

function errorsOf(text: string): DefinitionError[] {
  const result = parse(text);
  return result.ok ? [] : result.errors;
}

test('every key, and the text below as the system prompt', () => {
  const keys =
    'role: primary\nmodel: opus\neffort: high\nmax_tokens: 4096\nmax_iterations: 7\ntools: [read_file, grep]\nenabled: false\nx-note: {a: 1}';
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
      maxIterations: 7,
      tools: ['read_file', 'grep'],
      systemPrompt: '# Prompt\n\n---\n\nStill the prompt.',
      enabled: false,
      lifecycle: 'permanent',
      source: 'user',
      sourcePath: '/agents/x.md',
      hash: sha256(text),
    },
  });
});

test('what is left out is left to the parent, and an agent is an enabled sub-agent', () => {
  expect(parse(file(''))).toMatchObject({
    ok: true,
    definition: {
      role: 'subagent',
      model: null,
      effort: null,
      maxTokens: null,
      maxIterations: null,
      tools: null,
      enabled: true,
    },
  });
});

test('line ends of Windows and a byte order mark change nothing', () => {
  expect(parse(`\uFEFF${file('model: haiku').replaceAll('\n', '\r\n')}`)).toMatchObject({
    ok: true,
    definition: { model: 'haiku', systemPrompt: 'You help.' },
  });
});

test('an unknown key is refused with its place and the nearest valid key', () => {
  expect(errorsOf(file('model: opus\ntool: [grep]'))).toEqual([
    { line: 5, column: 1, key: 'tool', message: 'unknown key tool', suggestion: 'tools' },
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
  ['max_tokens: 1.5', { key: 'max_tokens', message: 'max_tokens must be a whole number from 1 to 1000000' }],
  ['tools: grep', { key: 'tools', message: 'tools must be a list of tool names, such as [read_file, grep]' }],
  ['tools:\n  - grep\n  - 3', { line: 6, column: 5, key: 'tools', message: 'tools (item 2) must be text' }],
  ['enabled: "no"', { key: 'enabled', message: 'enabled must be true or false' }],
  ['x-a: &alias opus\nmodel: *alias', { line: 5, key: 'model', message: 'model must be text' }],
  ['model: {a: 1}', { key: 'model', message: 'model must be text' }],
] as const)('a wrong value: %s', ([keys, error]) => {
  expect(errorsOf(file(keys))).toMatchObject([error]);
});

test('a missing key is named', () => {
  expect(errorsOf('---\nname: x\n---\nText')).toEqual([
    { line: 1, column: 1, key: 'description', message: 'description is missing', suggestion: null },
  ]);
});

test('a key that stands twice, and a name that cannot be one', () => {
  expect(errorsOf('---\nname: x\ndescription: d\nname: y\n---\nText')).toMatchObject([
    { line: 4, column: 1, key: 'name' },
  ]);
  expect(errorsOf('---\nname: "../x"\ndescription: d\n---\nText')).toMatchObject([
    { line: 2, column: 7, key: 'name' },
  ]);
});

test('all faults of a file are told at once, in its order', () => {
  const errors = errorsOf('---\nname: x\nrolle: primary\nenabled: 1\n---\n\n');
  expect(errors.map(({ line, key }) => [line, key])).toEqual([
    [1, 'description'],
    [3, 'rolle'],
    [4, 'enabled'],
    [6, null],
  ]);
});

test.for(['', 'no frontmatter', '---\nname: x\n', 'x\n---\nname: x\n---\n'])(
  '%j has no frontmatter',
  (text) => {
    expect(errorsOf(text)).toMatchObject([
      { line: 1, column: 1, message: expect.stringContaining('frontmatter') as string },
    ]);
  },
);

test('what is no YAML, or no keys, is told with its place', () => {
  expect(errorsOf('---\nname: x\ntools: [a\n---\nText')).toMatchObject([{ line: 3, key: null }]);
  expect(errorsOf('---\n- a\n---\nText')).toMatchObject([
    { line: 2, message: 'the frontmatter must be keys with values' },
  ]);
});
