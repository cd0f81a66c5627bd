/** Parts of a diff as texts and numbers. Pure. */
import type { ChangeDiff } from '#contract/change.ts';

export type Hunk = ChangeDiff['hunks'][number];

/** A unified diff of one part. */
export function hunkText({ oldStart, newStart, lines }: Hunk): string {
  const length = (sign: string): number => lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length;
  const place = `@@ -${oldStart},${length('-')} +${newStart},${length('+')} @@`;
  return [place, ...lines].join('\n');
}

export interface LineCounts {
  added: number;
  removed: number;
}

export function lineCounts(hunks: readonly Hunk[]): LineCounts {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}
