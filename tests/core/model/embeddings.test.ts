// Vectors of an OpenAI-compatible endpoint: in order, of the right length, in batches; everything else is one clear error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Embeddings } from '#core/model/embeddings.ts';
import { createOpenAiEmbeddings } from '#core/model/openai/embeddings.ts';
import { KEY } from '../../support/fake-model/exchange.ts';
import { Script } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';

interface Asked {
  input: string[];
  model: string;
}

/** A server that answers with what a function makes of the question. */
async function answering(answer: (asked: Asked) => [status: number, body: string]): Promise<[Embeddings, Asked[]]> {
  const all: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      all.push(asked);
      const [status, body] = answer(asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return [embeddingsAt(`http://127.0.0.1:${port}/v1`), all];
}

function embeddingsAt(baseUrl: string): Embeddings {
  const endpoint = () => Promise.resolve({ apiKey: KEY, baseUrl });
  return createOpenAiEmbeddings({ provider: 'local', model: 'embed-1', dimensions: 3, endpoint });
}

const { signal } = new AbortController();
const listOf = (data: unknown[]): [number, string] => [200, JSON.stringify({ object: 'list', data })];

test('returns a vector for each text', async () => {
  const server = await startFakeModel(new Script(), { embed: (text) => [text.length, 0, 1] });
  onTestFinished(() => server.close());
  const embeddings = embeddingsAt(`${server.url}/v1`);
  expect(embeddings).toMatchObject({ name: 'local/embed-1', dimensions: 3 });
  expect(await embeddings.embed(['a', 'abc'], signal)).toEqual([
    new Float32Array([1, 0, 1]),
    new Float32Array([3, 0, 1]),
  ]);
});

test('sends many texts in batches, and restores the order of vectors', async () => {
  const [embeddings, asked] = await answering(({ input }) =>
    listOf(input.map((text, index) => ({ index, embedding: [Number(text), 1, 1] })).reverse()),
  );
  const texts = Array.from({ length: 130 }, (_, index) => String(index));
  const vectors = await embeddings.embed(texts, signal);
  expect(vectors.map(([first]) => first)).toEqual(texts.map(Number));
  expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 2]);
});

test.for<[string, [number, string], RegExp]>([
  ['another length', listOf([{ index: 0, embedding: [1, 2] }]), /gives vectors of 2 numbers, not 3: correct/],
  ['fewer vectors', listOf([]), /did not give a vector for each of 1 texts/],
  ['words for numbers', listOf([{ index: 0, embedding: ['a', 'b', 'c'] }]), /did not give a vector for each/],
  ['a page', [200, '<html>'], /did not answer as a server of embeddings does/],
  ['no such path', [404, '{"detail":"Not Found"}'], /has no server of embeddings at this address/],
  [
    'a key in the reason',
    [400, JSON.stringify({ error: { message: `no ${KEY}` } })],
    /refused the request: "no …" Correct what it names, then try again\.$/,
  ],
])('fails with an error that names the cause: %s', async ([, answer, words]) => {
  const [embeddings] = await answering(() => answer);
  await expect(embeddings.embed(['a'], signal)).rejects.toThrow(words);
});

test('an abort ends the request with the reason of the signal', async () => {
  const [embeddings, asked] = await answering(() => listOf([]));
  const reason = new Error('enough');
  await expect(embeddings.embed(['a'], AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(asked).toEqual([]);
  const stop = new AbortController();
  const [slow] = await answering(() => (stop.abort(reason), [200, '{}']));
  await expect(slow.embed(['a'], stop.signal)).rejects.toBe(reason);
});
