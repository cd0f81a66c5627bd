// Nothing that cannot be seen stays unseen, and what can be seen stays as it is.
import { describe, expect, it } from 'vitest';
import { countHidden, reveal } from '#lib/ui/invisible.ts';

const shown = (text: string) =>
  reveal(text)
    .map((segment) => segment.text)
    .join('');

describe('reveal', () => {
  it('marks direction changes, zero widths, controls, tags and selectors', () => {
    expect(shown('a\u202Eb')).toBe('a⟦U+202E⟧b');
    expect(shown('\u200B\u2066\u0007\u00AD\u{E0041}\uFE0F\u3164')).toBe(
      '⟦U+200B⟧⟦U+2066⟧⟦U+0007⟧⟦U+00AD⟧⟦U+E0041⟧⟦U+FE0F⟧⟦U+3164⟧',
    );
    expect(countHidden('\u202Ea\u202C')).toBe(2);
  });

  it('leaves letters of any script, tabs and line ends alone', () => {
    const text = 'naïve\t日本語\r\nעברית 😀\n';
    expect(reveal(text)).toEqual([{ text, marked: false }]);
  });

  it('marks a carriage return that would hide the start of its line', () => {
    expect(shown('rm -rf /\rls')).toBe('rm -rf /⟦U+000D⟧ls');
  });
});
