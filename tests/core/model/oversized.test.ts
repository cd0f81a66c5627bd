/** Responses of a model endpoint that are too large to be read, through each adapter. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_MESSAGE_BYTES } from '#contract/limits.ts';
import { createOpenAiEmbeddings } from '#core/model/openai/embeddings.ts';
import { attempt, KEY, modelFor, PROTOCOLS, requestOf } from '../../support/fake-model/exchange.ts';
import { sse } from '../../support/fake-model/stream.ts';

const PIECE = 'x'.repeat(1024 * 1024);
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

type SendBody = (response: ServerResponse) => void;

/** Sends a start, pieces of 1 MiB until the client leaves or there are enough, then an end. */
function pour(headers: Record<string, string>, start: string, end: string, piece = PIECE): SendBody {
  return (response) => {
    response.writeHead(200, headers).write(start);
    const next = (left: number): void => {
      if (left === 0) response.end(end);
      else response.write(piece, () => next(left - 1));
    };
    next(64);
  };
}

async function startServer(answer: SendBody): Promise<{ url: string; host: string; requests: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, requests: () => count };
}

const TOO_LARGE = 'sent more than 16 MiB in one piece, which is the limit: check the server, or choose another model';

test.for(
  PROTOCOLS.flatMap((protocol) => [
    { protocol, kind: 'a line', answer: pour(EVENTS, 'data: {"type":"', '"}\n\n') },
    { protocol, kind: 'an event of many lines', answer: pour(EVENTS, '', '\n', `data: ${PIECE}\n`) },
    { protocol, kind: 'a JSON body', answer: pour(JSON_TYPE, '{"content":"', '"}') },
  ]),
)('$protocol: rejects $kind of 64 MiB without a retry', async ({ protocol, answer }) => {
  const { url, host } = await startServer(answer);
  const { error } = await attempt(modelFor(protocol, url), requestOf({ model: 'm-1' }));
  expect(error).toMatchObject({ code: 'provider', retryable: false, message: `${host} ${TOO_LARGE}` });
});

const emptyBlock = sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const words = sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: PIECE } });

test.for([
  ['words', emptyBlock + words, 18],
  ['blocks', emptyBlock + sse('content_block_stop', { index: 0 }), 17_000],
] as const)('rejects a response with too many %s without a retry', async ([, piece, count]) => {
  const { url, host, requests } = await startServer((response) =>
    response.writeHead(200, EVENTS).end(piece.repeat(count)),
  );
  const { error } = await attempt(modelFor('messages', url), requestOf({ model: 'm-1' }));
  const message = `${host} ${TOO_LARGE.replace('piece', 'response')}`;
  expect(error).toMatchObject({ code: 'provider', retryable: false, message });
  expect(requests()).toBe(1);
});

test('reads many events that together exceed the limit of one event', async () => {
  const ping = `data: {"type":"ping","x":"${PIECE}"}\n\n`;
  const most = MAX_MESSAGE_BYTES / PIECE.length + 1;
  const { url } = await startServer((response) => response.writeHead(200, EVENTS).end(ping.repeat(most)));
  const { error } = await attempt(modelFor('messages', url), requestOf({ model: 'm-1' }));
  // All of it is read: the response lacks only its end.
  expect(error).toMatchObject({ code: 'unreachable', retryable: true });
});

test('rejects an embeddings response of 64 MiB', async () => {
  const { url, host } = await startServer(pour(JSON_TYPE, '{"data":"', '"}'));
  const endpoint = () => Promise.resolve({ apiKey: KEY, baseUrl: `${url}/v1` });
  const embeddings = createOpenAiEmbeddings({ provider: 'local', model: 'e', dimensions: 3, endpoint });
  const work = embeddings.embed(['a'], new AbortController().signal);
  await expect(work).rejects.toMatchObject({ code: 'provider', message: `${host} ${TOO_LARGE}` });
});
