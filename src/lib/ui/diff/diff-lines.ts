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

/** One row of a difference whose sides stand beside each other; what concerns both stands on both. */
export interface SplitRow<T> {
  before: T | null;
  after: T | null;
}

/** Lines that went beside those that came in their place. `kindOf`: also of what stands for several lines. */
export function splitRows<T>(lines: readonly T[], kindOf: (line: T) => DiffLine['kind']): SplitRow<T>[] {
  const rows: SplitRow<T>[] = [];
  let [removed, added]: [T[], T[]] = [[], []];
  const pair = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ before: removed[at] ?? null, after: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    const kind = kindOf(line);
    if (kind === 'removed') {
      if (added.length > 0) pair();
      removed.push(line);
    } else if (kind === 'added') added.push(line);
    else {
      pair();
      rows.push({ before: line, after: line });
    }
  }
  pair();
  return rows;
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
