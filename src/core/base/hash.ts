/** SHA-256 in hex: of text, and of any JSON value in its canonical form. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { TriadError } from './errors.ts';

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Hashes a JSON value in canonical form (RFC 8785): the order of keys does not matter, lone surrogates count as U+FFFD. Throws `internal` for `undefined`. */
export function canonicalHash(value: unknown): string {
  const text = canonicalize(wellFormed(value));
  if (text === undefined) throw new TriadError('internal', 'Only a JSON value has a canonical hash');
  return sha256(text);
}

/** Models can write lone surrogates, which UTF-8 cannot encode. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
