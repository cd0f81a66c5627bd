// Reading a growing text block by block ends with the same blocks as reading it once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockReader, type MarkdownBlock } from '#lib/ui/markdown/blocks.ts';

const pieces = fc
  .array(
    fc.constantFrom(
      ...['# Title\n\n', 'Some *words* here.\n', '\n', '- a\n- b\n', '  more\n', '```ts\nlet a = 1;\n\nlet b;\n```\n'],
      ...[
        '| a | b |\n|---|---|\n| 1 | 2 |\n',
        '> quote\n',
        '[x][1]\n\n',
        '[1]: https://example.org\n',
        '\r\n',
        '---\n',
      ],
      ...['```\nopen ', '<b>raw</b>\n\n', '\tcode\n', 'a\tb\n'],
    ),
    { maxLength: 12 },
  )
  .map((list) => list.join(''));

const raws = (blocks: readonly MarkdownBlock[]) => blocks.map(({ token }) => token.raw);

describe('BlockReader', () => {
  it('ends as if the whole text had come at once', () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 9 }), (text, step) => {
        const reader = new BlockReader();
        for (let length = step; length < text.length; length += step) reader.read(text.slice(0, length), true);
        expect(reader.read(text, false)).toEqual(new BlockReader().read(text, false));
      }),
    );
  });

  it('never changes a settled block', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const reader = new BlockReader();
        let before: MarkdownBlock[] = [];
        for (let length = 1; length <= text.length; length += 1) {
          const blocks = reader.read(text.slice(0, length), true).filter(({ settled }) => settled);
          expect(raws(blocks).slice(0, before.length)).toEqual(raws(before));
          expect(blocks.slice(0, before.length).every(({ token }, n) => token === before[n]?.token)).toBe(true);
          before = blocks;
        }
      }),
      { numRuns: 50 },
    );
  });

  it('loses no character of an open text', () => {
    const text = '# One\n\nTwo\n\n- three\n- four\n\nfive';
    const reader = new BlockReader();
    for (let length = 1; length <= text.length; length += 1) {
      const shown = raws(reader.read(text.slice(0, length), true))
        .join('')
        .replace(/\s/g, '');
      expect(shown).toBe(text.slice(0, length).replace(/\s/g, ''));
    }
  });
});
