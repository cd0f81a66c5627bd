/** One tab's WebSocket, as a tab sees it. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerFrame } from '#contract/frames.ts';
import { TriadError } from '#core/base/errors.ts';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { MAX_SENT_IMAGES_CHARS } from '#contract/messages/sending-limits.ts';
import { conversationId, ofLead, workflowEnd } from '../support/events.ts';
import type { TestBrowser } from '../../support/test-browser.ts';
import { type MemoryClient, memoryClient } from '../support/memory-client.ts';
import { openSite, type Site } from '../support/web-site.ts';

let client: MemoryClient;
let site: Site;
beforeEach(async () => {
  client = memoryClient({
    'agents.list': () => [],
    'run.entries': () => {
      throw new TriadError('not_found', 'There is no such run', { detail: 'a stack' });
    },
    'app.state': () => {
      throw new Error('a secret path');
    },
  });
  site = await openSite(client);
});
afterEach(() => site.close());

const getOrigin = ({ server }: Site) => `http://127.0.0.1:${server.port}`;

/** Frames come as a queue, in order. */
async function connect(browser: TestBrowser) {
  // What the browser opens is one of `ws`.
  const socket = (await browser.enter()).socket as unknown as WebSocket;
  const frames: ServerFrame[] = [];
  let wake = () => {};
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as ServerFrame);
    wake();
  });
  const next = async (): Promise<ServerFrame> => {
    while (frames.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift()!;
  };
  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const closed = once(socket, 'close') as Promise<[number]>;
  return { socket, send, next, closed };
}

/** The status of a refused upgrade. */
async function refusedWith(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${site.server.port}${path}`, { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

test('rejects a socket with another origin, an unknown host or another path', async () => {
  const origin = getOrigin(site);
  expect(await refusedWith('/ws', {})).toBe(403);
  expect(await refusedWith('/ws', { origin: 'http://evil.example' })).toBe(403);
  expect(await refusedWith('/ws', { origin: 'null' })).toBe(403);
  expect(await refusedWith('/ws', { origin: 'http://evil.example', host: 'evil.example' })).toBe(403);
  expect(await refusedWith('/other', { origin })).toBe(404);
});

test('answers requests by number, and errors contain only code and message', async () => {
  const { send, next } = await connect(await site.enter());
  send({ kind: 'request', id: 7, method: 'agents.list', input: {} });
  expect(await next()).toEqual({ kind: 'reply', id: 7, reply: { ok: true, value: [] } });
  send({ kind: 'request', id: 8, method: 'run.entries', input: { runId: 'x' } });
  const missing = { code: 'not_found', message: 'There is no such run' };
  expect(await next()).toEqual({ kind: 'reply', id: 8, reply: { ok: false, error: missing } });
  send({ kind: 'request', id: 9, method: 'toString', input: {} });
  expect(await next()).toMatchObject({ id: 9, reply: { ok: false, error: { code: 'bad_input' } } });
});

test('an unexpected error is hidden from the tab and printed to the terminal', async () => {
  const { send, next } = await connect(await site.enter());
  send({ kind: 'request', id: 1, method: 'app.state', input: {} });
  const frame = await next();
  expect(frame).toMatchObject({ reply: { ok: false, error: { code: 'internal' } } });
  expect(JSON.stringify(frame)).not.toContain('secret');
  expect(site.reports.join()).toContain('a secret path');
});

test('answers an invalid frame that has a number, and otherwise closes the connection', async () => {
  const browser = await site.enter();
  const one = await connect(browser);
  one.send({ kind: 'command', id: 4 });
  expect(await one.next()).toMatchObject({ id: 4, reply: { ok: false, error: { code: 'bad_input' } } });
  one.send('not json');
  expect((await one.closed)[0]).toBe(1008);
  const two = await connect(browser);
  two.socket.send(Buffer.from([1, 2]));
  expect((await two.closed)[0]).toBe(1003);
});

test('a frame above the maximum size closes the connection', async () => {
  const { socket, closed } = await connect(await site.enter());
  socket.on('error', () => undefined);
  // The longest prompt with every character escaped, all its pictures, and room for the rest of the frame.
  const maximum = MAX_PROMPT_CHARS * 6 + MAX_SENT_IMAGES_CHARS + 64 * 1024;
  // Only the header, which states the length.
  const header = Buffer.alloc(14);
  header.set([0x81, 0xff]);
  header.writeBigUInt64BE(BigInt(maximum + 1), 2);
  (socket as unknown as { _socket: Socket })._socket.write(header);
  expect((await closed)[0]).toBe(1009);
  expect((await site.get('/')).status).toBe(200);
});

test('sends events after the reply to their subscription, in order, until it is cancelled', async () => {
  const { send, next } = await connect(await site.enter());
  send({ kind: 'subscribe', id: 3, topic: 'conversation', input: { conversationId } });
  expect(await next()).toEqual({ kind: 'reply', id: 3, reply: { ok: true, value: null } });
  const hint = ofLead('message-delta', { messageId: conversationId, part: 0, offset: 0, text: 'a' });
  const end = workflowEnd();
  client.emit('conversation', hint);
  client.emit('conversation', end);
  expect(await next()).toEqual({ kind: 'events', id: 3, events: [hint, end] });
  send({ kind: 'unsubscribe', id: 3 });
  send({ kind: 'request', id: 5, method: 'agents.list', input: {} });
  await next();
  expect(client.subscribers).toEqual([]);
});

test('passes on whether the tab can answer, and sends attention whole and at once', async () => {
  const { send, next } = await connect(await site.enter());
  send({ kind: 'subscribe', id: 1, topic: 'attention', input: { canAnswer: true } });
  await next();
  expect(client.subscribers).toMatchObject([{ topic: 'attention', input: { canAnswer: true } }]);
  await new Promise(setImmediate);
  client.emit('attention', { questions: [], asleep: [], running: [] });
  expect(await next()).toEqual({
    kind: 'events',
    id: 1,
    events: [{ questions: [], asleep: [], running: [] }],
  });
});

test('an unknown topic and a number in use are refused', async () => {
  const { send, next } = await connect(await site.enter());
  send({ kind: 'subscribe', id: 1, topic: 'everything', input: {} });
  expect(await next()).toMatchObject({ id: 1, reply: { ok: false, error: { code: 'bad_input' } } });
  send({ kind: 'subscribe', id: 1, topic: 'attention', input: { canAnswer: false } });
  expect(await next()).toMatchObject({ id: 1, reply: { ok: true } });
  send({ kind: 'subscribe', id: 1, topic: 'attention', input: { canAnswer: false } });
  expect(await next()).toMatchObject({ id: 1, reply: { ok: false, error: { code: 'conflict' } } });
});

test('ends the subscriptions of a tab that closes', async () => {
  const { socket, send, next, closed } = await connect(await site.enter());
  send({ kind: 'subscribe', id: 1, topic: 'attention', input: { canAnswer: true } });
  await next();
  socket.close();
  await closed;
  await expect.poll(() => client.subscribers).toEqual([]);
});

test('stopping the server ends its connections and frees the port', async () => {
  const { closed } = await connect(await site.enter());
  await site.server.close();
  expect((await closed)[0]).toBe(1001);
  await expect(site.get('/')).rejects.toThrow('ECONNREFUSED');
});
