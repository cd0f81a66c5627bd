// The axis under a pointer: a drag moves it and presses nothing, Ctrl and the wheel zoom where the pointer is.
import { expect, it, vi } from 'vitest';
import { panAndZoom } from '#lib/history/timeline/pan.ts';
import { type Sight, WHOLE } from '#lib/history/timeline/zoom.ts';

const WIDTH = 400;
const LEFT = 100;

/** What stands before a page's element: as wide as the sight, from `LEFT` on. */
class Axis extends EventTarget {
  readonly clientWidth = WIDTH;
  readonly setPointerCapture = vi.fn();
  getBoundingClientRect = () => ({ left: LEFT, width: WIDTH });
}

function held(first: Sight) {
  const axis = new Axis();
  let sight = first;
  const end = panAndZoom(axis as unknown as HTMLElement, { sight: () => sight, onsight: (next) => (sight = next) });
  const send = (type: string, parts: object): Event => {
    const event = Object.assign(new Event(type, { cancelable: true }), parts);
    axis.dispatchEvent(event);
    return event;
  };
  return { axis, end, send, sight: () => sight };
}
const QUARTER: Sight = { from: 0.5, to: 0.75 };

it('a drag moves the axis from its start point, and suppresses the click that ends it', () => {
  const { axis, send, sight } = held(QUARTER);
  send('pointerdown', { button: 0, clientX: 300 });
  send('pointermove', { buttons: 1, pointerId: 7, clientX: 200 });
  expect(sight()).toEqual({ from: 0.5625, to: 0.8125 });
  send('pointermove', { buttons: 1, pointerId: 7, clientX: 500 });
  expect(sight()).toEqual({ from: 0.375, to: 0.625 });
  expect(axis.setPointerCapture.mock.calls, 'also beyond its edge').toEqual([[7]]);
  const bar = vi.fn();
  axis.addEventListener('click', bar);
  const stopped = vi.spyOn(Event.prototype, 'stopPropagation');
  send('click', {});
  expect(stopped).toHaveBeenCalledOnce();
  send('pointermove', { buttons: 1, clientX: 0 });
  expect(sight(), 'it has ended').toEqual({ from: 0.375, to: 0.625 });
  send('click', {});
  expect(stopped, 'the next click is one').toHaveBeenCalledOnce();
  stopped.mockRestore();
});

it('ignores small movements and other mouse buttons', () => {
  const { axis, send, sight } = held(QUARTER);
  send('pointerdown', { button: 0, clientX: 300 });
  send('pointermove', { buttons: 1, clientX: 303 });
  send('click', {});
  send('pointerdown', { button: 2, clientX: 300 });
  send('pointermove', { buttons: 2, clientX: 200 });
  send('pointerdown', { button: 0, clientX: 300 });
  send('pointermove', { buttons: 0, clientX: 200 });
  expect(sight()).toBe(QUARTER);
  expect(axis.setPointerCapture).not.toHaveBeenCalled();
});

it('Ctrl and the wheel zoom around the pointer', () => {
  const { send, sight } = held(WHOLE);
  const place = 0.25;
  const at = () => sight().from + (sight().to - sight().from) * place;
  const wheel = (deltaY: number, key: 'ctrlKey' | 'metaKey') =>
    send('wheel', { [key]: true, deltaX: 0, deltaY, clientX: LEFT + WIDTH * place });
  expect(wheel(-300, 'ctrlKey').defaultPrevented, 'the page is not zoomed').toBe(true);
  const near = sight().to - sight().from;
  expect(near).toBeCloseTo(1.002 ** -300, 6);
  expect(at()).toBeCloseTo(0.25, 6);
  wheel(-100, 'metaKey');
  expect(sight().to - sight().from).toBeLessThan(near);
  wheel(9000, 'ctrlKey');
  expect(sight()).toEqual(WHOLE);
});

it('moves with a sideways wheel or Shift and the wheel, and leaves vertical scrolling to the page', () => {
  const { send, sight, end } = held(QUARTER);
  expect(send('wheel', { deltaX: 100, deltaY: 10 }).defaultPrevented).toBe(true);
  expect(sight()).toEqual({ from: 0.5625, to: 0.8125 });
  send('wheel', { shiftKey: true, deltaX: 0, deltaY: -100 });
  expect(sight()).toEqual(QUARTER);
  expect(send('wheel', { deltaX: 10, deltaY: 100 }).defaultPrevented).toBe(false);
  end();
  send('wheel', { deltaX: 100, deltaY: 0 });
  expect(sight()).toEqual(QUARTER);
});
