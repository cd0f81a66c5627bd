/** Where short messages stand: over the page, which stays where it is, and beside what is asked or written. Pure. */

/** In pixels of the window. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Around {
  width: number;
  height: number;
  /** The rail where it is wide, and beside the page; null else. */
  rail: Box | null;
  main: Box;
  /** What they must not cover: what one writes in, what asks. */
  kept: readonly Box[];
  /** A dialog is open: it leaves a strip free at the bottom of the window. */
  inDialog: boolean;
  /** Of all that show, with the gaps between them. */
  messages: number;
}

export interface Place {
  left: number;
  width: number;
  /** From the bottom of the window. */
  bottom: number;
}

export const GAP = 8;
const [WIDTH, WIDE] = [320, 960];

/** At the foot of the rail, else in the lower corner of the page; there above what they would cover. */
export function placeOf(around: Around): Place {
  const { width, height, rail, main, kept, inDialog, messages } = around;
  if (inDialog) {
    const wide = Math.min(WIDE, width - 2 * GAP);
    return { left: (width - wide) / 2, width: wide, bottom: GAP / 2 };
  }
  const right = (rail ?? main).right - GAP;
  const left = Math.max((rail ?? main).left + GAP, rail ? 0 : right - WIDTH);
  let bottom = height - GAP;
  // From below: whatever one is moved above may bring it over another one.
  for (const box of kept.toSorted((a, b) => b.bottom - a.bottom)) {
    const isBeside = box.right <= left || box.left >= right || box.bottom <= bottom - messages || box.top >= bottom;
    if (!isBeside) bottom = box.top - GAP;
  }
  // Where all else is taken, they stand over the header of the page.
  const lowest = Math.max(bottom, Math.min(height, messages));
  return { left, width: right - left, bottom: height - lowest };
}
