/** Agents of other programs: read as far as they can be meant here, never with more rights, and what is left out is told. */
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '#contract/agent.ts';
import { parseForeign } from '#core/agents/foreign.ts';
import { allTools } from '#core/tools/all-tools.ts';

const tools = allTools();
type Dialect = Parameters<typeof parseForeign>[1];

function read(text: string, dialect: Dialect = 'claude', file = 'helper.md') {
  return parseForeign(text, dialect, { source: 'project', path: `/w/${file}`, tools });
}

function used(keys: string, dialect: Dialect = 'claude'): AgentDefinition & { told: string[] } {
  const parsed = read(`---\n${keys}\n---\nYou help.`, dialect);
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join('; '));
  return { ...parsed.definition, told: parsed.warnings.map(({ line, message }) => `${line}: ${message}`) };
}

describe('Claude Code', () => {
  test('maps tools to their counterparts, and reports tools and keys without a counterpart', () => {
    const agent = used(
      'name: helper\ndescription: Helps\ntools: Read, Edit, MultiEdit, Bash(git log:*, git diff), TodoWrite, mcp__db__query, Task\nmodel: sonnet\ncolor: purple',
    );
    expect(agent).toMatchObject({
      name: 'helper',
      description: 'Helps',
      role: 'subagent',
      model: 'sonnet',
      systemPrompt: 'You help.',
      tools: ['read_file', 'edit_file', 'todo_write', 'todo_read', 'mcp__db__query'],
    });
    expect(agent.told).toEqual([
      '4: tools without a counterpart here, left out: Bash(git log:*, git diff)',
      '4: tools for leads alone, left out: Task',
      '6: color has no counterpart here: it is kept, and changes nothing',
    ]);
  });

  test.for([
    ['', null],
    ['tools: "*"', null],
    ['tools: [Read, "Grep", LS]', ['read_file', 'grep', 'list_directory']],
    ['tools:\n  - Write\n  - Glob', ['write_file', 'glob']],
    ['tools: WebFetch, WebSearch, NotebookEdit', ['web_fetch', 'web_search']],
    ['tools: Write(docs/**), Read', ['read_file']],
    ['tools: read, GREP', ['read_file', 'grep']],
  ] as const)('%j', ([keys, expected]) => {
    expect(used(`name: a\ndescription: d\n${keys}`).tools).toEqual(expected);
  });

  test.for([
    ['inherit', null, 0],
    ['Opus', 'opus', 0],
    ['claude-sonnet-5-5', 'claude-sonnet-5-5', 0],
    ['anthropic/claude-haiku-5-5', 'claude-haiku-5-5', 0],
    ['gpt-5', null, 1],
    ['fast', null, 1],
  ] as const)('maps the model %s', ([model, expected, warnings]) => {
    const agent = used(`name: a\ndescription: d\nmodel: ${model}`);
    expect([agent.model, agent.told.length]).toEqual([expected, warnings]);
  });

  test.for([
    ['disallowedTools: Write, Bash', true],
    ['disallowedTools: Edit(src/**)', true],
    ['permissionMode: plan', true],
    ['permissionMode: bypassPermissions', false],
    ['disallowedTools: Bash', false],
  ] as const)('maps to read-only permissions or to no restriction: %s', ([keys, isReadOnly]) => {
    expect(used(`name: a\ndescription: d\n${keys}`).permissions).toEqual(
      isReadOnly ? ['FilesystemRead', 'SemanticSearch'] : null,
    );
  });

  test('reads a description that is not valid YAML line by line', () => {
    const text = `---
name: reviewer
description: Use this agent when code was written: it reviews. Examples:\\n\\n<example>\\nuser: "done"
Context: the user wrote a function.
user: 'Review: it'
</example>
tools: Read, Grep
model: inherit
---
No heading, just words.`;
    expect(read(text)).toMatchObject({
      ok: true,
      definition: {
        name: 'reviewer',
        tools: ['read_file', 'grep'],
        description: expect.stringMatching(
          /^Use this agent when code was written: it reviews\. Examples:\n\n<example>\nuser: "done"\nContext: .*\nuser: 'Review: it'\n<\/example>$/,
        ) as string,
        systemPrompt: 'No heading, just words.',
      },
    });
  });

  test('reports a text that is not an agent, and reserves the name lead', () => {
    for (const text of ['# Just a text', '', '---\nname: a\ndescription: d\n---\n', '---\nname: lead\n---\nx'])
      expect(read(text)).toMatchObject({ ok: false, errors: [{ message: expect.any(String) as string }] });
    expect(read('---\nname: "***"\n---\nText', 'claude', '!!!.md').ok).toBe(false);
  });

  test('derives a missing or invalid name or description from the file', () => {
    expect(used('description: d').name).toBe('helper');
    expect(used('name: "my/agent: x"\ndescription: d')).toMatchObject({ name: 'my-agent- x' });
    expect(used('name: a')).toMatchObject({ description: 'You help.' });
  });
});

describe('opencode', () => {
  test('requires approval for network access if a file forbids the web', () => {
    const asked = (keys: string, dialect: 'claude' | 'opencode') =>
      used(`name: a\ndescription: d\n${keys}`, dialect).requiresApproval;
    expect(asked('tools:\n  webfetch: false', 'opencode')).toEqual(['NetworkAccess']);
    expect(asked('disallowedTools: WebFetch', 'claude')).toEqual(['NetworkAccess']);
    expect(asked('tools:\n  bash: true', 'opencode')).toEqual([]);
  });

  test('takes the name from the file, and maps mode, steps and switches', () => {
    const agent = used(
      'description: Docs\nmode: primary\nmodel: anthropic/claude-opus-5-5\ntemperature: 0.2\nsteps: 9\ndisable: true\ntools:\n  write: false\n  bash: true\n  webfetch: false',
      'opencode',
    );
    expect(agent).toMatchObject({
      name: 'helper',
      role: 'primary',
      model: 'claude-opus-5-5',
      maxIterations: 9,
      enabled: false,
      tools: null,
      permissions: ['FilesystemRead', 'SemanticSearch'],
    });
    expect([agent.temperature, agent.told]).toEqual([0.2, []]);
    expect(used('description: d\ntemperature: hot', 'opencode')).toMatchObject({
      temperature: null,
      told: ['3: temperature must be a number from 0 to 2: left out'],
    });
  });

  test.for([
    ['permission: deny', true, []],
    ['permission:\n  edit: deny\n  bash: ask', true, []],
    ['permission:\n  edit: ask', false, ['FilesystemWrite']],
    ['permission:\n  edit:\n    "*": allow\n    "src/**": deny', true, []],
    ['permission:\n  "*": ask', false, ['FilesystemWrite']],
    ['permission:\n  edit: allow', false, []],
    ['tools:\n  "*": false\n  read: true', true, []],
    ['tools:\n  "*": false\n  edit: true', false, []],
    ['tools:\n  edit: false', true, []],
    ['tools:\n  grep: false', false, []],
  ] as const)('%j', ([keys, isReadOnly, asks]) => {
    const { permissions, requiresApproval } = used(`description: d\n${keys}`, 'opencode');
    expect([permissions !== null, requiresApproval]).toEqual([isReadOnly, asks]);
  });
});

test('reports a missing prompt and a name that is reserved for a lead', () => {
  expect(read('---\nname: lead\ndescription: d\n---\n')).toMatchObject({
    ok: false,
    errors: [{ line: 1, key: 'name' }, { line: 5 }],
  });
});
