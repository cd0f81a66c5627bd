/** SHA-256 in hex: of text, and of any JSON value in its canonical form. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { TriadError } from './errors.ts';

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The same for equal values, whatever the order of their keys (RFC 8785); half surrogate pairs count as U+FFFD. */
export function canonicalHash(value: unknown): string {
  const text = canonicalize(wellFormed(value));
  if (text === undefined) throw new TriadError('internal', 'Only a JSON value has a canonical hash');
  return sha256(text);
}

/** Models can write half of a surrogate pair, which no UTF-8 text can hold. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
