/** What the settings and a model allow an agent at most, whoever starts it, and what that cuts of what it asks for. */
import type { CutLimit, Fault } from '#contract/agent.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { maxOutputOf } from '../model/output-limits.ts';
import { resolveModel } from '../model/model-names.ts';
import type { Settings } from '../settings/settings.ts';
import { fault, type Position } from './entries.ts';

export type Ceilings = Pick<Settings, 'limits' | 'models'>;

type Limits = Record<CutLimit['limit'], number>;

/** `maxOutput`: most tokens of one answer of the model; null where nothing is known of it. */
export function ceilingsOf(maxOutput: number | null, { max_iterations_ceiling }: Settings['limits']): Limits {
  return { maxIterations: max_iterations_ceiling, maxTokens: maxOutput ?? Infinity };
}

/** What is had of what was wanted, and what was cut. */
export function within(wanted: Limits, most: Limits): Limits & { cut: CutLimit[] } {
  const cut = (['maxIterations', 'maxTokens'] as const)
    .filter((limit) => wanted[limit] > most[limit])
    .map((limit) => ({ limit, wanted: wanted[limit], most: most[limit] }));
  const of = (limit: CutLimit['limit']): number => Math.min(wanted[limit], most[limit]);
  return { maxIterations: of('maxIterations'), maxTokens: of('maxTokens'), cut };
}

/** A warning for each limit of a file that will be cut. Where it names no model, the default one stands for its lead's. */
export function cutWarnings(
  wanted: { model: string | null; maxIterations: number | null; maxTokens: number | null },
  { limits, models }: Ceilings,
  placeOf: (limit: CutLimit['limit']) => { key: string; at: Position },
): Fault[] {
  let model: string;
  try {
    model = resolveModel(wanted.model ?? models.default, models.aliases);
  } catch {
    // A name that is no model has a warning of its own.
    model = '';
  }
  const { maxIterations, maxTokens } = wanted;
  const { cut } = within(
    { maxIterations: maxIterations ?? 0, maxTokens: maxTokens ?? 0 },
    ceilingsOf(maxOutputOf(model), limits),
  );
  return cut.map((one) => {
    const { key, at } = placeOf(one.limit);
    return fault(at, [phrase('value', { key, item: null }), phrase('cut', { ...one, model })], { key });
  });
}
