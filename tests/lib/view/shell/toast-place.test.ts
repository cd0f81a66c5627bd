// Short messages stand over the page, beside what is asked or written, in windows of every size.
import { expect, it } from 'vitest';
import { type Around, type Box, placeOf } from '#lib/view/shell/toast-place.ts';

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });
const [width, height] = [800, 600];
const main = box(56, 0, width, height);
const around: Around = { width, height, rail: null, main, kept: [], inDialog: false, messages: 48 };
/** Where they are, as a box. */
function shown(given: Around): Box {
  const { left, width: wide, bottom } = placeOf(given);
  const low = given.height - bottom;
  return box(left, low - given.messages + 8, left + wide, low);
}
const covers = (a: Box, b: Box) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;

it('toasts appear in the lower corner of the page, or at the foot of the rail', () => {
  expect(shown(around)).toEqual(box(472, 552, 792, 592));
  const rail = box(0, 0, 240, height);
  const pages = box(0, 400, 240, height);
  expect(shown({ ...around, rail, kept: [pages] })).toEqual(box(8, 352, 232, 392));
});

it('toasts appear above the message box and the focused field, and cover neither', () => {
  const composer = box(100, 500, 760, 590);
  const field = box(400, 455, 700, 490);
  const elsewhere = box(60, 300, 300, 400);
  const kept = [field, elsewhere, composer];
  expect(shown({ ...around, kept }).bottom).toBe(447);
  expect(kept.some((one) => covers(shown({ ...around, kept }), one))).toBe(false);
});

it('toasts appear above an approval that fills the page', () => {
  const question = box(56, 48, width, height);
  expect(covers(shown({ ...around, kept: [question] }), question)).toBe(false);
  expect(shown({ ...around, kept: [question] }).top).toBeGreaterThanOrEqual(0);
});

it('toasts use the free strip of a dialog at full width, also in a small window', () => {
  expect(shown({ ...around, inDialog: true })).toEqual(box(8, 556, 792, 596));
  const small = { ...around, width: 400, height: 300, main: box(56, 0, 400, 300) };
  expect(shown({ ...small, inDialog: true })).toEqual(box(8, 256, 392, 296));
  expect(shown(small)).toEqual(box(72, 252, 392, 292));
});
