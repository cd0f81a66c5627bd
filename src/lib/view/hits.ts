/** Lines that a search found, `path:line:text`, grouped by their file. */

interface Hit {
  line: number;
  text: string;
  /** Where it matches, `[start, end)` in UTF-16 code units of the text; null where that is not known. */
  match: { start: number; end: number } | null;
}

export interface FileHits {
  path: string;
  hits: Hit[];
}

/**
 * `marks`: for each hit its match within the whole line, as `[start, end)`; another value, or another number of them (a
 * long output is shortened), marks nothing. Lines that are no hits are notes.
 */
export function hitsOf(output: string, marks: unknown): { files: FileHits[]; notes: string[] } {
  const files: FileHits[] = [];
  const notes: string[] = [];
  const lines = output.split('\n').map((line) => ({ line, place: /^(?<path>.+?):(?<number>\d+):/.exec(line) }));
  const count = lines.filter(({ place }) => place !== null).length;
  const known: readonly unknown[] = Array.isArray(marks) && marks.length === count ? marks : [];
  let nth = 0;
  for (const { line, place } of lines) {
    if (!place) {
      if (line !== '') notes.push(line);
      continue;
    }
    const { path = '', number } = place.groups ?? {};
    const from = place[0].length;
    const hit = { line: Number(number), text: line.slice(from), match: matchOf(known[nth++], from) };
    if (files.at(-1)?.path === path) files.at(-1)?.hits.push(hit);
    else files.push({ path, hits: [hit] });
  }
  return { files, notes };
}

function matchOf(mark: unknown, from: number): Hit['match'] {
  if (!Array.isArray(mark)) return null;
  const [start, end] = mark as unknown[];
  return typeof start === 'number' && typeof end === 'number' && start >= from && end > start
    ? { start: start - from, end: end - from }
    : null;
}

/** The first so many hits, in their files. */
export function firstHits(files: readonly FileHits[], count: number): FileHits[] {
  let left = count;
  return files.flatMap(({ path, hits }) => {
    const shown = hits.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : [{ path, hits: shown }];
  });
}
