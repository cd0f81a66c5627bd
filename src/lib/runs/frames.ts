/** Schedules work for the next frame, or after 100 ms in a hidden tab, which gets no frames. */

/** Schedules a callback; the returned function cancels it. */
export type Schedule = (callback: () => void) => () => void;

const HIDDEN_DELAY_MS = 100;
/** Before this time no callback comes: the page is free for who scrolls or writes. */
let free = 0;

/**
 * After a callback, with all that it led to until it was painted, the page is free for as long as that took: where it is more
 * than half a frame one is left out, what streams in comes in fewer, larger steps, and frames come on time.
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
      free = end + (end - start);
    });
  };
  let frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
};
