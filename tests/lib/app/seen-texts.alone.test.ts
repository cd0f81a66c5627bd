// What holds a yes back: the rules that need no screen. How boxes are watched is shown in e2e/approvals/seen.spec.ts.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
    expect(new SeenTexts().unseen(of(text))).toHaveLength(waits ? 1 : 0);
  });

  it('does not wait for a text that was read in another item of its batch, if it is identical', () => {
    const text = 'x\n'.repeat(50);
    const seen = new SeenTexts(new Set([text]));
    expect(seen.unseen(of(text))).toEqual([]);
    expect(seen.unseen(of(`${text}y`))).toHaveLength(1);
  });

  it('waits for a strict text of any length', () => {
    expect(new SeenTexts().unseen([{ name: 'prompt', label: 'Prompt', text: 'Go.', isStrict: true }])).toHaveLength(1);
  });
});

/** A box on a screen without a browser: `inSight`: whether the end of what it shows is. */
function boxIn(
  seen: SeenTexts,
  name: string,
  { isAlways = false, tall = false, inSight = false, isField = false },
): void {
  const element = {
    scrollHeight: tall ? 500 : 100,
    clientHeight: 100,
    scrollTop: 0,
    tabIndex: -1,
    children: [],
    hasAttribute: () => true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    getBoundingClientRect: () => ({ left: 0, width: 10, bottom: 10 }),
    contains: () => inSight,
  };
  const observer = class {
    observe(): void {}
    disconnect(): void {}
  };
  vi.stubGlobal('ResizeObserver', observer);
  vi.stubGlobal('document', { documentElement: {}, addEventListener: () => undefined, elementFromPoint: () => ({}) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const attach = isField ? seen.reader(name) : seen.box(name, name, { isAlways });
  attach(element as unknown as HTMLElement);
}

describe('a question on the screen', () => {
  const names = (seen: SeenTexts, texts = [] as ReturnType<typeof of>) => seen.unseen(texts).map(({ name }) => name);

  it('waits for a folded text, unless the text is short', () => {
    const seen = new SeenTexts();
    boxIn(seen, 'changes', {});
    expect(names(seen, of('x\n'.repeat(50)))).toEqual(['prompt']);
    expect(names(seen, of('Look around.'))).toEqual([]);
    boxIn(seen, 'prompt', {});
    expect(names(seen, of('x\n'.repeat(50))), 'its box is large enough').toEqual([]);
  });

  it('waits for the end of a text longer than its box, and of a text that must always be seen', () => {
    const seen = new SeenTexts();
    boxIn(seen, 'long', { tall: true });
    boxIn(seen, 'below', { isAlways: true });
    boxIn(seen, 'shown', { isAlways: true, inSight: true });
    expect(names(seen)).toEqual(['long', 'below']);
    boxIn(seen, 'long', {});
    expect(names(seen), 'it has grown, and its end is below the edge').toEqual(['long', 'below']);
    boxIn(seen, 'long', { inSight: true });
    expect(names(seen)).toEqual(['below']);
  });

  it('does not wait for a text that needs no reading, even while it is unfolded', () => {
    const seen = new SeenTexts(new Set(), (name) => name !== 'builtin');
    boxIn(seen, 'builtin', { tall: true });
    boxIn(seen, 'prompt', { tall: true });
    expect(names(seen)).toEqual(['prompt']);
  });

  it('counts a text as read if its end was seen in the field where it is edited', () => {
    const seen = new SeenTexts();
    boxIn(seen, 'long', { tall: true });
    boxIn(seen, 'long', { isField: true, tall: true, inSight: true });
    boxIn(seen, 'long', { isField: true });
    expect(names(seen)).toEqual(['long']);
    boxIn(seen, 'long', { isField: true, inSight: true });
    expect(names(seen)).toEqual([]);
  });
});

describe('An edited text', () => {
  const original = `${'Look at a part.\n'.repeat(50)}Then delete everything.`;

  it.each([
    ['the same', original, false],
    ['a change at the beginning', `Please: ${original}`, false],
    ['lines at the end that are blank', `${original}\n\n`, false],
    ['more at the end', `${original} Or not.`, true],
    ['another text', 'Look around.', true],
    ['nothing left', '', true],
  ])('must be read again only if its end changed: %s', (_, text, reaches) => {
    expect(isEndEdited(text, original)).toBe(reaches);
  });
});
