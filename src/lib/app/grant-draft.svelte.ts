/** The form in which a person allows something for more than one call. */
import type { GrantOffer, GrantScope, GrantRequest } from '#contract/permission.ts';

export class GrantDraft {
  readonly offer: GrantOffer;
  open = $state(false);
  scope: GrantScope = $state('workflow');
  pattern = $state('');
  /** Null or undefined: no end. */
  minutes: number | null | undefined = $state(null);
  calls: number | null | undefined = $state(null);

  constructor(offer: GrantOffer) {
    this.offer = offer;
    this.scope = offer.scopes[0] ?? 'workflow';
    this.pattern = offer.pattern;
  }

  wish(): GrantRequest {
    const { scope, pattern, minutes, calls } = this;
    return {
      scope,
      pattern,
      ...(typeof minutes === 'number' ? { minutes } : {}),
      ...(typeof calls === 'number' ? { calls } : {}),
    };
  }
}
