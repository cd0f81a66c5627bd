/** The bounds of a child: none beyond its parent's, whoever asks for it. */
import type { Envelope } from '#contract/agent.ts';
import { TriadError } from '../base/errors.ts';

const MODES = ['manual', 'selective', 'auto'] as const;
type RunBudget = NonNullable<Envelope['limits']['budget']>;
export const BOUNDS = ['tokens', 'costUsd', 'minutes'] as const satisfies readonly (keyof RunBudget)[];

/** Limits, output and approval mode of a child never go beyond its parent's. */
export function checkNarrower({ limits, maxTokens, approvalMode }: Envelope, parent: Envelope): void {
  if (maxTokens > parent.maxTokens) {
    throw new TriadError('not_allowed', `maxTokens cannot be more than the lead's (${parent.maxTokens})`);
  }
  for (const limit of ['maxIterations', 'inactivityMs'] as const) {
    if (limits[limit] > parent.limits[limit]) {
      throw new TriadError('not_allowed', `${limit} cannot be more than the lead's (${parent.limits[limit]})`);
    }
  }
  for (const bound of BOUNDS) {
    const most = parent.limits.budget?.[bound];
    if (most !== undefined && (limits.budget?.[bound] ?? Infinity) > most) {
      throw new TriadError('not_allowed', `limits.budget.${bound} cannot be more than the lead's (${most})`);
    }
  }
  if (MODES.indexOf(approvalMode) > MODES.indexOf(parent.approvalMode)) {
    throw new TriadError('not_allowed', `approvalMode cannot be wider than the lead's (${parent.approvalMode})`);
  }
}
