/** Where the list at the cursor stands in the window: above or below its box, where there is more room. */

/** In pixels; of `top` and `bottom` one is null. */
export interface ListPlace {
  left: number;
  width: number;
  top: number | null;
  bottom: number | null;
  /** Most height. */
  room: number;
}

const [LEAST, MOST, GAP] = [96, 320, 4];

export function listPlace(
  { top, bottom, left, width }: Pick<DOMRect, 'top' | 'bottom' | 'left' | 'width'>,
  height: number,
): ListPlace {
  const below = height - bottom;
  const isAbove = top >= below;
  const room = Math.max(LEAST, Math.min(MOST, (isAbove ? top : below) - 2 * GAP));
  const across = { left: left - 1, width: width + 2, room };
  return isAbove
    ? { ...across, top: null, bottom: height - top + GAP }
    : { ...across, top: bottom + GAP, bottom: null };
}
