/** The models that a message can ask, and what is known of each. */
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { ProviderState } from '#contract/providers/provider.ts';
import { tokens } from '#lib/view/format.ts';
import { text } from '#lib/words/text.ts';

type Known = ProviderState['models'][number];
/** A model of a provider; where it is not in its list nothing but its name is known. */
export type Asked = { provider: string; model: string } & Partial<Omit<Known, 'alias'>>;
type Of = { provider?: string | null | undefined; model?: string | null | undefined };

/** What is asked where `of` says only part of it; null where no model is named anywhere. */
export function askedModel(providers: readonly ProviderState[], of: Of): Asked | null {
  const place = providers.find((one) => (of.provider ? one.name === of.provider : one.active));
  const model = of.model ?? place?.defaultModel ?? null;
  if (model === null) return null;
  const { alias, ...known } = place?.models.find((one) => one.alias === model || one.id === model) ?? { alias: model };
  return { provider: of.provider ?? place?.name ?? '', model: alias, ...known };
}

/** Providers that can be asked; none while the demo answers, which has one model, and is never mixed with others. */
export function askable(providers: readonly ProviderState[]): ProviderState[] {
  if (providers.some(({ active, type }) => active && type === 'demo')) return [];
  return providers.filter(({ ready, models, type }) => ready && models.length > 0 && type !== 'demo');
}

/** `sonnet · reads 1M · no pictures` */
export function modelLine({ alias, window, vision }: Known): string {
  const words = text.composer;
  const facts = [window === null ? null : words.window(tokens(window)), seeing(vision)];
  return [alias, ...facts.filter((fact) => fact !== null)].join(' · ');
}

function seeing(vision: boolean | null): string | null {
  if (vision === null) return null;
  return vision ? text.composer.sees : text.composer.blind;
}

/** As the value of a field. */
export const keyOf = ({ provider = '', model = '' }: LeadChoice): string => JSON.stringify([provider, model]);

export function choiceOf(key: string): LeadChoice {
  if (key === '') return {};
  const [provider, model] = JSON.parse(key) as [string, string];
  return { provider, model };
}
