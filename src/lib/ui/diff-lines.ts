/** A unified diff as lines that can be coloured and numbered. */
import { parsePatch, type StructuredPatchHunk } from 'diff';

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  text: string;
  /** Line number before and after; null where the line does not exist there. */
  before: number | null;
  after: number | null;
}

/** Lines of a unified diff without its file headers; empty where nothing changes. A note in place of a diff is kept. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  const places = lines.filter((line) => /^@@\s/.test(line)).map(placeLine);
  // Where there is no diff (too large, no text), a note stands in its place.
  if (places.length === 0) return lines.filter((line) => line !== '' && !/^(---|\+\+\+) /.test(line)).map(placeLine);
  const hunks = parsePatch(diff).flatMap((patch) => patch.hunks);
  return hunks.flatMap((hunk, index) => [places[index]!, ...numbered(hunk)]);
}

function numbered({ oldStart, newStart, lines }: StructuredPatchHunk): DiffLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line) => {
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', text, before: null, after: after++ };
    if (line.startsWith('-')) return { kind: 'removed', text, before: before++, after: null };
    if (line.startsWith('\\')) return placeLine(line);
    return { kind: 'same', text, before: before++, after: after++ };
  });
}

function placeLine(text: string): DiffLine {
  return { kind: 'place', text, before: null, after: null };
}
