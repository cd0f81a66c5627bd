/** Schedules work for the next frame, or after 100 ms in a hidden tab, which gets no frames. */

/** Schedules a callback; the returned function cancels it. */
export type Schedule = (callback: () => void) => () => void;

const HIDDEN_DELAY_MS = 100;
/** More than this of a frame, of which there are 60 a second, is much for what has to come in it. */
const HEAVY_MS = 12;
const FRAME_MS = 16;

/** Before this time no callback comes: the frame is for who scrolls or writes. */
let free = 0;

/**
 * After a heavy callback, with all that it led to until it was painted, one frame is left out: what streams in comes in fewer,
 * larger steps then, and frames come on time.
 */
export const nextFrame: Schedule = (callback) => {
  if (document.hidden) {
    const timer = setTimeout(callback, HIDDEN_DELAY_MS);
    return () => clearTimeout(timer);
  }
  const run = (): void => {
    const start = performance.now();
    if (start < free) return void (frame = requestAnimationFrame(run));
    callback();
    // Comes after the frame.
    setTimeout(() => {
      const end = performance.now();
      if (end - start > HEAVY_MS) free = end + FRAME_MS;
    });
  };
  let frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
};
