/** JSON values as a tree shows them. */

/** Children of one value that are shown before somebody asks for more. */
export const FIRST_CHILDREN = 100;
/** Characters of a text that are shown before somebody asks for the rest. */
const LONG_CHARS = 400;
/** A tree that is shown whole is no larger than this: characters of its JSON, and values within values. */
const WHOLE = { characters: 20_000, depth: 30 };

/** The fields of an object or the items of a list, in order; null for a value that has none by its kind. */
export function childrenOf(value: unknown): [name: string, value: unknown][] | null {
  return typeof value === 'object' && value !== null ? Object.entries(value) : null;
}

/** The beginning of a long text, at the end of a word where there is one; null where it is short. */
export function beginningOf(text: string): string | null {
  if (text.length <= LONG_CHARS) return null;
  const start = text.slice(0, LONG_CHARS);
  return start.replace(/[\uD800-\uDBFF]$/, '').replace(/(?<=\s)\S{1,40}$/, '');
}

/** Whether the value of a JSON text can be shown whole as a tree; else its text shows it better. */
export function fitsTree(json: string, value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && json.length <= WHOLE.characters && isFlatter(value, WHOLE.depth)
  );
}

function isFlatter(value: unknown, depth: number): boolean {
  return childrenOf(value)?.every(([, child]) => depth > 1 && isFlatter(child, depth - 1)) ?? true;
}
