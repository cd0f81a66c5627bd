// The list at the cursor stands within the window, on the side with more room.
import { expect, it } from 'vitest';
import { listPlace } from '#lib/chat/composer/list-place.ts';

const box = (top: number, bottom: number) => ({ top, bottom, left: 10, width: 300 });

it.each([
  ['above a box at the bottom', box(600, 700), 720, { top: null, bottom: 124, room: 320 }],
  ['below a box at the top', box(100, 200), 720, { top: 204, bottom: null, room: 320 }],
  ['no higher than there is room', box(250, 380), 400, { top: null, bottom: 154, room: 242 }],
])('places the list %s', (_where, rect, height, place) =>
  expect(listPlace(rect, height)).toEqual({ left: 9, width: 302, ...place }),
);
