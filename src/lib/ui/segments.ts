/** Splits a text into matched segments and those between them. */

export interface MatchSegment {
  text: string;
  found: boolean;
}

/**
 * `ranges`: `[start, end)` in UTF-16 code units; they may overlap, touch or exceed the text. Every character is in one
 * segment.
 */
export function segmentsOf(text: string, ranges: readonly { start: number; end: number }[]): MatchSegment[] {
  const segments: MatchSegment[] = [];
  let at = 0;
  const push = (end: number, found: boolean): void => {
    if (end > at) segments.push({ text: text.slice(at, end), found });
    at = Math.max(at, end);
  };
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    push(Math.min(start, text.length), false);
    push(Math.min(end, text.length), true);
  }
  push(text.length, false);
  return segments;
}
