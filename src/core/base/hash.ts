/** SHA-256 in hex: of text, and of any JSON value in its canonical form. */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { TriadError } from './errors.ts';

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** Hashes a JSON value in canonical form (RFC 8785): the order of keys does not matter, lone surrogates count as U+FFFD. Throws `internal` for `undefined`. */
export function canonicalHash(value: unknown): string {
  const text = canonicalize(wellFormed(value));
  if (text === undefined) throw new TriadError('internal', 'Only a JSON value has a canonical hash');
  return sha256(text);
}

/** A JSON value with U+FFFD for lone surrogates, which models and others can write, and UTF-8 cannot encode; mostly itself. */
export function wellFormed(value: unknown): unknown {
  return isWellFormed(value) ? value : replaced(value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (value === null || typeof value !== 'object') return true;
  for (const key in value)
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  return true;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaced);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), replaced(item)]));
}
