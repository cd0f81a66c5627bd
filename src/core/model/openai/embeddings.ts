/** Embeddings of an OpenAI-compatible endpoint. */
import type { Embeddings } from '../embeddings.ts';
import type { EndpointOptions } from '../endpoint.ts';
import { ModelError } from '../model.ts';
import { connectionError, type RequestTarget, strangeError } from '../request-failure.ts';
import { valueAt } from '../wire-values.ts';
import { connect, type Session } from './client.ts';
import { failureOf } from './failure.ts';

/** Texts of one request; more than this some servers refuse. */
const BATCH = 64;

export interface EmbeddingsOptions {
  /** Of the provider. */
  provider: string;
  model: string;
  /** How many numbers each vector has; an answer with others is an error. */
  dimensions: number;
  /** Where to ask, read anew for each question: address and key may change. Rejects with `no_key`. */
  endpoint: () => Promise<EndpointOptions>;
}

/** Rejects with a `ModelError`, which nobody repeats, or with the reason of the signal. */
export function createOpenAiEmbeddings({ provider, model, dimensions, endpoint }: EmbeddingsOptions): Embeddings {
  let made: { of: string; session: Promise<Session> } | null = null;
  const session = async (): Promise<Session> => {
    const now = await endpoint();
    const of = JSON.stringify([now.apiKey, now.baseUrl]);
    if (made?.of !== of) made = { of, session: connect(now) };
    return made.session;
  };
  return {
    name: `${provider}/${model}`,
    dimensions,
    async embed(texts, signal) {
      signal.throwIfAborted();
      const ready = await session();
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        vectors.push(...(await ask(ready, { model, dimensions, texts: texts.slice(from, from + BATCH) }, signal)));
      return vectors;
    },
  };
}

interface Question {
  model: string;
  dimensions: number;
  texts: readonly string[];
}

async function ask(
  { sdk, client, place, isOwn, hide }: Session,
  { model, dimensions, texts }: Question,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const target: RequestTarget = { ...place, api: 'server of embeddings', model };
  // Only the vendor's models can be asked for shorter vectors; others refuse the field.
  const length = isOwn ? { dimensions } : {};
  const body = { model, input: [...texts], encoding_format: 'float' as const, ...length };
  const answer: unknown = await client.embeddings.create(body, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ModelError) throw error;
    if (error instanceof SyntaxError) throw strangeError('of no JSON', target);
    throw failureOf(sdk, error, target, hide) ?? connectionError('stream', error, target);
  });
  return vectorsIn(answer, { model, dimensions, texts }, target);
}

/** One vector for each text, in their order, whatever the order of the answer. */
function vectorsIn(answer: unknown, { model, dimensions, texts }: Question, target: RequestTarget): Float32Array[] {
  const data = valueAt(answer, ['data']);
  if (!Array.isArray(data)) throw strangeError('of no list of vectors', target);
  const vectors = new Map<unknown, Float32Array>();
  for (const [place, one] of data.entries()) {
    const numbers = valueAt(one, ['embedding']);
    if (Array.isArray(numbers)) vectors.set(valueAt(one, ['index']) ?? place, Float32Array.from(numbers as number[]));
  }
  const found = texts.flatMap((_, index) => vectors.get(index) ?? []);
  const other = found.find((vector) => vector.length !== dimensions);
  if (other) {
    const message = `${model} at ${target.host} gives vectors of ${other.length} numbers, not ${dimensions}: correct embeddings.dimensions of the provider`;
    throw new ModelError('provider', message, { retryable: false });
  }
  if (found.length === texts.length && found.every((vector) => vector.every(Number.isFinite))) return found;
  const message = `${target.host} did not give a vector for each of ${texts.length} texts: check the model ${model}`;
  throw new ModelError('provider', message, { retryable: false });
}
