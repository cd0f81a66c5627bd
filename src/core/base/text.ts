/** Cutting text without breaking characters, and its forms for files and shells. */
import { wholeUnits } from '#contract/messages/short-text.ts';

/** At most `max` UTF-16 code units, never half of a surrogate pair. */
export function cutAtCodePoint(text: string, max: number): string {
  return text.slice(0, wholeUnits(text, max));
}

/** The text between two tags, of which no text can close the second one itself. */
export function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text.replace(new RegExp(`<(?=\\s*/\\s*${tag}\\b)`, 'gi'), '&lt;')}\n</${tag}>`;
}

/** At most `max` bytes of UTF-8, never half of a character. */
export function cutAtBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return text.slice(0, bytes.read);
}

/** Characters of a title in the name of a file. */
const SLUG_CHARS = 60;

/** Letters, digits and hyphens, which every file system takes; empty where the text has none. */
export function slugOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SLUG_CHARS)
    .replace(/-+$/, '');
}

/** As one word of a shell. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : singleQuoted(path);
}

/** In single quotes: as one word of a shell, which is this text whatever stands in it. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
