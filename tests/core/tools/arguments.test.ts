/** Calls as models write them: normalized once, so that approval, record and tool get the same arguments. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allTools } from '#core/tools/all-tools.ts';
import { normalizeCall, parseArguments } from '#core/tools/arguments.ts';
import { formatSignature, getInputSchema, getSentSchema } from '#core/tools/input-schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const tools = allTools();

/** Normalizes and parses a call as a run does; returns the tool, its input and what was dropped, or the refusal. */
function readCall(name: string, input: unknown): Record<string, unknown> {
  const call = normalizeCall(tools, { type: 'tool_use', id: 'a', name, input });
  const tool = tools.find((one) => one.name === call.name);
  if (!tool) return { tool: null };
  return { tool: tool.name, ignored: call.ignored ?? [], ...parseArguments(tool, call) };
}

async function runCall(name: string, input: unknown, files: Record<string, string> = {}) {
  const script = new Script().on({ step: 1 }).reply([toolUse(name, input)]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { files });
  await engine.ask('Go');
  return { engine, results: engine.model.requests.at(-1)?.seen.results ?? [] };
}

test('edits a file at the first try with old_string and new_string, and records the canonical call', async () => {
  const given = { path: 'a.txt', old_string: 'one', new_string: 'two', explanation: 'a slip' };
  const { engine, results } = await runCall('edit_file', given, { 'a.txt': 'one\n' });
  expect(await readFile(path.join(engine.folder, 'a.txt'), 'utf8')).toBe('two\n');
  expect(results[0]).toMatchObject({
    isError: false,
    text: expect.stringContaining('[ignored: explanation]') as string,
  });
  const canonical = { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] };
  expect(engine.of('approval-request')[0]?.approval.subject).toMatchObject({ tool: 'edit_file', input: canonical });
  expect(engine.of('tool-start')[0]).toMatchObject({ name: 'edit_file', input: canonical });
  const parts = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' ? entry.parts : []));
  const written = { name: 'edit_file', input: given };
  expect(parts).toContainEqual(expect.objectContaining({ input: canonical, written, ignored: ['explanation'] }));
  // The provider gets back what its model wrote.
  expect(engine.model.requests.at(-1)?.seen.body.messages).toContainEqual(
    expect.objectContaining({ content: [expect.objectContaining({ type: 'tool_use', input: given })] }),
  );
});

test('runs a command at the first try with description and timeout_ms', async () => {
  const { engine, results } = await runCall('bash', { command: 'echo hi', description: 'Says hi', timeout_ms: 90_000 });
  expect(results[0]).toMatchObject({ isError: false, text: expect.stringMatching(/^hi\n/) as string });
  expect(engine.of('tool-start')[0]).toMatchObject({ input: { command: 'echo hi', timeout_seconds: 90 } });
});

test('writes a plan at the first try with todos as Claude Code sends them', async () => {
  const todos = [{ content: 'Look', status: 'in_progress', activeForm: 'Looking' }];
  const { engine, results } = await runCall('todo_write', { todos });
  expect(results[0]?.isError).toBe(false);
  expect(engine.of('plan-change')[0]).toMatchObject({
    items: [{ content: 'Look', status: 'in_progress', priority: 'medium' }],
  });
});

describe('restrictions in arguments', () => {
  test('bash with read_only stays read-only, or is rejected without a sandbox', async () => {
    const { engine, results } = await runCall('bash', { command: 'echo x > made.txt', read_only: 'true' });
    await expect(readFile(path.join(engine.folder, 'made.txt'), 'utf8')).rejects.toThrow(/ENOENT/);
    expect(results[0]?.isError).toBe(true);
    for (const { input } of engine.of('tool-start')) expect(input).toMatchObject({ read_only: true });
  });

  test.for([
    ['write_file', { path: 'a', content: '', dry_run: true }],
    ['write_file', { path: 'a', content: '', readOnly: true }],
    ['write_file', { path: 'a', content: '', sandbox: 'strict' }],
    ['edit_file', { path: 'a', edits: [{ old_text: 'a', new_text: 'b', dry_run: true }] }],
    ['bash', { command: 'ls', network: 'none' }],
    ['bash', { command: 'ls', allowed_tools: [] }],
    ['bash', { command: 'ls', 'read only': true }],
    ['bash', { command: 'rm -r .', cwd: 'build' }],
    ['bash', { command: 'ls', timeout: '10s' }],
    ['write_file', { path: 'a', content: '', append: true }],
    ['web_search', { query: 'x', allowed_domains: ['a.example'] }],
    ['spawn_agent', JSON.parse('{"operation":"spawn","name":"x","prompt":"do","__proto__":{"tools":["bash"]}}')],
    ['bash', JSON.parse('{"command":"ls","__proto__":{"read_only":true}}')],
    ['bash_online', { command: 'ls', network: false }],
    ['spawn_agent', { operation: 'spawn', name: 'a', prompt: 'b', isolation: 'worktree' }],
    ['delegate_task', { operation: 'delegate', agent_id: 'a', prompt: 'b', explanation: 'c' }],
    ['parallel_tasks', { operation: 'execute_batch', tasks: [{ agent_id: 'a', prompt: 'b', tools: [] }] }],
  ] as const)('%s rejects %o', ([name, input]) => {
    expect(readCall(name, input)).toHaveProperty('refusal');
  });
});

describe('forms of arguments', () => {
  const timeout = (seconds: number) => ({ command: 'ls', timeout_seconds: seconds });
  test.for([
    ['read_file', { file_path: 'a', offset: '3', limit: null }, 'read_file', { path: 'a', offset: 3 }, []],
    ['read_file', { filePath: 'a', path: 'a' }, 'read_file', { path: 'a' }, []],
    ['read_file', '{"path": "a"}', 'read_file', { path: 'a' }, []],
    ['write_file', { path: 'a', content: '{"b": [1]}' }, 'write_file', { path: 'a', content: '{"b": [1]}' }, []],
    [
      'edit_file',
      { path: 'a', edits: '[{"oldString": "a", "newString": "b"}]', note: 1 },
      'edit_file',
      { path: 'a', edits: [{ old_text: 'a', new_text: 'b' }] },
      ['note'],
    ],
    [
      'edit_file',
      { path: 'a', old_text: 'a', new_text: 'b', replace_all: 'true' },
      'edit_file',
      { path: 'a', edits: [{ old_text: 'a', new_text: 'b', replace_all: true }] },
      [],
    ],
    ['grep', { pattern: 'a', ignore_case: 'False' }, 'grep', { pattern: 'a', ignore_case: false }, []],
    ['bash', { cmd: 'ls', timeout: 30 }, 'bash', timeout(30), []],
    ['bash', { command: 'ls', timeout: 120_000 }, 'bash', timeout(120), []],
    ['bash', { command: 'ls', timeoutMs: '1500' }, 'bash', timeout(2), []],
    [
      'bash',
      { command: 'ls', network: false, run_in_background: true },
      'bash',
      { command: 'ls', background: true },
      [],
    ],
    ['bash_online', { command: 'ls', network: true }, 'bash_online', { command: 'ls' }, []],
    ['bash', { command: 'ls', network: 'False', description: 'Lists', timeout: null }, 'bash', { command: 'ls' }, []],
    ['bash', { command: 'ls', background: false }, 'bash', { command: 'ls', background: false }, []],
    ['bash', { command: 'ls', timeout: 1000 }, 'bash', timeout(1), []],
    ['bash', { command: 'ls', timeout: ' 5 ', timeout_ms: 4001 }, 'bash', timeout(5), []],
    ['read_file', { path: 'a', offset: ' 12 ' }, 'read_file', { path: 'a', offset: 12 }, []],
    ['write_file', { path: 'true', content: '12' }, 'write_file', { path: 'true', content: '12' }, []],
    [
      'spawn_agent',
      { operation: 'spawn', name: 'x', prompt: 'Do', max_minutes: '10.25' },
      'spawn_agent',
      { operation: 'spawn', name: 'x', prompt: 'Do', max_minutes: 10.25 },
      [],
    ],
    [
      'edit_file',
      { path: 'a', edits: ['{"old_text":"a","new_text":"b","note":1}'] },
      'edit_file',
      { path: 'a', edits: [{ old_text: 'a', new_text: 'b' }] },
      ['edits.0.note'],
    ],
    [
      'edit_file',
      { path: 'a', edits: null, old_text: 'a', new_text: 'b' },
      'edit_file',
      { path: 'a', edits: [{ old_text: 'a', new_text: 'b' }] },
      [],
    ],
    ['grep', { pattern: 'a', exclude: 'dist' }, 'grep', { pattern: 'a' }, ['exclude']],
    ['bash_output', { id: 'x', action: 'read' }, 'bash_jobs', { action: 'read', id: 'x' }, []],
    ['bash_output', { bash_id: 'x' }, 'bash_jobs', { action: 'read', id: 'x' }, []],
    ['bash_kill', { id: 'x' }, 'bash_jobs', { action: 'kill', id: 'x' }, []],
    ['bash_kill', '{"id":"x"}', 'bash_jobs', { action: 'kill', id: 'x' }, []],
    ['read_output', { handle: 'x', offset: 2 }, 'read_output', { call: 'x', offset: 2 }, []],
    ['read_output', { id: 'x' }, 'read_output', { call: 'x' }, []],
    ['task_complete', { result: 'All done' }, 'task_complete', { summary: 'All done' }, []],
    ['todo_read', { reason: 'x' }, 'todo_read', {}, ['reason']],
    ['move_file', { from: 'a', to: 'b' }, 'move_file', { from: 'a', to: 'b' }, []],
    [
      'web_fetch',
      { url: 'https://a.example', prompt: 'b' },
      'web_fetch',
      { url: 'https://a.example', prompt: 'b' },
      [],
    ],
  ] as const)('normalizes %s %o', ([name, given, tool, input, ignored]) => {
    expect(readCall(name, given)).toEqual({ tool, input, ignored });
  });

  test.for([
    ['read_file', { path: 'a', file_path: 'b' }, /path and file_path .*different values/],
    ['bash', { command: 'ls', timeout_seconds: 5, timeout_ms: 9000 }, /timeout_seconds and timeout_ms/],
    ['bash', { command: 'ls', network: true }, /call bash_online for network: true/],
    ['edit_file', { path: 'a', edits: [], old_text: 'a', new_text: 'b' }, /edits and old_text, new_text/],
    ['edit_file', { path: 'a', old_string: 'a' }, /edits\.0\.new_text is missing/],
    ['read_file', { path: 7 }, /path must be a text, not 7/],
    ['read_file', { path: 7, offset: '3a' }, /path must be a text, not 7; offset must be a number, not "3a"/],
    ['read_file', { path: 'a', offset: 'a3' }, /offset must be a number, not "a3"/],
    ['grep', { pattern: 'a', ignore_case: 'untrue' }, /ignore_case must be true or false, not "untrue"/],
    ['grep', { pattern: 'a', ignore_case: 'true?' }, /ignore_case must be true or false, not "true\?"/],
    ['edit_file', { path: 'a', edits: '{"old_text":"a","new_text":"b"}' }, /edits must be a list, not "\{/],
    ['bash', { command: 'ls', timeout: ' ' }, /timeout must be a number/],
    ['bash', { command: 'ls', timeout: '10s' }, /timeout must be a number/],
    ['bash', { command: 'ls', timeoutMs: true }, /timeoutMs must be a number/],
    ['bash', JSON.parse('{"command":"ls","__proto__":1}'), /nothing was run: __proto__ is not an argument\n/],
  ] as const)('rejects %s %o with the problem and the signature', ([name, given, problem]) => {
    const read = readCall(name, given);
    expect(read).toMatchObject({ refusal: expect.stringMatching(problem) as string });
    expect(read).toMatchObject({ refusal: expect.stringContaining(`\nArguments: ${name}(`) as string });
  });

  test.for([
    [
      'write_file',
      { path: 'a', content: '', dry_run: true },
      'dry_run is not an argument of this tool, and without it the call could do more',
      'path: string, content: string',
    ],
    [
      'bash_jobs',
      { action: 'stop' },
      'action must be list or read or kill, not "stop"',
      'action: "list" | "read" | "kill", id?: string, from?: integer',
    ],
    [
      'edit_file',
      { path: 'a', edits: [] },
      'edits must not be empty',
      'path: string, edits: { old_text: string, new_text: string, replace_all?: boolean }[]',
    ],
    [
      'delegate_task',
      { operation: 'list_agents', dry_run: true },
      'has nothing named dry_run',
      'operation: "delegate" | "list_agents", agent_id?: string, prompt?: string, reason?: string, provider?: string, model?: string',
    ],
  ] as const)(
    'names the problem of %s %o once, with the arguments of the tool',
    ([name, given, problem, signature]) => {
      const refusal = `Invalid arguments for ${name}, nothing was run: ${problem}\nArguments: ${name}(${signature})`;
      expect(readCall(name, given)).toMatchObject({ refusal });
    },
  );

  test('does not change a call that is canonical, malformed, invalid or of a foreign schema', () => {
    const grep = tools.find(({ name }) => name === 'grep')!;
    const foreign = { ...grep, name: 'theirs', schema: { properties: { ignore_case: { type: 'boolean' } } } };
    const parts = { type: 'tool_use', id: 'a' } as const;
    for (const call of [
      { ...parts, name: 'read_file', input: { path: 'a' } },
      { ...parts, name: 'bash_kill', input: {}, malformed: '{"id' },
      { ...parts, name: 'read_file', input: { path: 'a', filePath: 'b' } },
      { ...parts, name: 'theirs', input: { ignoreCase: 'true' } },
    ])
      expect(normalizeCall([...tools, foreign], call)).toBe(call);
    const call = { ...parts, name: 'read_file', input: { filePath: 'a' } };
    const written = { name: call.name, input: call.input };
    expect(normalizeCall(tools, call)).toStrictEqual({ ...call, input: { path: 'a' }, written });
  });

  test('throws an error that prepareArguments throws', () => {
    const prepareArguments = () => {
      throw new Error('A fault of the tool');
    };
    const tool = { ...tools.find(({ name }) => name === 'grep')!, prepareArguments };
    const call = { type: 'tool_use', id: 'a', name: 'grep', input: {} } as const;
    expect(() => normalizeCall([tool], call)).toThrow('A fault of the tool');
  });

  test('accepts arguments nested up to 100 levels deep, and rejects deeper arguments', () => {
    const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(readCall('read_file', { path: 'a', note: nested(100) })).toMatchObject({ ignored: ['note'] });
    expect(readCall('read_file', { path: 'a', note: nested(101) })).toEqual({
      tool: 'read_file',
      ignored: [],
      refusal: expect.stringContaining('nothing was run: they are nested too deeply\n') as string,
    });
  });

  test('finds no tool with the name of an object method, and throws nothing for odd values', () => {
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(readCall(name, { id: 'x' })).toEqual({ tool: null });
    const deep: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    for (const input of [{ path: deep, file_path: deep }, { command: 'ls', timeout: { toString: 1 } }, deep, null, 7])
      for (const { name } of tools) expect(readCall(name, input)).toBeTypeOf('object');
  });

  test('finds no tool if the alias name contradicts the action argument', () => {
    expect(readCall('bash_output', { id: 'x', action: 'kill' })).toEqual({ tool: null });
  });

  test('an error for any arguments has at most 600 characters', () => {
    for (const tool of tools) {
      const { refusal = '' } = readCall(tool.name, { [`x${'y'.repeat(2000)}_tools`]: 1 });
      expect(String(refusal).length, tool.name).toBeLessThanOrEqual(600);
      const malformed = parseArguments(tool, {
        type: 'tool_use',
        id: 'a',
        name: tool.name,
        input: {},
        malformed: '{"a',
      });
      expect(malformed).toMatchObject({ refusal: expect.stringMatching(/^[^]{1,600}$/) as string });
    }
    const refusal = String(readCall('spawn_agent', { ['x'.repeat(2000)]: 1 })['refusal']);
    expect(refusal.split('\n').map((line) => [line.length, line.at(-1)])).toEqual([
      [240, '…'],
      [359, '…'],
    ]);
  });

  test.for([
    ['{"path": "a', /: Unterminated string in JSON at position 11\b.*\. Nothing was run\. Send the call again/],
    ['{}', /: they end too early\. Nothing was run/],
  ] as const)('reports where the incomplete arguments %s end', ([malformed, problem]) => {
    const tool = tools.find(({ name }) => name === 'todo_read')!;
    const { refusal } = parseArguments(tool, { type: 'tool_use', id: 'a', name: '', input: {}, malformed }) as {
      refusal: string;
    };
    expect(refusal).toMatch(
      /^The arguments of todo_read are not complete JSON \(perhaps cut off at the limit of output /,
    );
    expect(refusal).toMatch(problem);
    expect(refusal).toMatch(/\nArguments: todo_read\(\)$/);
  });
});

describe('a schema', () => {
  const length = { type: 'string', minLength: 1, maxLength: 9, pattern: 'x' };
  const amount = { type: 'integer', minimum: 1, maximum: 9, exclusiveMinimum: 0 };
  const closed = { additionalProperties: false };
  /** The names of the last property are those of bounds. */
  const properties = {
    text: { ...length, description: 'Some text' },
    some: { type: 'array', items: { ...closed, type: 'object', properties: { amount } } },
    kinds: { type: 'array', items: { enum: ['a', 'b'] } },
    rows: { type: 'array', items: { type: 'object', properties: { kind: { enum: ['a', 2] } } } },
    pattern: { anyOf: [length, amount] },
  };
  const schema = { ...closed, type: 'object', properties, required: ['text', 'rows'] };
  const tool: Tool = { ...tools[0]!, name: 'tool', input: z.fromJSONSchema(schema as never) };

  test('is sent without bounds, and open unless the tool starts agents', () => {
    const sent = {
      text: { type: 'string', description: 'Some text' },
      some: { type: 'array', items: { type: 'object', properties: { amount: { type: 'integer' } } } },
      kinds: { type: 'array', items: { enum: ['a', 'b'], type: 'string' } },
    };
    const result = getSentSchema(tool, 3);
    expect(result).toMatchObject({ type: 'object', properties: sent, required: ['text', 'rows'] });
    expect(result).toMatchObject({ properties: { pattern: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } });
    expect(JSON.stringify(result)).not.toMatch(
      /"(minLength|maxLength|minimum|maximum|exclusiveMinimum|additionalP\w+)"/,
    );
    expect(JSON.stringify(result).match(/"pattern"/g)).toHaveLength(1);
    expect(getSentSchema({ ...tool, startsAgents: 'named' }, 3)).toMatchObject({
      ...closed,
      properties: { some: { items: closed } },
    });
    expect(getInputSchema(tool)).toMatchObject({ ...closed, properties: { text: length } });
  });

  test('is cached as one object per number of sub-agents', () => {
    const inputFor = (most: number) => z.object({ a: z.int().describe(`At most ${most}`) });
    const counted: Tool = { ...tool, inputFor };
    expect(getSentSchema(counted, 2)).toMatchObject({ properties: { a: { description: 'At most 2' } } });
    expect(getSentSchema(counted, 2)).toBe(getSentSchema(counted, 2));
    expect(getSentSchema(counted, 2)).not.toBe(getSentSchema(counted, 1));
    expect(getInputSchema(tool)).toBe(getInputSchema(tool));
    expect(getSentSchema({ ...tool, schema }, 2)).toBe(schema);
  });

  test('is described on one line', () => {
    expect(formatSignature({ ...tool, schema })).toBe(
      'tool(text: string, some?: { amount?: integer }[], kinds?: ("a" | "b")[], rows: { kind?: "a" | 2 }[], pattern?: any)',
    );
  });
});
