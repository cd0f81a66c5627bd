/** Which file speaks which protocol; each is loaded when a provider of its type is first used. */
import type { Capabilities, ServedType } from '#contract/providers/provider.ts';
import { TriadError } from '../base/errors.ts';
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

const ADAPTERS: Partial<Record<ServedType, CreateModel>> = {
  anthropic: async (endpoint) => (await import('./anthropic.ts')).createAnthropicModel(endpoint),
};

/** Throws `bad_input` for a type that this version does not speak. */
export const createModel: CreateModel = (endpoint) => {
  const create = ADAPTERS[endpoint.type];
  if (create) return create(endpoint);
  throw new TriadError('bad_input', `${endpoint.name} is of type ${endpoint.type}, which is not spoken here`);
};
