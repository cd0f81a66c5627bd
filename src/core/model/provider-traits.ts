/** The table of model providers and what they differ in: callers ask for a field, never for a name. */
import { PROVIDER_CONCURRENCY } from '#contract/limits.ts';
import type { AppState } from '#contract/app-state.ts';

interface ProviderTraits {
  /** Answers from a script instead of a model: offline, free, without a key, and labelled so wherever it shows. */
  readonly isScripted: boolean;
  /** Of the tools that write those that its lead may be given, and its sub-agents none; null: all of both. */
  readonly leadWrites: readonly string[] | null;
  /** The id and alias of its one model; null where the settings name the models. */
  readonly onlyModel: string | null;
  /** Concurrent requests of sub-agents, where the settings say nothing else. */
  readonly concurrency: number;
}

const ANTHROPIC: ProviderTraits = {
  isScripted: false,
  leadWrites: null,
  onlyModel: null,
  concurrency: PROVIDER_CONCURRENCY.anthropic,
};

/** The scripted provider: its name is also the id of its one model and the version of its price. */
export const DEMO = 'demo' satisfies AppState['provider']['kind'];

const PROVIDERS = {
  anthropic: ANTHROPIC,
  [DEMO]: {
    isScripted: true,
    leadWrites: ['write_file'],
    onlyModel: DEMO,
    concurrency: PROVIDER_CONCURRENCY.anthropic,
  },
} satisfies Record<AppState['provider']['kind'], ProviderTraits>;

const BY_NAME: ReadonlyMap<string, ProviderTraits> = new Map(Object.entries(PROVIDERS));

/** What a provider is like, by its name; one that is not in the table is taken for a real one. */
export function providerTraits(name: string): ProviderTraits {
  return BY_NAME.get(name) ?? ANTHROPIC;
}

/** Whether a model id is that of a scripted provider, whose requests cost nothing. */
export function isScriptedModel(model: string): boolean {
  return [...BY_NAME.values()].some(({ isScripted, onlyModel }) => isScripted && onlyModel === model);
}
