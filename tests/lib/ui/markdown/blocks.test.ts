// Reading a growing text block by block ends with the same blocks as reading it once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockReader, type MarkdownBlock } from '#lib/ui/markdown/blocks.ts';
import { htmlOf } from '#lib/ui/markdown/html.ts';
import { samples } from '../../../support/samples.ts';

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
      ...[
        '```\nopen ',
        '<b>raw</b>\n\n',
        '\tcode\n',
        'a\tb\n',
        '1. one\n\n',
        '2. two\n',
        '   1. deep\n',
        '- [ ] task\n',
      ],
      ...[
        'a | b\n',
        '- | -',
        '> - q\n',
        '===\n',
        '<div>\n',
        '</div>\n\n',
        '<pre>\n',
        '<!--',
        '-->',
        '~~~\n',
        '    ind\n',
        '* * *',
      ],
    ),
    { maxLength: 12 },
  )
  .map((list) => list.join(''));

const html = (blocks: readonly MarkdownBlock[]) => blocks.map(({ token }) => htmlOf(token));
const raws = (blocks: readonly MarkdownBlock[]) => blocks.map(({ token }) => token.raw);

describe('BlockReader', () => {
  it('a text read in pieces gives the blocks of a text read at once', () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 9 }), (text, step) => {
        const reader = new BlockReader();
        for (let length = step; length < text.length; length += step) reader.read(text.slice(0, length), true);
        expect(reader.read(text, false)).toEqual(new BlockReader().read(text, false));
      }),
      samples(12, 300),
    );
  });

  it('shows the blocks of the text so far at each moment, except for link targets', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const reader = new BlockReader();
        for (let length = 1; length <= text.length; length += 1) {
          const start = text.slice(0, length).replaceAll('[', '(');
          expect(html(reader.read(start, true))).toEqual(html(new BlockReader().read(start, false)));
        }
      }),
      samples(12, 300),
    );
  });

  it.each([
    ['the next number of a list', '1. one\n\n2. two\n'],
    ['what looks like a table until its line ends', 'a\nb | c\n- | -x\n'],
    ['what looks like a rule until its line ends', '- a\n---x\n'],
  ])('ends with the blocks of a full read for %s', (_name, text) => {
    const reader = new BlockReader();
    for (let length = 1; length <= text.length; length += 1) reader.read(text.slice(0, length), true);
    expect(html(reader.read(text, true))).toEqual(html(new BlockReader().read(text, false)));
  });

  it('never changes a settled block, except when a link is defined below it', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const reader = new BlockReader();
        let before: MarkdownBlock[] = [];
        for (let length = 1; length <= text.length; length += 1) {
          const blocks = reader.read(text.slice(0, length), true).filter(({ settled }) => settled);
          expect(raws(blocks).slice(0, before.length)).toEqual(raws(before));
          expect(before.every(({ token }, n) => token === blocks[n]?.token || token.raw.includes('['))).toBe(true);
          before = blocks;
        }
      }),
      samples(25),
    );
  });

  it('resolves a link once its definition is complete', () => {
    const reader = new BlockReader();
    const uses = '- see [it][1]\n\nWords between.\n\n';
    reader.read(`${uses}[`, true);
    expect(html(reader.read(`${uses}[1]: https://example.org/wh`, true)).join('')).not.toContain('href');
    const [list = '', ...others] = html(reader.read(`${uses}[1]: https://example.org/whole\n\nMore\n`, true));
    expect(list).toContain('href="https://example.org/whole"');
    expect(others).toHaveLength(2);
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
