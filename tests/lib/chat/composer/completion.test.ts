// The list at the cursor: one search at a time, the newest word next; no server is started by looking.
import { describe, expect, it } from 'vitest';
import type { AgentSummary } from '#contract/agent.ts';
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import { Completion } from '#lib/chat/composer/completion.svelte.ts';
import type { Command } from '#lib/chat/composer/suggestions.ts';
import { FakeConnection, settled } from '../../support/fake-connection.ts';

const agent = (name: string, parts: Partial<AgentSummary> = {}) =>
  ({ name, description: `Does ${name}`, role: 'specialist', enabled: true, ...parts }) as AgentSummary;
const server = (name: string, status: 'ready' | null, state: McpServerView['state'] = 'usable') =>
  ({ name, state, process: status && { status } }) as McpServerView;
const prompts = [{ name: 'brief', description: 'Writes a brief', arguments: [] }];

function open(commands: Command[] = []) {
  const connection = new FakeConnection()
    .on('agents.list', () => [
      agent('code-reviewer'),
      agent('lead', { role: 'primary' }),
      agent('off', { enabled: false }),
    ])
    .on('mcp.list', () => [server('runs', 'ready'), server('idle', null), server('not-trusted', null, 'untrusted')])
    .on('mcp.test', ({ name }) => ({
      server: server(name, 'ready'),
      error: null,
      prompts,
      resources: [],
      durationMs: 1,
    }))
    .on('file.find', ({ text }) => ({ paths: text === null ? [] : [`${text}.ts`, 'src/'], more: false }));
  const completion = new Completion(connection, () => ({ folder: '/work', agent: 'lead', commands }));
  const asked = (method: string) => connection.calls.filter((call) => call.method === method).map(({ input }) => input);
  const labels = () => completion.suggestions.map(({ label }) => label);
  return { connection, completion, asked, labels };
}
const type = (completion: Completion, text: string) => completion.look(text, text.length);

describe('mentions', () => {
  it('suggests agents that can be started, then files and folders', async () => {
    const { completion, labels } = open();
    type(completion, '@');
    await settled();
    expect(labels()).toEqual(['code-reviewer', '.ts', 'src/']);
    expect(completion.suggestions.map((one) => 'insert' in one && one.insert)).toEqual([
      '@code-reviewer ',
      '@.ts ',
      '@src/',
    ]);
    type(completion, '@rev');
    await settled();
    expect(labels()).toEqual(['code-reviewer', 'rev.ts', 'src/']);
  });

  it('sends one file search at a time, then only the newest query, and cancels it when the list closes', async () => {
    const { connection, completion, asked, labels } = open();
    const waiting: (() => void)[] = [];
    connection.on('file.find', async ({ text }) => {
      if (text !== null) await new Promise<void>((resolve) => waiting.push(resolve));
      return { paths: [`${text}.ts`], more: false };
    });
    for (const text of ['@a', '@ab', '@abc']) type(completion, text);
    await settled();
    expect(asked('file.find')).toMatchObject([{ folder: '/work', text: 'a' }]);
    waiting.shift()!();
    await settled();
    expect(asked('file.find')).toMatchObject([{}, { text: 'abc' }]);
    waiting.shift()!();
    await settled();
    expect(labels()).toEqual(['abc.ts']);
    type(completion, '@abcd');
    completion.leave();
    await settled();
    expect(asked('file.find').at(-1)).toMatchObject({ text: null });
  });

  it('keeps the list closed for a word dismissed with Escape, and opens it for the next word', async () => {
    const { completion } = open();
    type(completion, '@a');
    completion.leave();
    type(completion, '@ab');
    expect(completion.open).toBe(false);
    type(completion, '@ab @c');
    expect(completion.open).toBe(true);
    await settled();
  });
});

describe('commands', () => {
  const commands = [
    { name: 'export', description: 'Saves it', run: () => undefined },
    { name: 'new', description: 'Begins anew', run: () => undefined },
    { name: 'stop', description: 'Stops it', run: null },
  ];

  it('suggests available commands and prompts of running servers; an idle server starts only on request', async () => {
    const { completion, labels, asked } = open(commands);
    type(completion, '/');
    await settled();
    expect(labels()).toEqual(['/export', '/new', '/runs:brief', 'Start idle to see its prompts']);
    expect(asked('mcp.test')).toEqual([{ folder: '/work', name: 'runs' }]);
    await completion.ask(['idle']);
    expect(labels()).toEqual(['/export', '/new', '/runs:brief', '/idle:brief']);
    type(completion, '/ne');
    expect(labels()).toEqual(['/new']);
    completion.move(1);
    expect(completion.chosen?.label).toBe('/new');
  });
});
