/** The composition of the program on this machine: settings, agents, prices and provider, to be joined with the store. */
import { join } from 'node:path';
import { loadBuiltins, loadFolder } from '../agents/load.ts';
import { AgentRegistry } from '../agents/registry.ts';
import type { TriadError } from '../errors.ts';
import { LiveSettings } from '../live-settings.ts';
import { createAnthropicModel } from '../model/anthropic.ts';
import { builtinPrices, priceOf } from '../model/prices.ts';
import { Provider } from '../provider.ts';
import { createRuntime, type Runtime } from '../runtime.ts';
import { loadSettings } from '../settings.ts';
import type { Store } from '../store/store.ts';
import { allTools } from '../tools/all.ts';
import type { HostingOptions } from './options.ts';

/** Everything that does not need the store; what it resolves with joins the two. */
export async function composeRuntime(
  { folders: { config }, secrets, environment, version, folder, warn }: HostingOptions,
  onFailure: (error: TriadError) => void,
): Promise<(store: Store) => Promise<Runtime>> {
  const [initial, registry, prices] = await Promise.all([
    loadSettings(config),
    loadAgents(config, warn),
    builtinPrices(),
  ]);
  const settings = new LiveSettings(config, initial);
  const provider = new Provider({
    ...{ settings, secrets, createModel: createAnthropicModel },
    environment: { apiKey: environment.apiKey, baseUrl: environment.baseUrl },
  });
  return (store) =>
    createRuntime({
      ...{ version, store, provider, registry, settings, folder, onFailure },
      tools: allTools(),
      price: (model, usage) => priceOf(prices, model, usage),
    });
}

/** Built-in agents, then the person's own, which may replace them. */
async function loadAgents(config: string, warn: (line: string) => void): Promise<AgentRegistry> {
  const [builtin, own] = await Promise.all([loadBuiltins(), loadFolder(join(config, 'agents'), 'user')]);
  for (const line of [...builtin.warnings, ...own.warnings]) warn(line);
  const registry = new AgentRegistry();
  for (const definition of [...builtin.definitions, ...own.definitions]) registry.register(definition);
  return registry;
}
