/** Cutting and summarising text without breaking characters. */
import { SUMMARY_CHARS } from '#contract/limits.ts';

const TITLE_UNITS = 80;

/** At most `max` UTF-16 code units, never half of a surrogate pair. */
export function cutAtCodePoint(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** The text between two tags, of which no text can close the second one itself. */
export function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text.replace(new RegExp(`<(?=\\s*/\\s*${tag}\\b)`, 'gi'), '&lt;')}\n</${tag}>`;
}

/** The first line of a message, short enough for a list. */
export function titleOf(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  const cut = cutAtCodePoint(line, TITLE_UNITS);
  return cut.length < line.length ? `${cut}…` : cut;
}

/** At most `max` bytes of UTF-8, never half of a character. */
export function cutAtBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return text.slice(0, bytes.read);
}

/** The first characters of the Summary section of a report, or of the report where it has none; one line. */
export function summaryOf(report: string): string {
  const section = /^#{1,6}[ \t]*(?:summary|résumé)[ \t]*$([\s\S]*?)(?=^#{1,6}[ \t]|$(?![\s\S]))/im.exec(report);
  const text = (section?.[1]?.trim() || report.replace(/^#{1,6}[ \t].*$/gm, '').trim() || report)
    .replace(/\s+/g, ' ')
    .trim();
  const points = [...text];
  return points.length <= SUMMARY_CHARS ? text : `${points.slice(0, SUMMARY_CHARS).join('').trimEnd()}…`;
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
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
