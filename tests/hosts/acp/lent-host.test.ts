/** What an ACP client lends reaches whoever does the work, over the client's own connection, also in another process. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agent, client as acpClient, methods, type McpServer } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { openEndpoint } from '#core/host/ownership/owner-endpoint.ts';
import { connectToOwner } from '#core/host/ownership/owner-connection.ts';
import { claimOwnership } from '#core/host/ownership/ownership.ts';
import { lend } from '#hosts/acp/lent-host.ts';
import { COMPILED } from '../../support/compiled.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { LIAR } from '../../core/mcp/support.ts';
import { fullTest } from '../../support/samples.ts';

const CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const { signal } = new AbortController();

function calling(...calls: Block[]): Script {
  return calls.reduce((script, call) => script.step([call]), new Script()).step([text('Done.')]);
}
const results = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? [entry] : []));

/** A client of the runtime as one in another process is: over a socket, with frames. */
async function fromOutside(engine: Harness): Promise<{ client: Client; close: () => void }> {
  const claim = await claimOwnership(await folderWith({}), { signal });
  if (claim.kind !== 'own') throw new Error('somebody else owns a folder that was just made');
  const { runtime } = engine;
  const endpoint = openEndpoint(claim.ownership, {
    runtime,
    version: '0.0.0',
    storeUrl: undefined,
    report: () => undefined,
  });
  const hello = { version: '0.0.0', folder: engine.folder, baseUrl: null, storeUrl: null };
  const connection = await connectToOwner(claim.ownership.instance, hello, signal);
  onTestFinished(async () => {
    connection?.close();
    endpoint.close();
    await claim.ownership.release();
  });
  return connection!;
}

/** An editor with unsaved texts, connected to the agent's side of the protocol. */
function editor(buffers: Map<string, string>) {
  const asked: { method: string; params: unknown }[] = [];
  const { fs, terminal } = methods.client;
  const note = (method: string, params: unknown) => void asked.push({ method, params });
  const app = acpClient({ name: 'editor' })
    .onRequest(fs.readTextFile, async ({ params }) => {
      note('read', params);
      return { content: buffers.get(params.path) ?? (await readFile(params.path, 'utf8')) };
    })
    .onRequest(fs.writeTextFile, async ({ params }) => {
      note('write', params);
      await writeFile(params.path, params.content);
      buffers.delete(params.path);
      return {};
    })
    .onRequest(terminal.create, ({ params }) => (note('create', params), { terminalId: 'term-1' }))
    .onRequest(terminal.output, ({ params }) => {
      note('output', params);
      return { output: 'said\r\n', truncated: false, exitStatus: { exitCode: 3 } };
    })
    .onRequest(terminal.waitForExit, ({ params }) => (note('wait', params), { exitCode: 3, signal: null }))
    .onRequest(terminal.kill, ({ params }) => (note('kill', params), {}))
    .onRequest(terminal.release, ({ params }) => (note('release', params), {}));
  const connection = agent({ name: 'triad' }).connect(app);
  onTestFinished(() => connection.close());
  return { asked, context: connection.client };
}

fullTest([
  'tests/hosts/acp/lent-host.test.ts › another process edits an unsaved text and runs a command in the terminal of an ACP client',
  'tests/core/mcp/lent-servers.test.ts › a call to a client server fails if the client disconnects before the call is approved',
])('the owner process uses files, a terminal and a server of an ACP client until its connection ends', async () => {
  const calls = [
    toolUse('edit_file', { path: 'a.txt', edits: [{ old_text: 'unsaved', new_text: 'agreed' }] }),
    toolUse('bash', { command: 'exit 3' }),
    toolUse('mcp__Liar-1__work', {}),
    toolUse('read_file', { path: 'a.txt' }),
  ];
  const script = calling(...calls)
    .step([calls[3]!])
    .step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': 'saved\n' } });
  const { client, close } = await fromOutside(engine);
  const path = join(engine.folder, 'a.txt');
  const buffers = new Map([[path, 'unsaved\n']]);
  const { asked, context } = editor(buffers);
  const env = Object.entries(COMPILED).map(([name, value]) => ({ name, value }));
  const mcpServers: McpServer[] = [{ name: 'Liar 1', command: process.execPath, args: [LIAR, 'tools=work'], env }];
  const shown: unknown[] = [];
  const { conversationId: sessionId } = engine;
  const onTerminal = (call: { toolCallId: string }, terminalId: string) =>
    void shown.push([call.toolCallId, terminalId]);
  await lend(context, client, { sessionId, capabilities: CAPABILITIES, mcpServers, onTerminal });
  await engine.ask('Work');
  const [edited, ran, served, read] = results(engine);
  expect(edited).toMatchObject({ status: 'completed' });
  expect(await readFile(path, 'utf8')).toBe('agreed\n');
  expect(asked.filter(({ method }) => method === 'write')).toEqual([
    { method: 'write', params: { sessionId, path, content: 'agreed\n' } },
  ]);
  expect(ran).toMatchObject({ status: 'error', metadata: { exitCode: 3, terminalId: 'term-1' } });
  expect(ran?.output).toContain('said\n');
  expect(shown).toEqual([[ran?.toolCallId, 'term-1']]);
  expect(asked.filter(({ method }) => method === 'release')).toHaveLength(1);
  expect(served).toMatchObject({ status: 'completed', output: 'done' });
  expect(read?.output).toBe('agreed\n');
  // The connection ends, and with it what was lent.
  buffers.set(path, 'unsaved again\n');
  close();
  const before = asked.length;
  await engine.ask('Again');
  expect(results(engine).at(-1)).toMatchObject({ status: 'completed', output: 'agreed\n' });
  expect(asked.length).toBe(before);
});

test('another process edits an unsaved text and runs a command in the terminal of an ACP client', async () => {
  const script = calling(
    toolUse('edit_file', { path: 'a.txt', edits: [{ old_text: 'unsaved', new_text: 'agreed' }] }),
    toolUse('bash', { command: 'exit 3' }),
  );
  const engine = await startEngine(script, { files: { 'a.txt': 'saved\n' } });
  const { client, close } = await fromOutside(engine);
  const path = join(engine.folder, 'a.txt');
  const { asked: requests, context } = editor(new Map([[path, 'unsaved\n']]));
  const shownTerminals: unknown[] = [];
  const { conversationId: sessionId } = engine;
  const onTerminal = (call: { toolCallId: string }, terminalId: string) =>
    void shownTerminals.push([call.toolCallId, terminalId]);
  await lend(context, client, { sessionId, capabilities: CAPABILITIES, mcpServers: [], onTerminal });
  await engine.ask('Work');
  const [edit, command] = results(engine);
  expect(edit).toMatchObject({ status: 'completed' });
  expect(requests.filter(({ method }) => method === 'write')).toEqual([
    { method: 'write', params: { sessionId, path, content: 'agreed\n' } },
  ]);
  expect(command).toMatchObject({ status: 'error', metadata: { exitCode: 3, terminalId: 'term-1' } });
  expect(command?.output).toContain('said\n');
  expect(shownTerminals).toEqual([[command?.toolCallId, 'term-1']]);
  expect(requests.filter(({ method }) => method === 'release')).toHaveLength(1);
  close();
});

test('releases a terminal created after its call ended, and subscribes to nothing if nothing is provided', async () => {
  const { asked, context } = editor(new Map());
  const listeners: ((call: never) => void)[] = [];
  const client = {
    request: () => Promise.resolve({ taken: false }),
    subscribe: (_topic: string, _input: unknown, listener: (call: never) => void) => {
      listeners.push(listener);
      return Promise.resolve(() => undefined);
    },
  } as unknown as Client;
  const session = { sessionId: 's', mcpServers: [] };
  await lend(context, client, { ...session, capabilities: {} });
  expect(listeners).toEqual([]);
  const shown: string[] = [];
  const onTerminal = (_call: unknown, terminalId: string) => void shown.push(terminalId);
  await lend(context, client, { ...session, capabilities: CAPABILITIES, onTerminal });
  const input = { command: 'env', args: [], cwd: '/', outputBytes: 1, runId: 'r', toolCallId: 't' };
  listeners[0]!({ id: 'i', name: 'terminal-create', input } as never);
  await eventually(() => expect(asked.map(({ method }) => method)).toEqual(['create', 'release']));
  expect(shown).toEqual([]);
});

test('releases an open terminal when the lending ends', async () => {
  const { asked, context } = editor(new Map());
  const listeners: ((call: never) => void)[] = [];
  const client = {
    request: () => Promise.resolve({ taken: true }),
    subscribe: (_topic: string, _input: unknown, listener: (call: never) => void) => {
      listeners.push(listener);
      return Promise.resolve(() => undefined);
    },
  } as unknown as Client;
  const made = Promise.withResolvers<string>();
  const onTerminal = (_call: unknown, terminalId: string) => made.resolve(terminalId);
  const session = { sessionId: 's', mcpServers: [], capabilities: CAPABILITIES, onTerminal };
  const end = await lend(context, client, session);
  const input = { command: 'env', args: [], cwd: '/', outputBytes: 1, runId: 'r', toolCallId: 't' };
  listeners[0]!({ id: 'i', name: 'terminal-create', input } as never);
  expect(await made.promise).toBe('term-1');
  end();
  await eventually(() => expect(asked.map(({ method }) => method)).toEqual(['create', 'release']));
});

test('the end of an ACP client answers no pending call and ends the subscription', async () => {
  const app = acpClient({ name: 'editor' }).onRequest(
    methods.client.fs.writeTextFile,
    () => new Promise<never>(() => undefined),
  );
  const connection = agent({ name: 'triad' }).connect(app);
  const listeners: ((call: never) => void)[] = [];
  const answered: unknown[] = [];
  const end = Promise.withResolvers<void>();
  const client = {
    request: (_method: string, input: unknown) => Promise.resolve({ taken: answered.push(input) > 0 }),
    subscribe: (_topic: string, _input: unknown, listener: (call: never) => void) => {
      listeners.push(listener);
      return Promise.resolve(end.resolve);
    },
  } as unknown as Client;
  await lend(connection.client, client, { sessionId: 's', mcpServers: [], capabilities: CAPABILITIES });
  listeners[0]!({ id: 'i', name: 'write-file', input: { path: '/a', text: 'a' } } as never);
  connection.close();
  await end.promise;
  expect(answered).toEqual([]);
});

test('reports an unreadable answer of an ACP client as an error, not as a rejection', async () => {
  const app = acpClient({ name: 'editor' }).onRequest(methods.client.fs.readTextFile, () => null as never);
  const connection = agent({ name: 'triad' }).connect(app);
  onTestFinished(() => connection.close());
  const engine = await startEngine(calling(toolUse('read_file', { path: 'a.txt' })), { files: { 'a.txt': 'saved' } });
  const capabilities = { fs: { readTextFile: true } };
  const { conversationId: sessionId } = engine;
  await lend(connection.client, engine.runtime, { sessionId, mcpServers: [], capabilities });
  await engine.ask('Read');
  expect(results(engine)[0]).toMatchObject({
    status: 'error',
    output: 'The client answered what cannot be read (read-file)',
  });
});
