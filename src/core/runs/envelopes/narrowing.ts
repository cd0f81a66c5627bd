/** What an edit of the person may not go beyond: the mode of its lead, the bounds of the settings and of its model. */
import type { Envelope, Permission } from '#contract/agent.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import { ceilingsOf } from '#core/agents/ceilings.ts';
import { BASELINE } from '#core/agents/vocabulary.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { TriadError } from '#core/base/errors.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import type { Settings } from '#core/settings/settings.ts';
import { writes } from '#core/tools/tool.ts';

const MODES = ['manual', 'selective', 'auto'] as const;

/** The mode of the two that asks about more. */
export function narrowerMode(...of: readonly Pick<Envelope, 'approvalMode'>[]): Envelope['approvalMode'] {
  return MODES[Math.min(...of.map(({ approvalMode }) => MODES.indexOf(approvalMode)))] ?? 'manual';
}

/** Throws `not_allowed` where the approval mode is wider than the parent's. */
export function checkMode(
  { approvalMode }: Pick<Envelope, 'approvalMode'>,
  parent: Pick<Envelope, 'approvalMode'>,
): void {
  if (MODES.indexOf(approvalMode) > MODES.indexOf(parent.approvalMode)) {
    throw new TriadError('not_allowed', `approvalMode cannot be wider than the lead's (${parent.approvalMode})`);
  }
}

/**
 * Throws `not_allowed` where limits or output tokens go beyond what the settings and the model allow now. What was asked
 * for may stay: the settings may have been lowered since.
 */
export function checkCeilings(
  { limits, maxTokens, model }: Pick<Envelope, 'limits' | 'maxTokens' | 'model'>,
  asked: Pick<Envelope, 'limits'>,
  settings: Settings['limits'],
  { maxOutput }: Pick<Capabilities, 'maxOutput'>,
): void {
  const most = ceilingsOf(maxOutput, settings);
  if (maxTokens > most.maxTokens) {
    throw new TriadError('not_allowed', `maxTokens cannot be more than ${model} writes (${most.maxTokens})`);
  }
  const bounds = {
    maxIterations: { most: most.maxIterations, setting: 'limits.max_iterations_ceiling' },
    inactivityMs: { most: settings.inactivity_seconds * 1000, setting: 'limits.inactivity_seconds' },
  } as const;
  for (const limit of ['maxIterations', 'inactivityMs'] as const) {
    const { most: bound, setting } = bounds[limit];
    if (limits[limit] > Math.max(bound, asked.limits[limit])) {
      throw new TriadError('not_allowed', `${limit} cannot be more than ${setting} allows (${bound})`);
    }
  }
  // Minutes and cost of the settings are defaults, which the person may raise here as well as at the limit.
  const bound = settings.run.max_tokens ?? Infinity;
  const before = asked.limits.budget?.tokens ?? Infinity;
  if ((limits.budget?.tokens ?? Infinity) > Math.max(bound, before)) {
    throw new TriadError('not_allowed', `limits.budget.tokens cannot be more than limits.run allows (${bound})`);
  }
}

/** What is named and the parent lacks is refused; the baseline nobody lacks, and what the demo may not write is left out. */
export function checkPermissions(
  agent: string,
  named: readonly Permission[] | null,
  provider: string,
  has: readonly Permission[],
  whose: string,
): void {
  const available = [...new Set([...BASELINE, ...has])].sort();
  const isBounded = providerTraits(provider).leadWrites !== null;
  const missing = (named ?? []).filter(
    (permission) => !available.includes(permission) && !(isBounded && writes({ permissions: [permission] })),
  );
  if (missing.length === 0) return;
  throw new TriadError(
    'not_allowed',
    `${agent} asks for permissions that it cannot have: ${missing.join(', ')}. ${whose} has: ${available.join(', ')}`,
  );
}

/** Throws `bad_input` if one of the fields differs from the request. */
export function refuseChanged<T extends object>(value: T, asked: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    if (canonicalHash(value[field] ?? null) !== canonicalHash(asked[field] ?? null)) {
      throw new TriadError('bad_input', `${field} cannot be changed here`);
    }
  }
}
