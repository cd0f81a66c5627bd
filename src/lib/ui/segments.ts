/** A text in pieces: those that were found, and those between them. */

export interface MatchSegment {
  text: string;
  found: boolean;
}

/** Ranges may overlap, touch or lie outside; each character stands in one piece. */
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
