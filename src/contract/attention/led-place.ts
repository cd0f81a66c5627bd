/** Where a press on a notification of the desktop leads its window: the end of an address, which loads no page anew. Pure. */

export interface LedPlace {
  conversationId: string;
  /** The question; null for the conversation alone. */
  approvalId: string | null;
}

export function hashOfPlace({ conversationId, approvalId }: LedPlace): string {
  return `#see=${conversationId}${approvalId === null ? '' : `/${approvalId}`}`;
}

/** Null for any other end of an address. */
export function placeOfHash(hash: string): LedPlace | null {
  const [, conversationId, approvalId = null] = /^#see=([\w-]+)(?:\/([\w-]+))?$/.exec(hash) ?? [];
  return conversationId === undefined ? null : { conversationId, approvalId };
}
