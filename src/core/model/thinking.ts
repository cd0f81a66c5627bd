/**
 * Thinking in a history: its signature says who made it and what goes back, and it goes back only there. That of the
 * provider `anthropic` stands as it came; before that of others stand their protocol and their name.
 */
export type Api = 'chat' | 'responses';

/** `api`: the protocol; `name`: of the provider. */
export interface Origin {
  api: Api | 'messages';
  name: string;
}

/** What no signature of the Messages API begins with: it has no colon. */
const FOREIGN = /^(?:openai|anthropic):/;

function prefixOf({ api, name }: Origin): string {
  if (api === 'messages') return name === 'anthropic' ? '' : `anthropic:${name}:`;
  return `openai:${api}:${name}:`;
}

export function signatureOf(origin: Origin, sent: string): string {
  return prefixOf(origin) + sent;
}

/** What goes back of thinking; null for that of others. */
export function sentBackOf(origin: Origin, signature: string | null): string | null {
  const prefix = prefixOf(origin);
  const isOwn = signature?.startsWith(prefix) && (prefix !== '' || !FOREIGN.test(signature));
  return isOwn ? signature!.slice(prefix.length) : null;
}
