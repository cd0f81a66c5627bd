/** Terminal text: colours as classes, overwriting as on a screen, and nothing left that could act. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joined, readTerminal } from '#lib/view/terminal/terminal.ts';
import { samples } from '../../../support/samples.ts';

const ESC = '\x1b';
/** All but tabs and line ends. */
// oxlint-disable-next-line no-control-regex -- that is what this is about
const ACTIVE = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const spansOf = async (text: string) => joined((await readTerminal(text)).lines);
const textOf = async (text: string) => (await spansOf(text)).map((span) => span.text).join('');
const looks = async (text: string) => (await spansOf(text)).map((span) => [span.text, span.classes]);

describe('colours and weights', () => {
  test.for([
    ['31', 'text-danger'],
    ['1;32', 'text-ok font-bold'],
    ['2', 'text-soft'],
    ['4;3;9', 'italic underline line-through'],
    ['7', 'bg-ink text-sunken'],
    ['7;35', 'bg-magenta text-sunken'],
    ['33;44', 'bg-accent text-sunken'],
    ['90', 'text-soft'],
    ['96', 'text-cyan'],
    ['38;5;196', 'text-danger'],
    ['38;5;240;1', 'text-soft font-bold'],
    ['38;2;20;200;30;4', 'text-ok underline'],
    ['38:2::20:30:220', 'text-accent'],
    ['48;5;3', 'bg-warn text-sunken'],
    ['4:0', ''],
    ['30', ''],
    ['8', ''],
    ['?31', ''],
    ['>4;1', ''],
    ['31;0', ''],
    ['1;4;22', 'underline'],
    ['', ''],
  ])('%s', async ([codes, classes]) => {
    expect(await looks(`${ESC}[${codes}mword`)).toEqual([['word', classes]]);
  });

  test('styles last until they are reset, also across lines', async () => {
    expect(await looks(`a${ESC}[31mb\nc${ESC}[39md`)).toEqual([
      ['a', ''],
      ['b\nc', 'text-danger'],
      ['d', ''],
    ]);
  });

  test('text and background of equal colour remain distinguishable', async () => {
    expect(await looks(`${ESC}[31;41mhidden?`)).toEqual([['hidden?', 'bg-danger text-sunken']]);
  });
});

describe('overwritten text', () => {
  test.for([
    ['10%\r100%\n', '100%\n', true],
    ['a\r\nb\r\n', 'a\nb\n', false],
    ['long line\rshort', 'shortline', true],
    [`50%\r${ESC}[Kdone`, 'done', true],
    [`one\ntwo\n${ESC}[2A${ESC}[2Knew\n`, 'new\ntwo', true],
    [`one\ntwo\n${ESC}[1A${ESC}[Jthird`, 'one\nthird', true],
    ['ab\b\bxy', 'xy', true],
    [`a\n\nb${ESC}[2A`, 'a\n\nb', false],
    [`a${ESC}[3Cb`, 'a   b', false],
    [`abc${ESC}[2D-`, 'a-c', true],
    [`abc${ESC}[1Gx`, 'xbc', true],
    [`abc${ESC}[1K`, '', true],
    [`one\n${ESC}[2J${ESC}[Htwo`, 'one\n\ntwo', false],
    [`one${ESC}[Htwo`, 'one\ntwo', false],
    [`日本${ESC}[2D語`, '日語', true],
    [`a\tb\rc`, 'c       b', true],
    [`abcd${ESC}[1G${ESC}[2P`, 'cd', true],
    [`bd${ESC}[1Ga${ESC}[@c`, 'acd', true],
    [`${'long '.repeat(200)}\rX`, `${'long '.repeat(100)}X${'long '.repeat(100).slice(1)}`, true],
    [`${ESC}[99A${ESC}[99Bx${ESC}[5E`, 'x', false],
  ] as const)('shows the final text of %j', async ([text, shown, isReduced]) => {
    expect(await textOf(text)).toBe(shown);
    expect((await readTerminal(text)).isReduced).toBe(isReduced);
  });

  test('keeps every line of long output', async () => {
    const output = [...Array.from({ length: 300 }, (_, n) => `line ${n}`), '日本 '.repeat(400)].join('\n');
    expect(await textOf(output)).toBe(output);
    expect((await readTerminal(output)).isReduced).toBe(false);
  });

  test('limits the length of a line that one escape sequence creates', async () => {
    expect((await textOf(`${ESC}[999999999Cx${ESC}[999999999Gy`)).length).toBeLessThan(600);
  });
});

describe('removed control sequences', () => {
  test.for([
    ['a link', `${ESC}]8;;https://evil.example${ESC}\\words${ESC}]8;;\x07`, 'words', true],
    ['a title', `${ESC}]0;title\x07text`, 'text', true],
    ['one in one character', '\x9d0;title\x9ctext\x9b31m', 'text', true],
    ['bells, modes and character sets', `\x07${ESC}[?25l${ESC}(Btext${ESC}=${ESC}7`, 'text', false],
    ['one that never ends, but not what follows', `${ESC}]0;text\nmore`, '0;text\nmore', false],
    ['half of one', `text${ESC}`, 'text', false],
  ] as const)('%s', async ([, text, shown, isReduced]) => {
    expect(await textOf(text)).toBe(shown);
    expect((await readTerminal(text)).isReduced).toBe(isReduced);
  });

  test('removes every control character of any input', async () => {
    // Every control character, and what sequences are made of.
    const controls = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).filter((one) =>
      /\p{Cc}/u.test(one),
    );
    const unit = fc.constantFrom(...controls, ...Array.from({ length: 20 }, () => ESC), ...'[]8;mAJK\\x?é'.repeat(4));
    const text = fc.string({ unit, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, async (any) => {
        const spans = await spansOf(any);
        return spans.every((span) => !ACTIVE.test(span.text) && /^[a-z -]*$/.test(span.classes));
      }),
    );
  });

  test('keeps the whole text between colour codes', async () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((word) => !/\p{Cc}/u.test(word));
    const line = fc.array(fc.tuple(words, fc.integer({ min: 0, max: 110 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
        const coloured = lines.map((parts) => parts.map(([word, code]) => `${ESC}[${code}m${word}`).join(''));
        const plain = lines.map((parts) => parts.map(([word]) => word).join(''));
        expect(await textOf(coloured.join('\r\n'))).toBe(plain.join('\n'));
        expect((await readTerminal(coloured.join('\n'))).isReduced).toBe(false);
      }),
      samples(40),
    );
  });

  test('reads unfinished escape sequences in under a second', async () => {
    const before = process.cpuUsage();
    for (const start of [`${ESC}]`, '\x9d', `${ESC}[1`, '\x9b1', ESC]) await readTerminal(start.repeat(50_000));
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});
