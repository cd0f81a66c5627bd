/** A collection of other programs' agents, as people have them: nearly all can be used, and nothing makes the reading fail. */
import { mcpServerOf } from '#core/agents/mcp-names.ts';
import { describe, expect, test } from 'vitest';
import { parseForeign } from '#core/agents/foreign.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { inFullRun } from '../../support/samples.ts';

const tools = allTools();
type Dialect = Parameters<typeof parseForeign>[1];

function read(text: string, dialect: Dialect, file: string) {
  return parseForeign(text, dialect, { source: 'project', path: `/w/${file}`, tools });
}

const DESCRIPTIONS = [
  'Expert in SQL. Use PROACTIVELY for slow queries.',
  'Use this agent when: the user asks for a review. Examples: <example>Context: x. user: "a" assistant: "b"</example>',
  '"Quoted: with a colon"',
  "'single'",
  '>\n  Folded text\n  over lines',
  '|\n  Literal: text\n  - with a list',
  'Masters React 19, Next.js & [brackets] {braces} #hash @at %percent `ticks`',
  '* starts like an alias\n& goes on',
  '@mention first: then more',
  'Ends with a colon:',
  'Two\nlines: without indentation\n\nand a gap',
  '日本語の説明: テスト 🚀',
  '"unbalanced quote',
  '',
];
const TOOLS = [
  ...['tools: Read, Write, Edit, Bash, Glob, Grep', 'tools: Read,Bash', 'tools: [Read, WebFetch]', 'tools: "*"'],
  ...['tools:\n  - Read\n  - mcp__github__create_issue', 'tools: Bash(npm run test:*), Read', 'tools:', ''],
  ...['tools:\n  write: false\n  edit: false\n  bash: true', 'tools: LS, NotebookRead, ExitPlanMode', 'tools: {}'],
];
const MORE = [
  ...['model: sonnet', 'model: inherit', 'model: openai/gpt-5.1', 'model: ', 'color: red', 'colour: "#ff0000"', ''],
  ...[
    'mode: subagent\ntemperature: 0.1',
    'mode: all',
    'permission:\n  edit: deny\n  bash:\n    "*": ask',
    'version: 1.0.0',
  ],
  ...[
    'tags: [a, b]',
    'model: opus\ncolor: blue\nfield: quality\nexpertise: expert',
    'hooks:\n  PreToolUse: []',
    '# note',
  ],
];
const BODIES = [
  'You are an expert.',
  '# Role\n\nText\n\n---\n\nmore',
  'Plain words: no heading',
  '```yaml\nname: x\n```',
];

/** Endless numbers, the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** As found in collections: long descriptions with examples, quotes, colons, lists, unknown words, odd line ends. */
function collected(index: number): { text: string; dialect: Dialect; file: string } {
  const next = numbers(index + 1);
  const pick = <T>(all: readonly T[]): T => all[next(all.length)]!;
  const dialect = pick<Dialect>(['claude', 'claude', 'claude', 'opencode']);
  const name = pick([`agent-${index}`, `Agent ${index}`, `"agent_${index}"`, `team/agent-${index}`, '']);
  const keys = [`name: ${name}`, `description: ${pick(DESCRIPTIONS)}`, pick(TOOLS), pick(MORE)]
    .filter(Boolean)
    .join('\n');
  const text = `---\n${keys}\n---\n\n${pick(BODIES)}\n`;
  return {
    text: next(6) === 0 ? `\uFEFF${text.replaceAll('\n', '\r\n')}` : text,
    dialect,
    file: `agent-${index}.md`,
  };
}

describe('a collection of hundreds of agent files of other programs', () => {
  const all = Array.from({ length: inFullRun ? 800 : 100 }, (_, index) => collected(index));

  test('is usable to at least 95 %, and no file gains permissions', () => {
    const parsed = all.map(({ text, dialect, file }) => ({ text, result: read(text, dialect, file) }));
    const bad = parsed.filter(({ result }) => !result.ok);
    expect(bad.length / all.length, JSON.stringify(bad.slice(0, 5))).toBeLessThanOrEqual(0.05);
    const names = tools.filter((tool) => !tool.primaryOnly).map((tool) => tool.name);
    for (const { text, result } of parsed) {
      if (!result.ok) continue;
      const { tools: given, description, systemPrompt } = result.definition;
      const own = (given ?? []).filter((name) => mcpServerOf(name) === null);
      expect(names, text).toEqual(expect.arrayContaining(own));
      expect(description.trim(), text).not.toBe('');
      expect(systemPrompt, text).not.toContain('description:');
      const limits = /^tools: \[?"?(Read|Bash|LS)/m.test(text);
      if (limits) expect(given, text).not.toBeNull();
    }
  });

  test('causes no crash when the files are damaged', () => {
    for (const [index, { text, dialect, file }] of all.entries()) {
      const next = numbers(index + 7);
      const broken = [
        text.slice(0, next(text.length)),
        text.slice(next(text.length)),
        text.replace(/:/g, () => pickOne(next, [':', '', '::', ':\t', ': *', ': &a', ': !!x', ': {'])),
        text.replace(/\n/g, () => pickOne(next, ['\n', '\n\n', '\n  ', '\n- ', '\r'])),
      ];
      for (const one of broken) expect(typeof read(one, dialect, file).ok).toBe('boolean');
    }
  });
});

function pickOne<T>(next: (below: number) => number, all: readonly T[]): T {
  return all[next(all.length)]!;
}
