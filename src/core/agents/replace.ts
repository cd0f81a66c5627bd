/** Changes of stretches of a text, and where its lines begin and end. */

export interface Replacement {
  from: number;
  to: number;
  by: string;
}

/** All at once: offsets are those of the text as it was. What stands at the same place keeps the given order. */
export function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let done = 0;
  for (const { from, to, by } of replacements.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(done, from) + by;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the next line begins, or the text ends. */
export function afterLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}
