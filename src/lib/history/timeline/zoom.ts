/** The part of an axis that is in sight, from 0 to 1. Pure. */

export interface Sight {
  from: number;
  to: number;
}

export const WHOLE: Sight = { from: 0, to: 1 };
/** The narrowest part. */
const LEAST = 1 / 400;
export const STEP = 1.5;

/** `factor` above 1 comes nearer; what is at `place`, from 0 to 1 of the sight, stays there. */
export function zoomed({ from, to }: Sight, factor: number, place = 0.5): Sight {
  const width = Math.min(1, Math.max(LEAST, (to - from) / factor));
  const still = from + (to - from) * place;
  return within({ from: still - width * place, to: still + width * (1 - place) });
}

/** By a share of what is in sight; to the right for more than 0. */
export function moved({ from, to }: Sight, share: number): Sight {
  const by = (to - from) * share;
  return within({ from: from + by, to: to + by });
}

/** Moves the sight so that a place of the axis is in it, with some room. */
export function showing(sight: Sight, from: number, to: number): Sight {
  const width = sight.to - sight.from;
  if (from >= sight.from && to <= sight.to) return sight;
  const middle = (from + Math.min(to, from + width)) / 2;
  return within({ from: middle - width / 2, to: middle + width / 2 });
}

export function isWhole({ from, to }: Sight): boolean {
  return from <= 0 && to >= 1;
}

function within({ from, to }: Sight): Sight {
  const by = from < 0 ? -from : to > 1 ? 1 - to : 0;
  return { from: Math.max(0, from + by), to: Math.min(1, to + by) };
}
