/** The keys that answer a question, and the text fields in which they do not. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answerKeyOf, findPressedKey } from '#lib/approvals/answer-keys.ts';

class FakeElement {
  readonly type = 'text';
  readonly #isInForm: boolean;
  constructor(isInForm = false) {
    this.#isInForm = isInForm;
  }
  closest(selector: string): FakeElement | null {
    return this.#isInForm && selector === '[data-edits]' ? this : null;
  }
}
class FakeInput extends FakeElement {}
class FakeArea extends FakeElement {}

beforeEach(() => {
  vi.stubGlobal('Element', FakeElement);
  vi.stubGlobal('HTMLElement', FakeElement);
  vi.stubGlobal('HTMLInputElement', FakeInput);
  vi.stubGlobal('HTMLTextAreaElement', FakeArea);
});
afterEach(() => void vi.unstubAllGlobals());

function press(
  key: string,
  target: FakeElement,
  { shift = false, ...more }: { shift?: boolean; repeat?: boolean; isComposing?: boolean } = {},
): KeyboardEvent {
  const modifiers = shift ? ['Control', 'Shift'] : ['Control'];
  const event = { key, code: key, target, repeat: false, isComposing: false, ...more };
  return { ...event, getModifierState: (name: string) => modifiers.includes(name) } as unknown as KeyboardEvent;
}

it('maps each key to its answer outside of a text field', () => {
  const button = new FakeElement();
  expect(answerKeyOf(press('Enter', button))).toBe('allow');
  expect(answerKeyOf(press('Enter', button, { shift: true }))).toBe('allowAll');
  expect(answerKeyOf(press('Backspace', button))).toBe('reject');
  expect(answerKeyOf(press('/', button))).toBe('ask');
  expect(answerKeyOf(press('y', button))).toBeNull();
});

it('allows from a field of the answer, and from no other text field', () => {
  for (const Field of [FakeInput, FakeArea]) {
    expect(answerKeyOf(press('Enter', new Field(true)))).toBe('allow');
    expect(answerKeyOf(press('Enter', new Field()))).toBeNull();
    for (const key of ['Backspace', '/']) expect(answerKeyOf(press(key, new Field(true)))).toBeNull();
    expect(answerKeyOf(press('Enter', new Field(true), { shift: true }))).toBeNull();
  }
});

it('ignores held keys and keys during composition', () => {
  const repeatEvent = press('Enter', new FakeElement(), { repeat: true });
  expect([answerKeyOf(repeatEvent), findPressedKey(repeatEvent)]).toEqual([null, 'allow']);
  const compositionEvent = press('Enter', new FakeElement(), { isComposing: true });
  expect([answerKeyOf(compositionEvent), findPressedKey(compositionEvent)]).toEqual([null, null]);
});
