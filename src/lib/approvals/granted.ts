/** What a yes for more than once leaves on the screen: a word of it, and the way back. */
import type { GrantOffer, GrantRequest } from '#contract/permission.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { failureText } from '#lib/words/request-error.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text } from '#lib/words/text.ts';

/** `approvalId`: of the question that it was given with. */
export function tellGrant(
  { connection, toasts }: { connection: Pick<Connection, 'request'>; toasts: Toasts },
  approvalId: string,
  { offer: { agent, tool }, wish: { pattern, scope } }: { offer: GrantOffer; wish: GrantRequest },
): void {
  const revoke = async (): Promise<void> => {
    const { grants } = await connection.request('permissions.list', {});
    const grant = grants.find((one) => one.approvalId === approvalId);
    // It may have ended meanwhile.
    if (grant) await connection.request('permissions.revoke', { grantId: grant.id });
    toasts.info(text.permissions.revoked(agent, tool, pattern));
  };
  const sentence = text.permissions.grantSentence({ agent, tool, pattern });
  toasts.offer(text.grant.given(sentence, text.grant.scopes[scope]), text.rules.undo, () => {
    revoke().catch((error: unknown) => toasts.error(failureText(error)));
  });
}
