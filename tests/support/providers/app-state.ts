/** What a client is told of providers, with only what matters to a test written out. */
import type { AppState } from '#contract/app-state.ts';
import type { ProviderState } from '#contract/providers/provider.ts';

export const providerState = (parts: Partial<ProviderState> = {}): ProviderState => ({
  name: 'anthropic',
  type: 'anthropic',
  active: true,
  builtin: true,
  ready: true,
  keySource: 'environment',
  keyEnv: 'ANTHROPIC_API_KEY',
  keyElsewhere: null,
  baseUrl: null,
  baseUrlSource: 'default',
  address: parts.baseUrl ?? 'https://api.anthropic.com',
  models: [],
  defaultModel: 'sonnet',
  isLocal: false,
  maxConcurrent: 3,
  ...parts,
});

/** `providers`: the active one, and others. */
export const appStateOf = ({
  providers: [provider = providerState(), ...others] = [],
  ...parts
}: Partial<AppState> = {}): AppState => ({
  version: '1.2.3',
  folder: '/',
  settingsFile: '/config.toml',
  provider,
  providers: [provider, ...others],
  secrets: { backend: 'nowhere', warning: null },
  tools: [],
  maxSubAgents: 3,
  ...parts,
});
