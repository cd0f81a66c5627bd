/** Requests that cross each other on their way: each ends, nothing goes on that nobody can stop, and no session reaches into another. */
import { symlink } from 'node:fs/promises';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { type HarnessOptions, startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, m } from '../support/acp-client.ts';
import { acpOver } from '../support/acp-lines.ts';

const LONG = [text('Never the end of it', { deltas: 10 })];

async function engineWith(script: Script, options: HarnessOptions = {}) {
  const engine = await startEngine(script, { person: () => null, ...options });
  const connect = async (runtime: Client = engine.runtime) => {
    const lines = acpOver(runtime);
    const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
    await client.initialize();
    return { client, lines };
  };
  const workflows = async (conversationId: string) =>
    (await engine.runtime.request('conversation.snapshot', { conversationId })).workflows;
  return { engine, connect, workflows };
}

const untilLong = async (client: AcpClient, id: string) => {
  const turn = client.prompt(id, 'LONG');
  await client.untilSaid(id, /Never/);
  return turn;
};

test('a prompt ends while its session is closed, and a session is not loaded while its prompt runs', async () => {
  const script = new Script().on({ lastUser: /LONG/ }).reply(LONG, { hangAfter: 8 });
  script.on({ step: 1 }).reply([toolUse('write_file', { path: 'a.txt', content: 'a' })]);
  const { engine, connect, workflows } = await engineWith(script.on({}).reply([text('Done.')]));
  const { client } = await connect();
  const id = await client.open(engine.folder);
  const place = { sessionId: id, cwd: engine.folder, mcpServers: [] };
  const load = (cwd = place.cwd) => client.agent.request(m.session.load, { ...place, cwd });
  const cancel = () => client.agent.notify(m.session.cancel, { sessionId: id });

  await expect(load('/')).rejects.toThrow(`This session works in ${engine.folder}`);
  const link = `${engine.folder}-link`;
  await symlink(engine.folder, link);
  await load(link);

  const both = await Promise.allSettled([load(), load()]);
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { reason: { message: expect.stringContaining('is being opened already') as string } },
  ]);

  const loading = load();
  const turn = client.prompt(id, 'LONG');
  await expect(loading).rejects.toThrow('A prompt runs in the session');
  await client.untilSaid(id, /Never/);
  // A question belongs to its session, whatever else runs meanwhile.
  const other = await client.open(engine.folder);
  expect(await client.prompt(other, 'Write it')).toBe('end_turn');
  expect(client.asked.map(({ sessionId }) => sessionId)).toEqual([other]);
  const behind = client.prompt(id, 'LONG');
  await cancel();
  expect(await Promise.all([turn, behind])).toEqual(['cancelled', 'cancelled']);

  client.told.length = 0;
  const long = client.prompt(id, 'LONG');
  await client.untilSaid(id, /Never/);
  const closing = client.agent.request(m.session.close, { sessionId: id });
  await expect(client.prompt(id, 'LONG')).rejects.toThrow('is not open');
  expect([await long, await closing]).toEqual(['cancelled', {}]);
  expect((await workflows(id)).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
});

test('a prompt that is cancelled before it starts sends nothing to the model', async () => {
  const { engine, connect, workflows } = await engineWith(new Script().on({}).reply(LONG, { hangAfter: 8 }));
  const first = await connect();
  const id = await first.client.open(engine.folder);
  void untilLong(first.client, id).catch(() => undefined);
  await first.client.untilSaid(id, /Never/);
  await first.lines.end();

  const fetched = Promise.withResolvers<never>();
  const sent = Promise.withResolvers<never>();
  sent.promise.catch(() => undefined);
  const slow: Partial<Record<string, Promise<never>>> = {
    'mcp.prompt': fetched.promise,
    'context.compact': fetched.promise,
    'message.send': sent.promise,
  };
  const request: Client['request'] = (method, input) => slow[method] ?? engine.runtime.request(method, input);
  const runtime = { request, subscribe: engine.runtime.subscribe.bind(engine.runtime) };
  const { client } = await connect(runtime);
  const place = { sessionId: id, cwd: engine.folder };
  await client.agent.request('session/resume', place);
  for (const words of ['/resume', '/mcp SERVER PROMPT', '/compact']) {
    const turn = client.prompt(id, words);
    await client.agent.notify(m.session.cancel, { sessionId: id });
    expect(await turn, words).toBe('cancelled');
  }

  // Both lines arrive at once: the prompt is cancelled before anybody has looked at it.
  const lines = acpOver(runtime);
  const ask = (nth: number, method: string, params: object) => ({ jsonrpc: '2.0', id: nth, method, params });
  const answered = (nth: number) => expect.poll(() => lines.written.find((line) => line['id'] === nth));
  lines.send(ask(1, 'initialize', { protocolVersion: 1 }));
  await answered(1).toBeDefined();
  lines.send(ask(2, 'session/resume', place));
  await answered(2).toBeDefined();
  const prompt = [{ type: 'text', text: '/mcp SERVER PROMPT' }];
  const cancel = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 3 } };
  const both = [ask(3, 'session/prompt', { ...place, prompt }), cancel].map((line) => `${JSON.stringify(line)}\n`);
  await lines.writable.getWriter().write(new TextEncoder().encode(both.join('')));
  await answered(3).toMatchObject({ result: { stopReason: 'cancelled' } });

  // The closing of a session does not wait for a message that never arrived.
  const turn = client.prompt(id, 'Hello');
  const closing = client.agent.request(m.session.close, { sessionId: id });
  sent.reject(new TriadError('bad_input', 'It was refused'));
  await expect(turn).rejects.toThrow('It was refused');
  expect(await closing).toEqual({});

  fetched.resolve({ text: 'Sent too late' } as never);
  await lines.end();
  expect((await workflows(id)).map(({ outcome }) => outcome)).toEqual(['interrupted']);
  expect(engine.model.requests).toHaveLength(1);
});

test('a run or workflow can be stopped and resumed only in its own session, which gets its questions', async () => {
  const script = new Script().on({ step: 1 }).reply(LONG, { hangAfter: 8, times: 1 });
  script.on({ step: 1 }).reply([toolUse('write_file', { path: 'a.txt', content: 'a' })]);
  const { engine, connect, workflows } = await engineWith(script.on({}).reply([text('Done.')]));
  const first = await connect();
  const id = await first.client.open(engine.folder);
  void untilLong(first.client, id).catch(() => undefined);
  await first.client.untilSaid(id, /Never/);
  const [begun] = await workflows(id);
  const { client, lines } = await connect();
  const sessionId = await client.open(engine.folder);
  const stop = client.agent.request('_triad/run.stop', { sessionId, runId: begun!.runId });
  await expect(stop).rejects.toMatchObject({ code: -32002, message: `This session has no run ${begun!.runId}` });
  await first.lines.end();
  expect((await workflows(id))[0]?.outcome).toBe('interrupted');

  const resume = (session: string) =>
    client.agent.request('_triad/workflow.resume', { sessionId: session, workflowId: begun!.id });
  await expect(resume(sessionId)).rejects.toThrow('Nothing here was interrupted');
  await client.agent.request('session/resume', { sessionId: id, cwd: engine.folder });
  expect(await resume(id)).toEqual({ stopReason: 'end_turn' });
  expect(client.asked.map((asked) => asked.sessionId)).toEqual([id]);
  expect(client.text(id)).toBe('Done.');
  await lines.end();
});

test('reports a wait for the provider as a notice, and workflow.try-now repeats the request at once', async () => {
  const script = new Script().on({}).reply([], {
    status: 529,
    headers: { 'retry-after': '600' },
    error: { type: 'overloaded_error', message: 'Too many people' },
    times: 1,
  });
  const { engine, connect, workflows } = await engineWith(script.on({}).reply([text('Here I am.')]), {
    retryClock: 'real',
  });
  const { client, lines } = await connect();
  const sessionId = await client.open(engine.folder);
  const turn = client.prompt(sessionId, 'Hello');
  await expect
    .poll(() => JSON.stringify(client.updates(sessionId)))
    .toContain('waiting for the provider, next try in 600 s');
  expect(JSON.stringify(client.updates(sessionId))).toContain('Too many people');
  const [begun] = await workflows(sessionId);
  const other = await client.open(engine.folder);
  const tryNow = (session: string) =>
    client.agent.request('_triad/workflow.try-now', { sessionId: session, workflowId: begun!.id });
  await expect(tryNow(other)).rejects.toMatchObject({ message: `This session has no workflow ${begun!.id}` });
  expect(await tryNow(sessionId)).toEqual({ requests: 1 });
  expect(await turn).toBe('end_turn');
  await lines.end();
});

test('a client that reads slowly gets the whole message and no partial updates', async () => {
  const { engine } = await engineWith(new Script().on({}).reply([text('Many small words.', { deltas: 8 })]));
  const lines = acpOver(engine.runtime, () => undefined, 9 * 1024 * 1024);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize();
  const id = await client.open(engine.folder);
  expect(await client.prompt(id, 'Hello')).toBe('end_turn');
  const chunks = client.updates(id).filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
  expect(chunks).toMatchObject([{ content: { text: 'Many small words.' } }]);
});

test('load, resume, close, delete and prompt answer an unknown session id with the error -32002', async () => {
  const { engine } = await engineWith(new Script());
  const lines = acpOver(engine.runtime);
  const answered = async (id: number, method: string, params: object) => {
    lines.send({ jsonrpc: '2.0', id, method, params });
    await expect.poll(() => lines.written.length).toBeGreaterThan(id);
    return lines.written[id];
  };
  await answered(0, 'initialize', { protocolVersion: 1 });
  const methods = ['session/load', 'session/resume', 'session/close', 'session/delete', 'session/prompt'];
  const requests = methods.flatMap((method, nth) => [
    { method, sessionId: 'x' },
    { method, sessionId: `01890000-0000-7000-8000-00000000000${nth}` },
  ]);
  // One after the other: two openings of one session cross.
  for (const [nth, { method, sessionId }] of requests.entries()) {
    const prompt = [{ type: 'text', text: 'Hello' }];
    const params = { sessionId, cwd: engine.folder, mcpServers: [], prompt };
    expect(await answered(nth + 1, method, params), method).toMatchObject({ error: { code: -32002 } });
  }
});
