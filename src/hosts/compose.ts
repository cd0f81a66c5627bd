/** The composition root of the Node hosts: environment → folders → ownership → store → runtime. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#contract/rpc.ts';
import { loadBuiltins, loadFolder } from '#core/agents/load.ts';
import { AgentRegistry } from '#core/agents/registry.ts';
import type { TriadError } from '#core/errors.ts';
import { folders } from '#core/folders.ts';
import { createAnthropicModel, preloadAnthropic } from '#core/model/anthropic.ts';
import { builtinPrices, priceOf } from '#core/model/prices.ts';
import { claimOwnership } from '#core/ownership.ts';
import { Provider } from '#core/provider.ts';
import { createRuntime, type Runtime } from '#core/runtime.ts';
import { fileSecrets } from '#core/secrets.ts';
import { loadSettings } from '#core/settings.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { allTools } from '#core/tools/all.ts';
import { newSecret } from './http/session.ts';
import { ownVersion } from './version.ts';

export interface OpenOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of new conversations that name none. */
  cwd: string;
  signal: AbortSignal;
  /** Gets a line for each thing that is wrong but stops nothing, such as an agent's file that does not fit. */
  warn: (line: string) => void;
  /** Whether model requests are likely: then what they need is loaded ahead. */
  works: boolean;
}

const BROWSER_SECRET = 'browser.session';

/** By then the engine of the store opens in a thread of its own, and this one is free. */
const STORE_STARTS_MS = 15;

export interface OpenedRuntime {
  runtime: Client;
  /** Aborts with an error when the history can no longer be written: all work was stopped. */
  failed: AbortSignal;
  /** Of the browsers that were let in; made once and kept with the keys. */
  browserSecret: () => Promise<string>;
  /** Stops what runs, closes the store and gives the data folder up. */
  close: () => Promise<void>;
}

/** A desktop shell composes the same runtime from the same parts, with secrets and folders of its own. */
export async function openRuntime(options: OpenOptions): Promise<OpenedRuntime> {
  const { env, signal } = options;
  const { config, data } = await folders(env);
  const failure = new AbortController();
  const compose = prepare(options, config, (error) => failure.abort(error));
  // Awaited below; until then nobody else would listen to its failure.
  compose.catch(() => undefined);
  const ownership = await claimOwnership(data, { signal });
  try {
    const opening = openStore({ url: env['TRIAD_STORE'] || `rocksdb://${join(data, 'store')}`, signal });
    // Loading the SDK takes as long as opening the store: both go on at once. A failure shows at the first request.
    if (options.works)
      sleep(STORE_STARTS_MS, undefined, { ref: false })
        .then(preloadAnthropic, () => undefined)
        .catch(() => undefined);
    const store = await opening;
    const runtime = await (await compose)(store);
    const close = async () => {
      try {
        await runtime.close();
      } finally {
        await ownership.release();
      }
    };
    return { runtime, failed: failure.signal, browserSecret: () => browserSecret(config), close };
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

async function browserSecret(config: string): Promise<string> {
  const secrets = fileSecrets(config);
  const known = await secrets.get(BROWSER_SECRET);
  if (known !== null) return known;
  const fresh = newSecret();
  await secrets.set(BROWSER_SECRET, fresh);
  return fresh;
}

/** Everything that does not need the store, ready to be joined with it. */
async function prepare(
  { env, cwd, warn }: OpenOptions,
  config: string,
  onFailure: (error: TriadError) => void,
): Promise<(store: Store) => Promise<Runtime>> {
  const [settings, registry, prices, version] = await Promise.all([
    loadSettings(config),
    loadAgents(config, warn),
    builtinPrices(),
    ownVersion(),
  ]);
  const provider = new Provider({
    ...{ settings, configFolder: config, secrets: fileSecrets(config), createModel: createAnthropicModel },
    // An empty variable is one that is not set.
    environment: {
      apiKey: env['ANTHROPIC_API_KEY'] || undefined,
      baseUrl: env['ANTHROPIC_BASE_URL'] || undefined,
    },
  });
  return (store) =>
    createRuntime({
      ...{ version, store, provider, registry, settings, folder: cwd, onFailure },
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
