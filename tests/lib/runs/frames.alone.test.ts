// What streams in is drawn with the next frame, and leaves one out where that was much work.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextFrame } from '#lib/runs/frames.ts';

let frames: (() => void)[] = [];
let now = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  frames = [];
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('performance', { now: () => now });
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => (frames[id - 1] = () => undefined));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What the browser does in a frame, of which `took` milliseconds go by until it is painted; the next comes when it can. */
function frame(took = 0): void {
  const start = now;
  for (const callback of frames.splice(0)) callback();
  now += took;
  vi.runAllTimers();
  now = start + 16.7 * Math.ceil((took + 0.1) / 16.7);
}

it('skips frames for as long as a slow frame took', () => {
  let drawn = 0;
  const draw = () => void (drawn += 1);
  nextFrame(draw);
  frame(5);
  expect(drawn).toBe(1);
  nextFrame(draw);
  frame(20);
  expect(drawn, 'after a light one').toBe(2);
  nextFrame(draw);
  frame(20);
  expect(drawn, 'after a heavy one').toBe(2);
  frame(5);
  expect(drawn).toBe(3);
  nextFrame(draw);
  frame(20);
  expect(drawn, 'light again').toBe(4);
  now += 1000;
  nextFrame(draw);
  frame(5);
  expect(drawn, 'long after a heavy one').toBe(5);
});

it('never calls a cancelled callback, also not one delayed by a slow frame', () => {
  let drawn = 0;
  const draw = () => void (drawn += 1);
  nextFrame(draw)();
  frame(5);
  expect(drawn).toBe(0);
  nextFrame(draw);
  frame(20);
  const cancel = nextFrame(draw);
  frame();
  cancel();
  frame();
  expect(drawn).toBe(1);
});
