/**
 * Thinking of OpenAI-compatible endpoints in a history: its signature says who made it and how it goes back, as
 * `openai:<api>:<provider>:<what goes back>`. It goes back only there.
 */
export type Api = 'chat' | 'responses';

/** How signatures of this protocol begin; no other's do. */
export const FOREIGN = 'openai:';

/** `api`: the protocol; `name`: of the provider. */
export interface Origin {
  api: Api;
  name: string;
}

export function signatureOf({ api, name }: Origin, sent: string): string {
  return `${FOREIGN}${api}:${name}:${sent}`;
}

/** What goes back of thinking; null for that of others. */
export function sentBackOf(origin: Origin, signature: string | null): string | null {
  const own = signatureOf(origin, '');
  return signature?.startsWith(own) ? signature.slice(own.length) : null;
}
