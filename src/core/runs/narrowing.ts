/** A child may only narrow what its parent has, whoever asks for more. */
import type { Envelope } from '#contract/agent.ts';
import { TriadError } from '../base/errors.ts';
import { RUN_LIMITS } from '../budget/limits.ts';

const MODES = ['manual', 'selective', 'auto'] as const;

/** Throws `not_allowed` where limits, output tokens or approval mode go beyond the parent's. */
export function checkNarrower({ limits, maxTokens, approvalMode }: Envelope, parent: Envelope): void {
  if (maxTokens > parent.maxTokens) {
    throw new TriadError('not_allowed', `maxTokens cannot be more than the lead's (${parent.maxTokens})`);
  }
  for (const limit of ['maxIterations', 'inactivityMs'] as const) {
    if (limits[limit] > parent.limits[limit]) {
      throw new TriadError('not_allowed', `${limit} cannot be more than the lead's (${parent.limits[limit]})`);
    }
  }
  for (const limit of RUN_LIMITS) {
    const most = parent.limits.budget?.[limit];
    if (most !== undefined && (limits.budget?.[limit] ?? Infinity) > most) {
      throw new TriadError('not_allowed', `limits.budget.${limit} cannot be more than the lead's (${most})`);
    }
  }
  if (MODES.indexOf(approvalMode) > MODES.indexOf(parent.approvalMode)) {
    throw new TriadError('not_allowed', `approvalMode cannot be wider than the lead's (${parent.approvalMode})`);
  }
}
