/** Looks for model servers on the usual ports of this machine, or at an address; nothing that it sends is work for a model. */
import { z } from 'zod';
import type { Output } from '#contract/rpc.ts';
import type { ServedType } from '#contract/providers/provider.ts';
import { fetchFor } from '../../base/outgoing.ts';
import { boundedJson, ModelList } from '../model-lists.ts';

export interface KnownPort {
  port: number;
  /** The server that uses this port by default. */
  name: string;
}

const KNOWN_PORTS: readonly KnownPort[] = [
  { port: 11434, name: 'Ollama' },
  { port: 1234, name: 'LM Studio' },
  { port: 8080, name: 'llama.cpp' },
  { port: 8000, name: 'vLLM' },
  { port: 4000, name: 'LiteLLM' },
  { port: 1337, name: 'Jan' },
  { port: 30000, name: 'SGLang' },
];
/** Names of servers by the `owned_by` of their models. */
const OWNERS: Readonly<Record<string, string>> = {
  library: 'Ollama',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
  sglang: 'SGLang',
};
/** How long a server has to answer, in milliseconds: one of this machine, and another. */
const PATIENCE_MS = { local: 700, other: 5000 };

/** A server that wants a key says so in the form that these servers share. */
const KeyWanted = z.object({ error: z.object({ message: z.string(), type: z.string() }) });

/** Where each protocol is spoken, in the order in which they are proposed; `under`: its base URL below the server's own. */
const DOORS: readonly { type: ServedType; under: string; path: string }[] = [
  { type: 'openai-chat', under: '/v1', path: '/chat/completions' },
  { type: 'anthropic', under: '', path: '/v1/messages' },
  { type: 'openai-responses', under: '/v1', path: '/responses' },
];
/** What a door answers to a request without a model and a message, where it is one. */
const REFUSALS: readonly number[] = [400, 401, 403, 422];

type Found = Output<'provider.detect'>[number];

/** The model servers that answer at these ports, in their order; never rejects. */
export async function detectServers(
  signal: AbortSignal,
  places: readonly KnownPort[] = KNOWN_PORTS,
  patienceMs = PATIENCE_MS.local,
): Promise<Found[]> {
  const found = await Promise.all(
    places.map(({ port, name }) => probe(`http://127.0.0.1:${port}`, name, signal, patienceMs)),
  );
  return found.filter((server) => server !== null);
}

/** The model server at an address, with or without the `/v1` at its end; null where there is none. Never rejects. */
export function detectAt(baseUrl: string, signal: AbortSignal): Promise<Found | null> {
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  return probe(root, new URL(root).host, signal, PATIENCE_MS.other);
}

/** Null where nothing answers, or where the answer is not that of a model server. */
async function probe(root: string, name: string, signal: AbortSignal, patienceMs: number): Promise<Found | null> {
  const until = () => AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  try {
    const response = await fetchFor('model')(`${root}/v1/models`, { redirect: 'error', signal: until() });
    const answer = await boundedJson(response);
    const list = ModelList.safeParse(answer);
    const wantsKey = (response.status === 401 || response.status === 403) && KeyWanted.safeParse(answer).success;
    const models = response.ok && list.success ? list.data.data : null;
    if (models === null && !wantsKey) return null;
    const open = await Promise.all(DOORS.map(({ under, path }) => isDoor(`${root}${under}${path}`, until())));
    const speaks = DOORS.filter((_, index) => open[index]).map(({ type, under }) => ({ type, baseUrl: root + under }));
    if (speaks.length === 0) return null;
    return {
      name: OWNERS[models?.[0]?.owned_by ?? ''] ?? name,
      speaks,
      models: (models ?? []).map(({ id }) => id),
    };
  } catch {
    return null;
  }
}

/** Sends what no model is asked for, because it names none and says nothing. */
async function isDoor(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetchFor('model')(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: '{}',
      redirect: 'error',
      signal,
    });
    await response.body?.cancel();
    return REFUSALS.includes(response.status);
  } catch {
    return false;
  }
}
