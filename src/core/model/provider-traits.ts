/** What the scripted provider and the real ones differ in: callers ask for a field, never for a name. */
import { PROVIDER_CONCURRENCY } from '#contract/limits.ts';
import { DEMO } from '#contract/providers/demo.ts';

interface ProviderTraits {
  /** Answers from a script instead of a model: offline, free, without a key, and labelled so wherever it shows. */
  readonly isScripted: boolean;
  /** Of the tools that write those that its lead may be given, and its sub-agents none; null: all of both. */
  readonly leadWrites: readonly string[] | null;
  /** The id and alias of its one model, and the version of its price; null where the settings name the models. */
  readonly onlyModel: string | null;
}

const REAL: ProviderTraits = { isScripted: false, leadWrites: null, onlyModel: null };
const SCRIPTED: ProviderTraits = { isScripted: true, leadWrites: ['write_file'], onlyModel: DEMO };

/** Concurrent requests of sub-agents at the scripted provider. */
export const SCRIPTED_CONCURRENCY = PROVIDER_CONCURRENCY.anthropic;

/** What a provider is like, by its name. */
export function providerTraits(name: string): ProviderTraits {
  return name === DEMO ? SCRIPTED : REAL;
}

/** Whether a model id is that of the scripted provider, whose requests cost nothing. */
export function isScriptedModel(model: string): boolean {
  return model === SCRIPTED.onlyModel;
}
