/** Keys as they are kept: each with the one address that it may be sent to. */
import { z } from 'zod';
import type { Secrets } from '../settings/secrets.ts';

const NAME = 'anthropic.key';
/** Of the search that the settings name. */
export const SEARCH_KEY = 'web_search';
/** Of versions that kept a key without its address. */
const OLD_NAME = 'anthropic.api_key';

const KeptKey = z.object({ apiKey: z.string().min(1), address: z.string() });
export type KeptKey = z.infer<typeof KeptKey>;

/** Null where none is kept. */
export async function keptKey(secrets: Secrets, name = NAME): Promise<KeptKey | null> {
  const text = await secrets.get(name);
  if (text === null) return null;
  try {
    return KeptKey.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Key and address are one entry, so that no crash leaves one with the other's former value. Null removes the key. */
export async function keepKey(secrets: Secrets, kept: KeptKey | null): Promise<void> {
  await secrets.set(NAME, kept === null ? null : JSON.stringify(kept));
  if ((await secrets.get(OLD_NAME)) !== null) await secrets.set(OLD_NAME, null);
}

/** A key that was kept without an address belongs to this one from now on. */
export async function bindOldKey(secrets: Secrets, address: string): Promise<void> {
  const apiKey = await secrets.get(OLD_NAME);
  if (apiKey && (await keptKey(secrets)) === null) await keepKey(secrets, { apiKey, address });
}

/** The same text for all spellings of an address; null stands for the provider's own. */
export function addressOf(baseUrl: string | null): string {
  const text = baseUrl ?? 'https://api.anthropic.com';
  if (!URL.canParse(text)) return text;
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, '') + search;
}
