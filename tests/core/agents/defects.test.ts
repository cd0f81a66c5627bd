/** Hundreds of definitions with one defect each: every one is refused, and the key and the line are the right ones. */
import { expect, test } from 'vitest';
import { parseDefinition } from '#core/agents/definition.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { inFullRun, variations } from '../../support/samples.ts';

interface Case {
  text: string;
  path: string;
  line: number;
  key: string | null;
  suggestion?: string;
}

const tools = allTools();
const KEYS = [
  ...[
    'name',
    'description',
    'role',
    'model',
    'effort',
    'max_tokens',
    'temperature',
    'max_iterations',
    'doom_loop_threshold',
    'tools',
  ],
  ...['permissions', 'requires_approval', 'approval_timeout', 'enabled'],
  ...['enable_reflection', 'max_retries', 'reflection_criteria'],
  ...[
    'next',
    'input_format',
    'input_schema',
    'output_format',
    'output_schema',
    'expose_as_tool',
    'project_instructions',
  ],
];
/** Key, a good value, and bad ones with what was meant where that can be told; both formats write them alike. */
const VALUES: readonly (readonly [string, string, readonly (readonly [string, string?])[]])[] = [
  ['role', '"subagent"', [['"primry"', 'primary'], ['"sub-agent"', 'subagent'], ['3'], ['["primary"]']]],
  ['model', '"haiku"', [['3'], ['true'], ['[]'], ['""'], ['"  "']]],
  ['effort', '"low"', [['"hihg"', 'high'], ['"medum"', 'medium'], ['7'], ['["low"]']]],
  ['max_tokens', '4096', [['0'], ['-5'], ['1.5'], ['"many"'], ['2000000'], ['true']]],
  ['temperature', '0.5', [['-0.1'], ['2.1'], ['"warm"'], ['true'], ['[1]']]],
  ['max_iterations', '20', [['0'], ['201'], ['0.5'], ['"20"'], ['[20]']]],
  ['doom_loop_threshold', '5', [['1'], ['101'], ['2.5'], ['"5"'], ['[5]']]],
  [
    'tools',
    '["grep"]',
    [['"grep"'], ['["raed_file"]', 'read_file'], ['["grpe"]', 'grep'], ['[3]'], ['[""]'], ['["spawn_agent"]']],
  ],
  [
    'permissions',
    '["FilesystemRead"]',
    [
      ['["DatbaseWrite"]', 'DatabaseWrite'],
      ['["filesystemRead"]', 'FilesystemRead'],
      ['["NetworkAcess"]', 'NetworkAccess'],
      ['"FilesystemRead"'],
      ['[1]'],
    ],
  ],
  ['requires_approval', '["grep"]', [['["FilesystemWirte"]', 'FilesystemWrite'], ['true'], ['[""]']]],
  ['approval_timeout', '300', [['0'], ['86401'], ['"5 min"'], ['-1'], ['[300]']]],
  ['enabled', 'true', [['"no"'], ['1'], ['[]']]],
  ['enable_reflection', 'true', [['"yes"'], ['0'], ['["true"]']]],
  ['max_retries', '2', [['-1'], ['6'], ['1.5'], ['"2"'], ['true']]],
  ['next', '"other"', [['3'], ['true'], ['""'], ['[]'], ['[7]']]],
  ['input_format', '"text"', [['"txt"', 'text'], ['"markdown"'], ['1'], ['"json"']]],
  ['output_format', '"markdown"', [['"markdwon"', 'markdown'], ['"jsn"', 'json'], ['true']]],
  ['expose_as_tool', 'true', [['"yes"'], ['1']]],
  ['project_instructions', 'true', [['"yes"'], ['1']]],
  ['reflection_criteria', "['It is short']", [['3'], ['true'], ['""'], ['"  "'], ['[]'], ['[7]'], ['["a", ""]']]],
];

/** Every third key is filled in, beginning at the index, so that the defect stands among others. */
function fileOf(format: 'md' | 'toml', index: number, mine: readonly string[], without = ''): Omit<Case, 'key'> {
  const isToml = format === 'toml';
  const pair = (key: string, value: string) => (isToml ? `${key} = ${value}` : `${key}: ${value}`);
  const own = mine.map((line) => line.split(/[:=]/)[0]?.trim() ?? '');
  const others = VALUES.filter(([key], at) => (at + index) % 3 === 0 && !own.includes(key));
  const lines = [
    ...[pair('name', '"agent-x"'), pair('description', '"Does one thing"')].filter(
      (line) => !line.startsWith(without || '\0') && !own.includes(line.split(/[:=]/)[0]!.trim()),
    ),
    ...others.slice(0, index % 3).map(([key, value]) => pair(key, value)),
    '# a word in between',
    ...mine,
    ...others.slice(index % 3).map(([key, value]) => pair(key, value)),
  ];
  const prompt = isToml ? ["prompt = '''", 'Works: alone', "'''"] : ['---', '', 'Works: alone'];
  const head = isToml ? [] : ['---'];
  const line = head.length + lines.indexOf(mine[0] ?? '') + 1;
  return { text: [...head, ...lines, ...prompt, ''].join('\n'), path: `/agents/x.${format}`, line };
}

function wrongValues(format: 'md' | 'toml', index: number): Case[] {
  return VALUES.flatMap(([key, , bad]) =>
    bad.map(([value, suggestion]): Case => {
      const written = `${key}${format === 'toml' ? ' = ' : ': '}${value}`;
      return {
        ...fileOf(format, index, [written]),
        key,
        ...(suggestion === undefined ? {} : { suggestion }),
      };
    }),
  );
}

/** A letter left out, two swapped, one doubled: what people type. */
function misspelt(word: string, index: number): string {
  const at = 1 + (index % (word.length - 2));
  const [before, here, next, after] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
  return [before + next + after, before + next + here + after, before + here + here + next + after][index % 3]!;
}

function unknownKeys(format: 'md' | 'toml', index: number): Case[] {
  return KEYS.flatMap((key) => {
    const wrong = misspelt(key, index);
    if (KEYS.includes(wrong)) return [];
    const value = format === 'toml' ? ' = "a"' : ': a';
    return [{ ...fileOf(format, index, [`${wrong}${value}`]), key: wrong, suggestion: key }];
  });
}

function others(format: 'md' | 'toml', index: number): Case[] {
  const is = format === 'toml' ? ' = ' : ': ';
  const file = fileOf(format, index, []);
  const twice = { ...fileOf(format, index, [`x-a${is}1`, `x-a${is}2`]), key: format === 'md' ? 'x-a' : null };
  return [
    ...['name', 'description'].map((key) => ({ ...fileOf(format, index, [], key), line: 1, key })),
    ...['"../x"', '""', '7', '"a\\tb"', '"lead"'].map((value) => ({
      ...fileOf(format, index, [`name${is}${value}`]),
      key: 'name',
    })),
    { ...twice, line: twice.line + 1 },
    { ...fileOf(format, index, [`model${is}"a" b`]), key: null },
    format === 'md'
      ? {
          ...file,
          text: file.text.replace('\nWorks: alone', ''),
          line: file.text.split('\n').length - 2,
          key: null,
        }
      : {
          ...file,
          text: file.text.replace('Works: alone', ''),
          line: file.text.split('\n').length - 3,
          key: 'prompt',
        },
  ];
}

const cases = variations([1, 0, 2]).flatMap((index) =>
  (['md', 'toml'] as const).flatMap((format) => [
    ...wrongValues(format, index),
    ...unknownKeys(format, index),
    ...unknownKeys(format, index + 4),
    ...unknownKeys(format, index + 8),
    ...others(format, index),
  ]),
);

test('the collection contains hundreds of distinct defective files', () => {
  expect(new Set(cases.map(({ text }) => text)).size).toBeGreaterThanOrEqual(inFullRun ? 500 : 200);
});

test('every defect is reported with its key, its line and a suggestion where one exists', () => {
  const wrong = cases.flatMap((one) => {
    const parsed = parseDefinition(one.text, { source: 'user', path: one.path, tools });
    const errors = parsed.ok ? [] : parsed.errors;
    const [error] = errors;
    const isRight =
      errors.length === 1 &&
      error?.key === one.key &&
      error.line === one.line &&
      error.column >= 1 &&
      (one.suggestion === undefined || error.suggestion === one.suggestion);
    return isRight ? [] : [{ ...one, errors }];
  });
  expect(wrong).toEqual([]);
});
