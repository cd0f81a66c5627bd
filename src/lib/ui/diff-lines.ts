/** A unified diff as lines that can be coloured and numbered. */

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  text: string;
  /** Line number before and after; null where the line does not exist there. */
  before: number | null;
  after: number | null;
}

/** Lines of a unified diff without its file headers; empty where nothing changes. A note in place of a diff is kept. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const line of diff.split('\n')) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (place) {
      inside = true;
      before = Number(place[1]);
      after = Number(place[2]);
      lines.push({ kind: 'place', text: line, before: null, after: null });
    } else if (!inside) {
      continue;
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), before: null, after: after++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: null });
    } else if (line.startsWith('\\')) {
      lines.push({ kind: 'place', text: line, before: null, after: null });
    } else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  // Where there is no diff (too large, no text), a note stands in its place.
  if (!inside)
    return diff
      .split('\n')
      .filter((line) => line !== '' && !/^(---|\+\+\+) /.test(line))
      .map((text) => ({ kind: 'place', text, before: null, after: null }));
  return lines;
}
