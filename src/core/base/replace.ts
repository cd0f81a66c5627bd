/** Replaces ranges of a text, and finds where its lines begin and end. */

export interface Replacement {
  from: number;
  to: number;
  by: string;
}

/** Applies all replacements at once: offsets are those of the original text. Insertions at the same offset keep their order. */
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
