/** Values of wire events, which nobody has checked: words, counts, the arguments of calls. */
import { MAX_COUNT } from './model.ts';

/** Characters of a wrong value that are shown. */
const MAX_SHOWN = 60;

/** A value that is no text says nothing: what is made of one counts its characters. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function shown(value: unknown): string {
  return String(value).slice(0, MAX_SHOWN);
}

/** The first count that cannot be true, with its name: negative, no integer, no number, or absurdly large. */
export function impossibleCount(raw: object, counts: readonly (readonly string[])[]): string | null {
  for (const path of counts) {
    const value = valueAt(raw, path);
    if (value === undefined) continue;
    const isPossible = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT;
    const words = typeof value === 'number' ? String(value) : JSON.stringify(value);
    if (!isPossible) return `${path.join('.')}: ${shown(words)}`;
  }
  return null;
}

/** Undefined where it is left out, or null. */
export function valueAt(raw: unknown, path: readonly string[]): unknown {
  let value = raw;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value ?? undefined;
}

/** Arguments as JSON text, or a piece of it; servers exist that send the object itself. */
export function argumentText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
}

/** Arguments as JSON; text that is none is kept as it came. */
export function argumentsIn(text: string): { input: unknown; malformed?: string } {
  try {
    return { input: JSON.parse(text) };
  } catch {
    return { input: {}, malformed: text };
  }
}
