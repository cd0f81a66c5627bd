/** Schedules work for the next frame, or after 100 ms in a hidden tab, which gets no frames. */

/** Schedules a callback; the returned function cancels it. */
export type Schedule = (callback: () => void) => () => void;

const HIDDEN_DELAY_MS = 100;
/** About half of a frame, of which there are 60 a second. */
const HEAVY_MS = 8;

/** Whether what the last callback led to, until it was painted, took longer than that. */
let heavy = false;

/**
 * After a heavy callback one frame is left out: what streams in comes in fewer, larger steps then, and the frames between them
 * are there for who scrolls or writes.
 */
export const nextFrame: Schedule = (callback) => {
  if (document.hidden) {
    const timer = setTimeout(callback, HIDDEN_DELAY_MS);
    return () => clearTimeout(timer);
  }
  const run = (): void => {
    const start = performance.now();
    callback();
    // Comes after the frame.
    setTimeout(() => (heavy = performance.now() - start > HEAVY_MS));
  };
  let frame = requestAnimationFrame(heavy ? () => (frame = requestAnimationFrame(run)) : run);
  return () => cancelAnimationFrame(frame);
};
