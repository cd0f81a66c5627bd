/** Looks for model servers on the usual ports of this machine; only asks for their lists of models. */
import { z } from 'zod';
import type { Output } from '#contract/rpc.ts';
import { boundedJson, ModelList } from './model-lists.ts';

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
/** How long a server of this machine has to answer, in milliseconds. */
const PATIENCE_MS = 700;

/** A server that wants a key says so in the form that these servers share. */
const KeyWanted = z.object({ error: z.object({ message: z.string(), type: z.string() }) });

type Found = Output<'provider.detect'>[number];

/** The model servers that answer at these ports, in their order; never rejects. */
export async function detectServers(signal: AbortSignal, places: readonly KnownPort[] = KNOWN_PORTS): Promise<Found[]> {
  const found = await Promise.all(places.map((place) => probe(place, signal)));
  return found.filter((server) => server !== null);
}

/** Null where nothing answers, or where the answer is not that of a model server. */
async function probe({ port, name }: KnownPort, signal: AbortSignal): Promise<Found | null> {
  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    const response = await fetch(`${baseUrl}/v1/models`, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    const answer = await boundedJson(response);
    if (response.status === 401 || response.status === 403)
      return KeyWanted.safeParse(answer).success ? { name, baseUrl, models: [] } : null;
    const list = ModelList.safeParse(answer);
    if (!response.ok || !list.success) return null;
    const { data } = list.data;
    return { name: OWNERS[data[0]?.owned_by ?? ''] ?? name, baseUrl, models: data.map(({ id }) => id) };
  } catch {
    return null;
  }
}
