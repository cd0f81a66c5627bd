/** What the state of a file in the look at a workspace means. */
import type { TrustItem } from '#contract/trust.ts';

/** Whether the file has no effect until a person trusts it: it is new, or differs from what was trusted. */
export function needsTrust({ state }: TrustItem): boolean {
  return state === 'new' || state === 'changed';
}
