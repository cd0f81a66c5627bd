/** Where a provider is and what it speaks, from the settings and the environment. */
import { PROVIDER_CONCURRENCY } from '#contract/limits.ts';
import type { ProviderState, ServedType } from '#contract/providers/provider.ts';
import type { Environment } from '../../base/child-environment.ts';
import { TriadError } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import { type ProviderEntry, providerEntry, providerNames } from '../../settings/provider-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { addressOf } from '../kept-key.ts';

/** What the environment says wins over what was set. */
export interface ProviderEnvironment {
  /** Key and address of the provider `anthropic`. */
  apiKey?: string | undefined;
  baseUrl: string | undefined;
  /** All variables, for the keys and addresses of the others; left out: there are none. */
  programs?: Environment | undefined;
}

export interface Place {
  name: string;
  type: ServedType;
  entry: ProviderEntry;
  /** Null for the vendor's own. */
  baseUrl: string | null;
  baseUrlSource: ProviderState['baseUrlSource'];
  /** Where requests go. */
  address: string;
  /** A server on this machine to which the settings point: it needs no key and does one thing at a time. */
  isLocal: boolean;
  /** The variable that may hold its key, and the key in it. */
  keyEnv: string | null;
  envKey: string | undefined;
}

const VENDORS: Readonly<Record<ServedType, string>> = {
  anthropic: 'https://api.anthropic.com',
  'openai-chat': 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
};

/** Variables of the providers that come with the program. */
const VARIABLES: Readonly<Record<string, { key: string; baseUrl: string }>> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
};

/** The address of a base URL, or of the vendor where there is none. */
export const addressAt = (baseUrl: string | null, type: ServedType): string => addressOf(baseUrl ?? VENDORS[type]);

/** Throws `bad_input` for a name that no provider has, with those that there are and how one is added. */
export function placeOf(name: string, settings: Pick<Settings, 'providers'>, environment: ProviderEnvironment): Place {
  const entry = providerEntry(settings.providers, name);
  if (entry === null) {
    const known = providerNames(settings.providers).join(', ');
    throw new TriadError(
      'bad_input',
      `There is no provider "${name}", but ${known}: add it in the settings of the app, or as a table [providers.${name}] ("triad config edit")`,
    );
  }
  const variables = VARIABLES[name];
  const fromEnvironment = variables && variableOf(environment, variables.baseUrl);
  const baseUrl = fromEnvironment ?? entry.base_url;
  const own = typeof entry.auth?.api_key === 'object' ? entry.auth.api_key.env : null;
  const keyEnv = own ?? variables?.key ?? null;
  return {
    name,
    type: entry.type,
    entry,
    baseUrl,
    baseUrlSource: fromEnvironment ? 'environment' : entry.base_url === null ? 'default' : 'file',
    address: addressAt(baseUrl, entry.type),
    isLocal: !fromEnvironment && entry.base_url !== null && isLoopback(entry.base_url),
    keyEnv,
    envKey: keyEnv === null ? undefined : variableOf(environment, keyEnv),
  };
}

/** How many requests of sub-agents may be on their way at once. */
export function concurrencyAt({ entry, isLocal, type }: Place): number {
  if (entry.max_concurrent !== null) return entry.max_concurrent;
  if (isLocal) return PROVIDER_CONCURRENCY.local;
  return type === 'anthropic' ? PROVIDER_CONCURRENCY.anthropic : PROVIDER_CONCURRENCY.openai;
}

/** What is said of how to set the variables of its address. */
export const addressVariable = (name: string): string | null => VARIABLES[name]?.baseUrl ?? null;

/** An empty one counts as not set. */
function variableOf({ apiKey, baseUrl, programs = {} }: ProviderEnvironment, name: string): string | undefined {
  if (name === 'ANTHROPIC_API_KEY') return apiKey || undefined;
  if (name === 'ANTHROPIC_BASE_URL') return baseUrl || undefined;
  return programs[name] || undefined;
}
