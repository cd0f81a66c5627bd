/** Work that is done at most once per frame, also in a hidden tab, where no frames come. */

/** Calls back soon; the returned function takes it back. */
export type Schedule = (callback: () => void) => () => void;

const HIDDEN_DELAY_MS = 100;

export const nextFrame: Schedule = (callback) => {
  if (document.hidden) {
    const timer = setTimeout(callback, HIDDEN_DELAY_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(frame);
};
