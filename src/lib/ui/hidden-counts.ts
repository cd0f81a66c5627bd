/** How much of a text cannot be seen as it is: so much as stands in marks. Pure. */
import { piecesOf } from '#contract/visible-text.ts';

export interface HiddenCounts {
  hidden: number;
  mixed: number;
  /** Empty stretches that are shown as their length. */
  gaps: number;
}

/** Null where nothing hides. */
export function hiddenIn(text: string): HiddenCounts | null {
  const counts = { plain: 0, hidden: 0, mixed: 0, gaps: 0 };
  for (const { kind, count } of piecesOf(text)) {
    if (kind === 'gap') counts.gaps += 1;
    else counts[kind] += count;
  }
  return counts.hidden + counts.mixed + counts.gaps > 0 ? counts : null;
}
