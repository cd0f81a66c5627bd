/** Keys as they are kept: each with the one address that it may be sent to. */
import { z } from 'zod';
import type { Secrets } from '../settings/secrets.ts';

/** Sent over the Messages API to servers that want no key, because its header must not be empty. */
export const NO_KEY = 'none';
/** Where the key of a provider is kept. */
export const keyNameOf = (provider: string): string => `${provider}.key`;
/** Of the search that the settings name. */
export const SEARCH_KEY = 'web_search';

const KeptKey = z.object({ apiKey: z.string().min(1), address: z.string() });
export type KeptKey = z.infer<typeof KeptKey>;

/** Null where none is kept. */
export async function keptKey(secrets: Secrets, name: string): Promise<KeptKey | null> {
  const text = await secrets.get(name);
  if (text === null) return null;
  try {
    return KeptKey.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Key and address are one entry, so that no crash leaves one with the other's former value. Null removes the key. */
export async function keepKey(secrets: Secrets, provider: string, kept: KeptKey | null): Promise<void> {
  await secrets.set(keyNameOf(provider), kept === null ? null : JSON.stringify(kept));
}

/** The same text for all spellings of an address; requests go there, so it is without a fragment. */
export function addressOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { origin, pathname, search } = new URL(baseUrl);
  return `${origin}${pathname}`.replace(/\/+$/, '') + search;
}
