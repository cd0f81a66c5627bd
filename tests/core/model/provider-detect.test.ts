/** Servers are found by their lists of models, and asked what they speak; what is no model server is passed over. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { detectAt, detectServers } from '#core/model/providers/detect.ts';

const never = new AbortController().signal;
/** For servers that answer, however busy the machine is. */
const PATIENT_MS = 30_000;

async function portOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

const answer =
  (status: number, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };

/** A server that lists its models and refuses, at the doors that it has, a request that names none. */
const server =
  (data: object[], doors: readonly string[], seen: string[] = []): RequestListener =>
  (request, response) => {
    const { method, url = '' } = request;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push([method, url, body].join(' ').trim());
      if (method === 'GET') return answer(200, JSON.stringify({ data }))(request, response);
      return answer(doors.includes(url) ? 400 : 404, '{"error":{"message":"messages: required"}}')(request, response);
    });
  };

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';

test('finds local servers with name, models and protocols, by requests that name no model', async () => {
  const seen: string[] = [];
  const models = [{ id: 'llama3:8b', owned_by: 'library' }, { id: 'qwen3:4b' }];
  const ports = await Promise.all([
    portOf(server(models, [CHAT, RESPONSES], seen)),
    portOf(server([], [MESSAGES])),
    portOf(server([], [])),
  ]);
  const found = await detectServers(
    never,
    ports.map((port) => ({ port, name: 'Usual' })),
    PATIENT_MS,
  );
  const [url, other] = ports.map((port) => `http://127.0.0.1:${port}`);
  expect(found).toEqual([
    {
      name: 'Ollama',
      speaks: [
        { type: 'openai-chat', baseUrl: `${url}/v1` },
        { type: 'openai-responses', baseUrl: `${url}/v1` },
      ],
      models: ['llama3:8b', 'qwen3:4b'],
    },
    { name: 'Usual', speaks: [{ type: 'anthropic', baseUrl: other }], models: [] },
  ]);
  expect(seen.toSorted()).toEqual([
    'GET /v1/models',
    ...[CHAT, MESSAGES, RESPONSES].map((path) => `POST ${path} {}`).toSorted(),
  ]);
});

test('finds a server at an address with or without /v1 at the end', async () => {
  const port = await portOf(server([{ id: 'm' }], [CHAT]));
  const found = {
    name: `127.0.0.1:${port}`,
    speaks: [{ type: 'openai-chat', baseUrl: `http://127.0.0.1:${port}/v1` }],
    models: ['m'],
  };
  for (const end of ['', '/', '/v1', '/v1/'])
    expect(await detectAt(`http://127.0.0.1:${port}${end}`, never)).toEqual(found);
  expect(await detectAt('http://127.0.0.1:9', never)).toBeNull();
});

test('finds a server that requires a key, without its models', async () => {
  const refusal = JSON.stringify({ error: { message: 'No api key passed in', type: 'auth_error' } });
  const port = await portOf(answer(401, refusal));
  const [found, ...others] = await detectServers(never, [{ port, name: 'LiteLLM' }], PATIENT_MS);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ name: 'LiteLLM', models: [] });
  expect(found?.speaks[0]).toEqual({ type: 'openai-chat', baseUrl: `http://127.0.0.1:${port}/v1` });
});

test('ignores other servers, silent servers and endless answers', async () => {
  const asked: (string | undefined)[] = [];
  const ports = await Promise.all([
    portOf(answer(200, '<html></html>')),
    portOf((request, response) => {
      asked.push(request.method);
      answer(200, '{"data":"none"}')(request, response);
    }),
    portOf(answer(401, '{"detail":"Not authenticated"}')),
    portOf(answer(500, '{"data":[]}')),
    portOf(() => undefined),
    portOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const flood = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', flood);
      flood();
    }),
  ]);
  const places = [...ports, 9].map((port) => ({ port, name: 'Unknown' }));
  expect(await detectServers(never, places)).toEqual([]);
  expect(asked, 'what is no model server is asked nothing more').toEqual(['GET']);
});
