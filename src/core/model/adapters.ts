/** Which file speaks which protocol; each is loaded when a provider of its type is first used. */
import type { Capabilities, ServedType } from '#contract/providers/provider.ts';
import type { Model } from './model.ts';

/** Everything that an adapter needs to talk to a provider. */
export interface ModelEndpoint {
  /** Of the provider; its models go by it. */
  name: string;
  type: ServedType;
  apiKey: string;
  /** Null for the vendor's own address. */
  baseUrl: string | null;
  /** What is known of a model there. */
  capabilities?: (model: string) => Capabilities;
}

export type CreateModel = (endpoint: ModelEndpoint) => Model | Promise<Model>;

const openAi =
  (api: 'chat' | 'responses'): CreateModel =>
  async (endpoint) =>
    (await import('./openai/openai.ts')).createOpenAiModel({ ...endpoint, api });

const ADAPTERS: Readonly<Record<ServedType, CreateModel>> = {
  anthropic: async (endpoint) => (await import('./anthropic.ts')).createAnthropicModel(endpoint),
  'openai-chat': openAi('chat'),
  'openai-responses': openAi('responses'),
};

export const createModel: CreateModel = (endpoint) => ADAPTERS[endpoint.type](endpoint);

/** Loads what requests of a type need ahead of the first one; nothing where there is none. */
export async function preloadAdapter(type: ServedType | undefined): Promise<void> {
  if (type === 'anthropic') await (await import('./anthropic.ts')).preloadAnthropic();
  else if (type !== undefined) await (await import('./openai/client.ts')).preloadOpenAi();
}
