/** The owner's door: who may come in, what each client gets, and who waits outside until the owner is ready. */
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkflowDetail } from '#contract/view.ts';
import type { Hello } from '#core/host/ownership/handshake.ts';
import { connectToOwner } from '#core/host/ownership/owner-connection.ts';
import { openEndpoint } from '#core/host/ownership/owner-endpoint.ts';
import { claimOwnership, type Ownership } from '#core/host/ownership/ownership.ts';
import { conversationRow, runRow, workflowId, workflowRow } from '../../../hosts/support/events.ts';
import { memoryClient } from '../../../hosts/support/memory-client.ts';
import { appStateOf, providerState } from '../../../support/providers/app-state.ts';
import { Gate } from '../../../support/gate.ts';
import { testFolder } from '../../store/support.ts';

const { signal } = new AbortController();
const hello: Hello = { version: '1.2.3', folder: '/home/bo', baseUrl: null, storeUrl: null };
const provider = providerState({ baseUrl: 'https://models.example', baseUrlSource: 'environment' });
const state = appStateOf({ folder: '/home/ada', providers: [provider] });

async function owner(): Promise<Ownership> {
  const claim = await claimOwnership(await testFolder(), { signal });
  if (claim.kind !== 'own') throw new Error('somebody else owns a folder that was just made');
  onTestFinished(() => claim.ownership.release());
  return claim.ownership;
}

function serve(ownership: Ownership, answers: Parameters<typeof memoryClient>[0] = {}) {
  const runtime = memoryClient({ 'app.state': () => state, ...answers });
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  const endpoint = openEndpoint(ownership, { runtime, version: '1.2.9', storeUrl: undefined, report });
  onTestFinished(() => endpoint.close());
  return { runtime, endpoint, reports };
}

async function join({ instance }: Ownership, rest: Partial<Hello> = {}) {
  const connection = await connectToOwner(instance, { ...hello, ...rest }, signal);
  if (connection === null) throw new Error('the owner has gone');
  onTestFinished(() => connection.close());
  return connection;
}

/** The status of an upgrade; 101 where it was let in. */
async function knock({ instance }: Ownership, headers: Record<string, string>): Promise<number> {
  const usual = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    authorization: `Bearer ${instance.token}`,
  };
  const sent = request(`${instance.url}/rpc`, { headers: { ...usual, ...headers }, agent: false });
  sent.end();
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', ({ statusCode }) => resolve(statusCode ?? 0));
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve(101);
    });
  });
}

test('rejects a missing or wrong token, a request from a browser page and a foreign host name', async () => {
  const ownership = await owner();
  serve(ownership);
  expect(await knock(ownership, {})).toBe(101);
  expect(await knock(ownership, { authorization: `Bearer ${'0'.repeat(64)}` })).toBe(401);
  expect(await knock(ownership, { authorization: '' })).toBe(401);
  expect(await knock(ownership, { origin: 'https://example.org' })).toBe(403);
  expect(await knock(ownership, { origin: ownership.instance.url })).toBe(403);
  expect(await knock(ownership, { host: 'example.org' })).toBe(403);
  const { url, token } = ownership.instance;
  const ping = await fetch(`${url}/ping`, {
    headers: { authorization: `Bearer ${token}`, origin: 'https://example.org' },
  });
  expect(ping.status).toBe(403);
});

test('each client of the owner uses its own folder as the default folder', async () => {
  const ownership = await owner();
  const { runtime } = serve(ownership, { 'conversation.create': () => conversationRow() });
  const { client } = await join(ownership);
  expect(await client.request('app.state', {})).toEqual({ ...state, folder: '/home/bo' });
  await client.request('conversation.create', {});
  await client.request('conversation.create', { folder: '/srv' });
  expect(runtime.requests.filter(({ method }) => method === 'conversation.create')).toMatchObject([
    { input: { folder: '/home/bo' } },
    { input: { folder: '/srv' } },
  ]);
  await expect(client.request('run.get', { runId: 'x' })).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  [{ version: '1.3.0' }, /is version 1\.2\.9, this one is 1\.3\.0: stop it, or set TRIAD_HOME/],
  [{ baseUrl: 'http://127.0.0.1:9' }, /endpoint https:\/\/models\.example, but ANTHROPIC_BASE_URL is http/],
  [{ storeUrl: 'mem://' }, /uses the store in its data folder, but TRIAD_STORE is mem:/],
])('rejects a client with another version, endpoint or store and says what to do: %o', async (rest, message) => {
  const ownership = await owner();
  serve(ownership);
  await expect(join(ownership, rest)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(message) as string,
  });
});

test('accepts a client whose endpoint differs only by a slash at the end', async () => {
  const ownership = await owner();
  serve(ownership);
  await join(ownership, { baseUrl: 'https://models.example/' });
});

test('a client that connects before the owner is ready waits, and gets no connection if the owner quits', async () => {
  const ready = await owner();
  const early = join(ready);
  serve(ready);
  expect((await early).lost.aborted).toBe(false);

  const failing = await owner();
  const waiting = connectToOwner(failing.instance, hello, signal);
  await failing.release();
  expect(await waiting).toBeNull();
});

test('a client learns that the owner closed before its open request fails', async () => {
  const ownership = await owner();
  const never = new Promise<never>(() => undefined);
  const { endpoint } = serve(ownership, { 'agents.list': () => never });
  const { client, lost } = await join(ownership);
  const asked = client.request('agents.list', {}).catch((error: unknown) => ({ error, known: lost.aborted }));
  endpoint.close();
  expect(await asked).toMatchObject({ error: { code: 'disconnected' }, known: true });
  await expect(client.request('app.state', {})).rejects.toMatchObject({ code: 'disconnected' });
});

test('a client that is connecting when the owner closes gets no connection', async () => {
  const ownership = await owner();
  const gate = new Gate();
  const { endpoint } = serve(ownership, { 'app.state': () => gate.pass().then(() => state) });
  const coming = connectToOwner(ownership.instance, hello, signal);
  await gate.reached;
  endpoint.close();
  gate.open();
  expect(await coming).toBeNull();
});

test('the owner is idle when the workflows of its clients have ended or the clients have disconnected', async () => {
  const ownership = await owner();
  let workflow = workflowRow({ outcome: null, status: 'running' });
  const detail = (): WorkflowDetail => ({
    conversation: conversationRow(),
    workflow,
    runs: [runRow()],
    calls: [],
    approvals: [],
    requests: [],
  });
  const attention = { questions: [], asleep: [], running: [] };
  const { runtime, endpoint } = serve(ownership, {
    'message.send': () => ({ workflowId, runId: workflowId, queued: false }),
    'workflow.get': detail,
  });
  const send = { conversationId: workflow.conversationId, text: 'x' };
  const first = await join(ownership);
  await first.client.request('message.send', send);
  const waits: number[] = [];
  const idle = endpoint.idle(signal, (count) => void waits.push(count));
  await expect.poll(() => runtime.subscribers.length).toBe(1);
  runtime.emit('attention', attention);
  await expect.poll(() => waits).toEqual([1]);
  workflow = workflowRow();
  runtime.emit('attention', attention);
  await idle;
  expect(runtime.subscribers).toEqual([]);

  workflow = workflowRow({ outcome: null, status: 'running' });
  const again = endpoint.idle(signal, (count) => void waits.push(count));
  await expect.poll(() => runtime.subscribers.length).toBe(1);
  runtime.emit('attention', attention);
  await expect.poll(() => waits).toEqual([1, 1]);
  const gone = once(first.lost, 'abort');
  first.close();
  await gone;
  await again;
});

test('the owner stops waiting for other workflows when its signal aborts', async () => {
  const ownership = await owner();
  const workflow = workflowRow({ outcome: null, status: 'running' });
  const { runtime, endpoint } = serve(ownership, {
    'message.send': () => ({ workflowId, runId: workflowId, queued: false }),
    'workflow.get': () => ({
      conversation: conversationRow(),
      workflow,
      runs: [runRow()],
      calls: [],
      approvals: [],
      requests: [],
    }),
  });
  const { client } = await join(ownership);
  await client.request('message.send', { conversationId: workflow.conversationId, text: 'x' });
  const abort = new AbortController();
  const waitStart = Promise.withResolvers<void>();
  const idle = endpoint.idle(abort.signal, () => waitStart.resolve());
  await expect.poll(() => runtime.subscribers.length).toBe(1);
  runtime.emit('attention', { questions: [], asleep: [], running: [] });
  await waitStart.promise;
  abort.abort();
  await idle;
});
