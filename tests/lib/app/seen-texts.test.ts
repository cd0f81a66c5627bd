// What holds a yes back: the rules that need no screen. How boxes are watched is shown in e2e/approvals/seen.spec.ts.
import { describe, expect, it } from 'vitest';
import { isEndEdited, SeenTexts } from '#lib/app/seen-texts.svelte.ts';

const of = (text: string) => [{ name: 'prompt', label: 'Prompt', text }];

describe('a question that was never on the screen', () => {
  it.each([
    ['Look around.', false],
    ['a\nb\nc\nd\n', false],
    ['a\nb\nc\nd\ne', true],
    ['x'.repeat(200), false],
    ['x'.repeat(201), true],
    ['\n'.repeat(600), true],
  ])('waits only for texts that may be longer than their box: %j', (text, waits) => {
    expect(new SeenTexts(new Set()).unseen(of(text))).toHaveLength(waits ? 1 : 0);
  });

  it('does not wait for a definition that was seen before, only for exactly that one', () => {
    const text = 'x\n'.repeat(50);
    const seen = new SeenTexts(new Set([text]));
    expect(seen.unseen(of(text))).toEqual([]);
    expect(seen.unseen(of(`${text}y`))).toHaveLength(1);
  });
});

describe('an edit', () => {
  const original = `${'Look at a part.\n'.repeat(50)}Then delete everything.`;

  it.each([
    ['the same', original, false],
    ['a change at the beginning', `Please: ${original}`, false],
    ['lines at the end that are blank', `${original}\n\n`, false],
    ['more at the end', `${original} Or not.`, true],
    ['another text', 'Look around.', true],
    ['nothing left', '', true],
  ])('%s', (_, text, reaches) => {
    expect(isEndEdited(text, original)).toBe(reaches);
  });
});
