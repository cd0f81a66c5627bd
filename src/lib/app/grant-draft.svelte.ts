/** What a person wishes to allow for more than once, as it stands in the form. */
import type { GrantOffer, GrantRequest, GrantScope } from '#contract/permission.ts';

export class GrantDraft {
  readonly offer: GrantOffer;
  open = $state(false);
  scope: GrantScope = $state('workflow');
  pattern = $state('');
  /** Null: no end. */
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
