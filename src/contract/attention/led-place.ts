/** Where a press on a notification of the desktop, or a link, leads its window: the end of an address, which loads no page anew. Pure. */

/** `approvalId`: the question; null for the conversation alone. `workflowId`: one in the history. */
export type LedPlace = { conversationId: string; approvalId: string | null } | { workflowId: string };

export function hashOfPlace(place: LedPlace): string {
  if ('workflowId' in place) return `#workflow=${place.workflowId}`;
  const { conversationId, approvalId } = place;
  return `#see=${conversationId}${approvalId === null ? '' : `/${approvalId}`}`;
}

/** Null for any other end of an address. */
export function placeOfHash(hash: string): LedPlace | null {
  const [, workflowId] = /^#workflow=([\w-]+)$/.exec(hash) ?? [];
  if (workflowId !== undefined) return { workflowId };
  const [, conversationId, approvalId = null] = /^#see=([\w-]+)(?:\/([\w-]+))?$/.exec(hash) ?? [];
  return conversationId === undefined ? null : { conversationId, approvalId };
}
