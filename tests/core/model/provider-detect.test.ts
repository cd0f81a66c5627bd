/** Servers on this machine are found by their lists of models; what is no model server is passed over. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { detectServers } from '#core/model/providers/detect.ts';

const never = new AbortController().signal;

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

test('name, address and models of each, with GETs only', async () => {
  const methods: (string | undefined)[] = [];
  const lists = [{ data: [{ id: 'llama3:8b', owned_by: 'library' }, { id: 'qwen3:4b' }] }, { data: [] }];
  const ports = await Promise.all(
    lists.map((list) =>
      portOf((request, response) => {
        methods.push(`${request.method} ${request.url}`);
        answer(200, JSON.stringify(list))(request, response);
      }),
    ),
  );
  const found = await detectServers(
    never,
    ports.map((port) => ({ port, name: 'Usual' })),
  );
  expect(found).toEqual([
    { name: 'Ollama', baseUrl: `http://127.0.0.1:${ports[0]}`, models: ['llama3:8b', 'qwen3:4b'] },
    { name: 'Usual', baseUrl: `http://127.0.0.1:${ports[1]}`, models: [] },
  ]);
  expect(methods).toEqual(['GET /v1/models', 'GET /v1/models']);
});

test('one that wants a key is found without its models', async () => {
  const refusal = JSON.stringify({ error: { message: 'No api key passed in', type: 'auth_error' } });
  const port = await portOf(answer(401, refusal));
  expect(await detectServers(never, [{ port, name: 'LiteLLM' }])).toEqual([
    { name: 'LiteLLM', baseUrl: `http://127.0.0.1:${port}`, models: [] },
  ]);
});

test('other servers, silence and endless answers are passed over', async () => {
  const ports = await Promise.all([
    portOf(answer(200, '<html></html>')),
    portOf(answer(200, '{"data":"none"}')),
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
});
