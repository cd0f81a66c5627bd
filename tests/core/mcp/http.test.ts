/** Servers at an address: real HTTP, with one server that lies by its path. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { McpServerConfig } from '#core/mcp/server-config.ts';
import type { Access } from '#core/mcp/signed-fetch.ts';
import { eventually } from '../../support/eventually.ts';
import { fullTest, inFullRun } from '../../support/samples.ts';
import { BLOCK_MS, longestBlock } from '../../support/workspace.ts';
import { never, reference, said, serverOf, textOf, useOf } from './support.ts';

const faultOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const MEGABYTE = 'x'.repeat(1024 * 1024);

interface Asked {
  id?: number;
  method: string;
  params?: { name?: string; _meta?: { progressToken?: number } };
}
/** What the client answers. */
interface Answered {
  id: string;
  result: { action: string };
}
type Reply = (response: ServerResponse, asked: Asked) => void;

const result = (asked: Asked, value: object) => JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: value });
const done = { content: [{ type: 'text', text: 'done' }] };

const json = (response: ServerResponse, asked: Asked, value: object, headers: Record<string, string> = {}): void => {
  response.writeHead(200, { ...JSON_TYPE, ...headers }).end(result(asked, value));
};
/** As much as is taken, until there is no more. */
const pour = (response: ServerResponse, left: number, piece: string, last: string): void => {
  if (left === 0) response.end(last);
  else response.write(piece, () => pour(response, left - 1, piece, last));
};

/** What goes on with the answer to a question. */
const waiting = new Map<string, (action: string) => void>();

/** What a call of a tool does. */
const CALLS: Record<string, Reply> = {
  work: (response, asked) => json(response, asked, done),
  event: (response, asked) =>
    response.writeHead(200, EVENTS).end(`: hello\n\nevent: message\ndata: ${result(asked, done)}\n\n`),
  asks: (response, asked) => {
    const { progressToken } = asked.params?._meta ?? {};
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
    const form = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
    const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: form };
    response.writeHead(200, EVENTS);
    for (const message of [progress, question]) response.write(`data: ${JSON.stringify(message)}\n\n`);
    waiting.set('q', (action) =>
      response.end(`data: ${result(asked, { content: [{ type: 'text', text: action }] })}\n\n`),
    );
  },
  'long-stream': (response, asked) => {
    response.writeHead(200, EVENTS);
    for (let left = 9; left > 0; left -= 1) response.write(`: ${MEGABYTE}\r\n\r\n`);
    response.end(`data: ${result(asked, done)}\r\n\r\n`);
  },
  'big-body': (response) => pour(response.writeHead(200, JSON_TYPE), 9, MEGABYTE, ''),
  // Of many lines: only a blank one ends it.
  'big-event': (response) => pour(response.writeHead(200, EVENTS), 9, `data: ${MEGABYTE}\r\n`, '\n\n'),
  values: (response, asked) => json(response, asked, { content: Array.from({ length: 100_001 }, () => 1) }),
  'hidden-values': (response, asked) =>
    response
      .writeHead(200, EVENTS)
      .end(`: "\\\ndata: ${result(asked, { content: Array.from({ length: 100_001 }, () => 1) })}\n\n`),
  'hidden-depth': (response, asked) =>
    response
      .writeHead(200, EVENTS)
      .end(
        `: ${']'.repeat(1000)}\ndata: ${result(asked, { content: [] }).replace('[]', '['.repeat(500) + ']'.repeat(500))}\n\n`,
      ),
  breaks: (response) => response.writeHead(200, EVENTS).end(': hello\n\n'),
  cut: (response) => void response.writeHead(200, EVENTS).write(': hello\n\n', () => response.destroy()),
  fails: (response) => response.writeHead(500).end('oh no\u001b[2J'),
  'asks-for-sign-in': (response) => response.writeHead(401).end(),
  forgets: (response) => response.writeHead(404).end('no session'),
  silent: () => undefined,
};

const METHODS: Record<string, Reply> = {
  initialize: (response, asked) =>
    json(
      response,
      asked,
      { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'web', version: '0' } },
      { 'mcp-session-id': 's1', 'set-cookie': 'a=b' },
    ),
  'tools/list': (response, asked) =>
    json(response, asked, { tools: [{ name: 'work', inputSchema: { type: 'object' } }] }),
  'tools/call': (response, asked) => CALLS[asked.params?.name ?? '']?.(response, asked),
};

interface Site {
  origin: string;
  headers: IncomingHttpHeaders[];
  methods: string[];
}

async function siteWith(
  answer: (request: IncomingMessage, response: ServerResponse, asked: Asked) => void,
): Promise<Site> {
  const site: Site = { origin: '', headers: [], methods: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const said = text === '' ? { method: request.method! } : (JSON.parse(text) as Asked | Answered);
      if (!('method' in said)) {
        waiting.get(said.id)?.(said.result.action);
        return void response.writeHead(202).end();
      }
      const asked = said;
      site.headers.push(request.headers);
      site.methods.push(asked.method);
      answer(request, response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return site;
}

/** That nobody listened on a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const answer = (response: ServerResponse, asked: Asked): void => {
  if (asked.id === undefined) response.writeHead(asked.method === 'GET' ? 405 : 202).end();
  else METHODS[asked.method]?.(response, asked);
};
const liarSite = () => siteWith((_, response, asked) => answer(response, asked));
const at = (url: string, more: Partial<McpServerConfig> = {}) =>
  serverOf('web', { kind: 'http', url, headers: {} }, more);

test('sends configured headers but no cookies with each request, reads JSON and events, and ends the session', async () => {
  const site = await liarSite();
  const server = serverOf('web', {
    kind: 'http',
    url: `${site.origin}/mcp`,
    headers: { 'x-key': 'k', authorization: 'Bearer t' },
  });
  const use = useOf(server);
  expect(await said(use, 'work')).toBe('done');
  expect(await said(use, 'event')).toBe('done');
  expect(use.pool.state(process.cwd())).toMatchObject([
    { status: 'ready', pid: null, kind: 'http', words: { name: 'web' } },
  ]);
  await use.pool.end();
  expect(site.methods.at(-1)).toBe('DELETE');
  expect(site.headers.length).toBeGreaterThan(4);
  for (const headers of site.headers) expect(headers).toMatchObject({ 'x-key': 'k', authorization: 'Bearer t' });
  expect(site.headers.every((headers) => headers.cookie === undefined)).toBe(true);
  expect(site.headers.at(-1)).toMatchObject({ 'mcp-session-id': 's1' });
});

test('a question and progress in the event stream of a call reach the call', async () => {
  const use = useOf(at((await liarSite()).origin));
  const steps: number[] = [];
  const answer = await use.server.call(
    'asks',
    {},
    {
      signal: never,
      onProgress: ({ progress }) => steps.push(progress),
      onElicit: () => Promise.resolve({ action: 'decline' }),
    },
  );
  expect([textOf(answer), steps]).toEqual(['decline', [1]]);
});

test.for([
  ...(inFullRun ? ([['big-event', 'of more than 8 MiB']] as const) : []),
  ['big-body', 'of more than 8 MiB'],
  ['values', 'with more than 100000 values'],
  ['hidden-values', 'with more than 100000 values'],
  ['hidden-depth', 'of more than 200 levels'],
] as const)(
  'closes the connection for a too large message (%s) with one error, without blocking',
  async ([tool, words]) => {
    const use = useOf(at((await liarSite()).origin));
    await use.server.tools(never);
    const { value, longest } = await longestBlock(() => faultOf(said(use, tool)));
    expect(value).toMatchObject({
      code: 'disconnected',
      message: `The MCP server "web" sent a message ${words}, and was left while the tool "${tool}" ran: whether that took effect is not known`,
    });
    expect(longest).toBeLessThan(BLOCK_MS);
    expect(use.pool.state(process.cwd())).toMatchObject([{ status: 'failed' }]);
  },
);

test('accepts an event stream that is long in total', async () => {
  const use = useOf(at((await liarSite()).origin));
  expect(await said(use, 'long-stream')).toBe('done');
});

test.for([
  [
    'breaks',
    'provider',
    'refused the tool "breaks": the connection broke before the answer; whether it took effect is not known',
  ],
  ['cut', 'provider', 'refused the tool "cut": the connection broke before the answer'],
  ['fails', 'provider', 'answered the tool "fails" with HTTP 500'],
  ['asks-for-sign-in', 'auth', 'needs sign-in: triad mcp login web'],
  ['silent', 'inactive', 'gave no sign for 0.3 s'],
] as const)('a failing call (%s) returns one sentence, and the next call works', async ([tool, code, words]) => {
  // The others answer, however busy the machine is.
  const use = useOf(at((await liarSite()).origin, tool === 'silent' ? { timeoutMs: 300 } : {}));
  const fault = (await faultOf(said(use, tool))) as Error;
  expect(fault).toMatchObject({ code, message: expect.stringContaining(`The MCP server "web" ${words}`) as string });
  expect(fault.message).not.toContain('\u001b');
  expect(await said(use, 'work')).toBe('done');
});

test('a server that forgot the session is connected anew', async () => {
  let now = 0;
  const site = await liarSite();
  const use = useOf(at(site.origin), undefined, { now: () => now });
  expect(await faultOf(said(use, 'forgets'))).toMatchObject({ code: 'unreachable' });
  await eventually(() => expect(use.pool.state(process.cwd())).toMatchObject([{ status: 'failed' }]));
  now = 1000;
  expect(await said(use, 'work')).toBe('done');
  expect(site.methods.filter((method) => method === 'initialize')).toHaveLength(2);
});

test('follows a redirect only within the origin', async () => {
  const other = await liarSite();
  const site = await siteWith((request, response, asked) => {
    if (request.url === '/away') response.writeHead(307, { location: `${other.origin}/mcp` }).end();
    else if (request.url === '/here') response.writeHead(307, { location: '/mcp' }).end();
    else answer(response, asked);
  });
  expect(await said(useOf(at(`${site.origin}/here`)), 'work')).toBe('done');
  const fault = await faultOf(useOf(at(`${site.origin}/away`)).server.tools(never));
  expect(fault).toMatchObject({ code: 'unreachable', message: expect.stringContaining('redirect') as string });
  expect(other.methods).toEqual([]);
});

test('reports a server that cannot be reached or requires sign-in before the first request', async () => {
  const closed = await siteWith((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  expect(await faultOf(useOf(at(closed.origin)).server.tools(never))).toMatchObject({
    code: 'auth',
    message: 'The MCP server "web" needs sign-in: triad mcp login web',
  });
  expect(await faultOf(useOf(at('http://127.0.0.1:1/mcp')).server.tools(never))).toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^The MCP server "web" could not be connected: .*(ECONNREFUSED|bad port)/) as string,
  });
});

test('reports a web page at the address of a server with its HTTP status', async () => {
  const site = await siteWith((_, response) => response.writeHead(404).end('<!DOCTYPE html>\n<html><body>Not here'));
  expect(await faultOf(useOf(at(site.origin)).server.tools(never))).toMatchObject({
    code: 'unreachable',
    message:
      'The MCP server "web" could not be connected: its address answers with HTTP 404 and a web page, as if no MCP server were there',
  });
});

test('a sign-in that the person made goes with each request', async () => {
  const site = await liarSite();
  const auth = (name: string, url: string): Access => ({
    token: () => Promise.resolve(`${name} ${new URL(url).pathname}`),
    renewed: () => Promise.resolve(null),
    refused: () => Promise.resolve(),
    missing: () => undefined,
  });
  expect(await said(useOf(at(`${site.origin}/x`), undefined, { auth }), 'work')).toBe('done');
  expect(new Set(site.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer web /x']));
});

fullTest([
  'tests/core/mcp/http.test.ts › sends configured headers but no cookies with each request, reads JSON and events, and ends the session',
  'tests/core/mcp/http.test.ts › a question and progress in the event stream of a call reach the call',
])('works with the reference HTTP server of the protocol', async () => {
  const { transport } = reference('everything', ['streamableHttp']);
  if (transport.kind !== 'stdio') throw new Error('It is a process');
  const port = await freePort();
  const child = spawn(transport.command, [...transport.args], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(() => fetch(`http://127.0.0.1:${port}/mcp`));
  const use = useOf(at(`http://127.0.0.1:${port}/mcp`));
  const steps: number[] = [];
  const options = { signal: never, onProgress: ({ progress }: { progress: number }) => steps.push(progress) };
  await use.server.call('trigger-long-running-operation', { duration: 0.2, steps: 3 }, options);
  expect(steps.length).toBeGreaterThan(1);
  const elicited = await use.server.call(
    'trigger-elicitation-request',
    {},
    { signal: never, onElicit: () => Promise.resolve({ action: 'decline' }) },
  );
  expect(JSON.stringify(elicited)).toMatch(/decline/);
  child.kill('SIGKILL');
  expect(await faultOf(said(use, 'echo', { message: 'x' }))).toMatchObject({ code: 'unreachable' });
});
