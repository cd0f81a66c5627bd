/** Changing keys from a form: what was asked for changes, and not one character of anything else. */
import { describe, expect, test } from 'vitest';
import { editText, valuesOf } from '#core/agents/edit.ts';
import { agentTemplate } from '#core/agents/template.ts';

const MARKDOWN = `---
# Whose it is.
name: a   # as the lead calls it
model:
modle: kept
description: >
  folded
  text
tools:   # why these
  # for looking
  - read_file # one
  - grep
permissions: [FilesystemRead, FilesystemWrite]  # both
x-own: {a: 1} # mine
# the end
---

Prompt
 here

`;
const TOML = `# Whose it is.
name = "a" # as the lead calls it
tools = ["grep"]
prompt = """
Hi
"""

[x-meta]
name = "inner" # not the agent's
`;

/** Lines that went, with a minus, and lines that came, with a plus. */
function changed(before: string, after: string): string[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `-${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}

describe('Markdown', () => {
  test.for([
    [{ name: 'b c' }, ['-name: a   # as the lead calls it', '+name: b c   # as the lead calls it']],
    [{ name: 'b: #' }, ['-name: a   # as the lead calls it', '+name: "b: #"   # as the lead calls it']],
    [{ model: 'opus' }, ['-model:', '+model: opus']],
    [{ model: null }, ['-model:']],
    [{ effort: 'high' }, ['+effort: high']],
    [{ enabled: false, max_tokens: 5 }, ['+enabled: false', '+max_tokens: 5']],
    [{ description: 'One line' }, ['-description: >', '-  folded', '-  text', '+description: One line']],
    [{ description: 'a\nb' }, ['-description: >', '-  folded', '-  text', '+description: |-', '+  a', '+  b']],
    [{ tools: ['read_file', 'glob'] }, ['-  - grep', '+  - glob']],
    [{ tools: ['grep', 'read_file'] }, []],
    [
      { tools: [] },
      ['-tools:   # why these', '-  # for looking', '-  - read_file # one', '-  - grep', '+tools: []   # why these'],
    ],
    [{ tools: null }, ['-tools:   # why these', '-  # for looking', '-  - read_file # one', '-  - grep']],
    [
      { permissions: ['FilesystemRead'] },
      ['-permissions: [FilesystemRead, FilesystemWrite]  # both', '+permissions: [FilesystemRead]  # both'],
    ],
    [{ prompt: 'Another\nprompt' }, ['-Prompt', '- here', '+Another', '+prompt']],
  ] as const)('%j', ([changes, expected]) => {
    expect(changed(MARKDOWN, editText(MARKDOWN, 'markdown', changes as never))).toEqual(expected);
  });

  test('a change of the template keeps all its other text', () => {
    const before = agentTemplate('abc');
    const after = editText(before, 'markdown', { model: 'opus', tools: ['grep'] });
    expect(changed(before, after)).toEqual(['+model: opus', '+tools: [grep]']);
    expect(valuesOf(after, 'markdown')).toMatchObject({ name: 'abc', model: 'opus', tools: ['grep'] });
  });

  test('rejects a change of a value whose line cannot be changed alone', () => {
    const oneLine = '---\n{name: a, description: b}\n---\nP';
    expect(() => editText(oneLine, 'markdown', { name: null })).toThrow('cannot be changed from the form');
    const list = '---\ntools: [a, # why\n  b]\n---\nP';
    expect(() => editText(list, 'markdown', { tools: ['a'] })).toThrow('tools cannot be changed from the form');
    expect(() => editText('---\nname: [\n---\nP', 'markdown', { name: 'b' })).toThrow('correct it first');
    expect(() => editText(MARKDOWN, 'markdown', { nmae: 'b' })).toThrow('An agent has no key "nmae"');
  });

  test('edits a file without keys, without a last line end or without a prompt', () => {
    expect(editText('---\n---\nP', 'markdown', { name: 'x' })).toBe('---\nname: x\n---\nP');
    expect(editText('---\nname: y\n---', 'markdown', { name: 'x', prompt: 'q' })).toBe('---\nname: x\n---\nq\n');
  });
});

describe('TOML', () => {
  test.for([
    [{ name: 'b' }, ['-name = "a" # as the lead calls it', '+name = "b" # as the lead calls it']],
    [{ model: 'opus' }, ['+model = "opus"']],
    [{ tools: ['grep', 'glob'] }, ['-tools = ["grep"]', '+tools = ["grep", "glob"]']],
    [{ tools: null }, ['-tools = ["grep"]']],
    [{ prompt: 'Yo\nyo' }, ['-prompt = """', '-Hi', '-"""', "+prompt = '''", '+Yo', '+yo', "+'''"]],
    [{ prompt: "a'''\n\\" }, ['-Hi', "+a'''", '+\\\\']],
  ] as const)('%j', ([changes, expected]) => {
    const after = editText(TOML, 'toml', changes as never);
    expect(changed(TOML, after)).toEqual(expected);
    expect(valuesOf(after, 'toml')).toMatchObject(
      Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)),
    );
  });

  test('rejects a change of a list with comments between its brackets', () => {
    const list = 'tools = [\n  "a#", # why\n  "b",\n]\n';
    expect(() => editText(list, 'toml', { tools: ['b'] })).toThrow('tools cannot be changed from the form');
    expect(editText('tools = ["a#"]\n', 'toml', { tools: ['b'] })).toBe('tools = ["b"]\n');
  });

  test('edits a file with a very long prompt', () => {
    const long = `name = "a"\nprompt = """\n${'All "of" it, '.repeat(60_000)}""" # why\n[x-meta]\nb = 1\n`;
    expect(editText(long, 'toml', { prompt: 'Hi' })).toBe(
      "name = \"a\"\nprompt = '''\nHi\n''' # why\n[x-meta]\nb = 1\n",
    );
    expect(editText(long, 'toml', { model: 'opus' })).toBe(long.replace('[x-meta]', 'model = "opus"\n[x-meta]'));
  });

  test('adds a key next to the dotted keys of its section', () => {
    expect(editText('agent.name = "q" # mine\nx = 1\n', 'composition', { 'agent.description': 'Does' })).toBe(
      'agent.name = "q" # mine\nagent.description = "Does"\nx = 1\n',
    );
  });

  test('adds a key before the first table', () => {
    expect(editText('[x-a]\nb = 1\n', 'toml', { name: 'q' })).toBe('name = "q"\n[x-a]\nb = 1\n');
  });
});

test('the form gets no value that it cannot show, and no values from an invalid text', () => {
  expect(valuesOf('---\nname: {a: 1}\ntools: [a, 1]\nmodel:\n---\nP', 'markdown')).toEqual({
    tools: ['a', '1'],
    model: null,
    prompt: 'P',
  });
  expect(valuesOf('no frontmatter', 'markdown')).toBeNull();
  expect(valuesOf('a = ', 'toml')).toBeNull();
});
