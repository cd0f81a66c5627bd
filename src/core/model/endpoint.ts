/** The address and the key of an endpoint, checked before anything is sent there. */
import type { ErrorCode } from '#contract/error.ts';
import { addressOf } from './kept-key.ts';
import { ModelError } from './model.ts';

export interface EndpointOptions {
  apiKey: string | null;
  /** Null for the vendor's own. */
  baseUrl: string | null;
}

export interface Endpoint {
  /** Without slashes at its end: paths are put behind it, and the query behind them. */
  url: string;
  query: Record<string, string>;
  host: string;
  origin: string;
  /** Null: it wants none. */
  key: string | null;
  /** Removes the key from text that came from outside. */
  hide: (text: string) => string;
}

/** A shorter key is a placeholder, and removing it would garble sentences. */
const MIN_SECRET = 8;

/** Throws `bad_input` for an address that is none, and `auth` for a key that no header can carry. */
export function endpointOf({ apiKey, baseUrl }: EndpointOptions, ownBaseUrl: string): Endpoint {
  const key = apiKey?.trim() || null;
  const url = baseUrl?.trim() || ownBaseUrl;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw unusable('bad_input', 'The base URL of the provider is not an http or https address: correct it');
  }
  if (key !== null && !/^[\x21-\x7e]+$/.test(key)) {
    throw unusable('auth', 'The key has characters that no key has: copy it again, without line breaks');
  }
  const isSecret = key !== null && key.length >= MIN_SECRET;
  const hide = (text: string): string => (isSecret ? text.replaceAll(key, '…') : text);
  const { host, origin, searchParams } = parsed;
  const [path = ''] = addressOf(url).split('?');
  return { url: path, query: Object.fromEntries(searchParams), host, origin, key, hide };
}

export function unusable(code: ErrorCode, message: string): ModelError {
  return new ModelError(code, message, { retryable: false });
}
