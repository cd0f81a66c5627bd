/** Schedules work for the next frame, or after 100 ms in a hidden tab, which gets no frames. */

/** Schedules a callback; the returned function cancels it. */
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
