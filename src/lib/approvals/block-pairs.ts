/** The lines of a block as they stand now, each with what was asked where that was something else. Pure. */
import type { BlockLine } from '#lib/words/decision-words.ts';

export interface ShownLine extends BlockLine {
  /** As it was asked; null where it is that. */
  before: string | null;
}

export function pairLines(now: readonly BlockLine[], asked: readonly BlockLine[]): ShownLine[] {
  return now.map((line) => {
    const before = asked.find(({ key }) => key === line.key)?.value;
    return { ...line, before: before === undefined || before === line.value ? null : before };
  });
}

/** What is not had stands together on one line, unless an edit made it so. */
export function together(lines: readonly ShownLine[]): ShownLine[][] {
  const had = lines.filter(({ isNo, before }) => isNo !== true || before !== null);
  const lacks = lines.filter((line) => !had.includes(line));
  return [...had.map((line) => [line]), ...(lacks.length > 0 ? [lacks] : [])];
}
