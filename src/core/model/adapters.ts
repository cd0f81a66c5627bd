/** Which file speaks which protocol; each is loaded when a provider of its type is first used. */
import type { Capabilities, ServedType } from '#contract/providers/provider.ts';
import { NO_KEY } from './kept-key.ts';
import type { Model } from './model.ts';

/** Everything that an adapter needs to talk to a provider. */
export interface ModelEndpoint {
  /** Of the provider; its models go by it. */
  name: string;
  type: ServedType;
  /** Null: a server of this machine, which wants none. */
  apiKey: string | null;
  /** Null for the vendor's own address. */
  baseUrl: string | null;
  /** What is known of a model there. */
  capabilities?: (model: string) => Capabilities;
}

export type CreateModel = (endpoint: ModelEndpoint) => Model | Promise<Model>;

const ADAPTERS: Record<ServedType, CreateModel> = {
  anthropic: async ({ name, baseUrl, apiKey }) =>
    (await import('./anthropic.ts')).createAnthropicModel({ name, baseUrl, apiKey: apiKey ?? NO_KEY }),
  'openai-chat': (endpoint) => createOpenAi('chat', endpoint),
  'openai-responses': (endpoint) => createOpenAi('responses', endpoint),
};

async function createOpenAi(api: 'chat' | 'responses', { type: _, ...endpoint }: ModelEndpoint): Promise<Model> {
  return (await import('./openai/openai.ts')).createOpenAiModel({ api, ...endpoint });
}

/** Makes the model of a provider. */
export const createModel: CreateModel = (endpoint) => ADAPTERS[endpoint.type](endpoint);

/** Loads what requests of a type need ahead of the first one; nothing where there is none. */
export async function preloadAdapter(type: ServedType | undefined): Promise<void> {
  if (type === 'anthropic') await (await import('./anthropic.ts')).preloadAnthropic();
  else if (type !== undefined) await (await import('./openai/client.ts')).preloadOpenAi();
}
