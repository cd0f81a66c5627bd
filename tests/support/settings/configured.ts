/** The runtime of a program that starts with the files of a configuration folder: its settings, keys, trust and agents. */
import { onTestFinished } from 'vitest';
import { Trust } from '#core/agents/trust.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { loadSettings } from '#core/settings/settings.ts';
import { builtinAgents, type Composition, composeRuntime } from '../compose.ts';
import type { Harness } from '../engine.ts';
import { memoryStore } from '../stores/pooled.ts';

/** `environment`: key and base URL of the environment; default: it has none. `warn` gets the faults of agent files. */
export async function startConfigured(
  folder: string,
  environment: Partial<NonNullable<Composition['environment']>> = {},
  warn?: (line: string) => void,
): Promise<Harness['runtime']> {
  const runtime = await composeRuntime({
    store: await memoryStore(),
    folder,
    agents: builtinAgents(new Trust(folder), folder, warn),
    settings: await loadSettings(folder),
    // The environment replaces it.
    url: '',
    environment: { apiKey: undefined, baseUrl: undefined, ...environment },
    secrets: fileSecrets(folder),
  });
  onTestFinished(() => runtime.close());
  return runtime;
}
