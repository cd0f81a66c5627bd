/** Nothing that cannot be seen, or only looks like something else, stays unmarked; everyday writing stays as it is. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  foldBlankLines,
  hasHidden,
  lengthWords,
  piecesOf,
  revealControls,
  getTrailingMarks,
  visibleText,
} from '#contract/visible-text.ts';
import { inFullRun, samples } from '../support/samples.ts';

const ofKind = (text: string, ...kinds: string[]) => piecesOf(text).filter(({ kind }) => kinds.includes(kind));

describe('hidden characters', () => {
  test.for([
    ['a\u202Eb\u2066c\u200F', 'a⟦U+202E⟧b⟦U+2066⟧c⟦U+200F⟧'],
    ['r\u200Bm\u2060\uFEFF\u00AD\u3164\u115F', 'r⟦U+200B⟧m⟦U+2060⟧⟦U+FEFF⟧⟦U+00AD⟧⟦U+3164⟧⟦U+115F⟧'],
    ['x\u{E0041}\u{E0042}', 'x⟦U+E0041⟧⟦U+E0042⟧'],
    ['x\uFE01\u{E0100}\u180B', 'x⟦U+FE01⟧⟦U+E0100⟧⟦U+180B⟧'],
    ['\u0007\u009B\u007F\u000B', '⟦U+0007⟧⟦U+009B⟧⟦U+007F⟧⟦U+000B⟧'],
    ['rm\u00A0-rf\u2003/\u2028x', 'rm⟦U+00A0⟧-rf⟦U+2003⟧/⟦U+2028⟧x'],
    ['\uE000\u{F0000}\u0378\uFFFF\u2800\uFFFC', '⟦U+E000⟧⟦U+F0000⟧⟦U+0378⟧⟦U+FFFF⟧⟦U+2800⟧⟦U+FFFC⟧'],
    ['half \uD83D.', 'half ⟦U+D83D⟧.'],
    ['rm -rf /\rls', 'rm -rf /⟦U+000D⟧ls'],
    ['r\u200Dm \uFE0F', 'r⟦U+200D⟧m ⟦U+FE0F⟧'],
  ] as const)('are shown as marks in %j', ([text, shown]) => {
    expect(visibleText(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });

  it('are combined into one mark with a count if they repeat', () => {
    expect(visibleText(`a${'\u200B'.repeat(5000)}b`)).toBe('a⟦U+200B ×5,000⟧b');
    expect(ofKind('\u{E0041}\u{E0041}', 'hidden')).toMatchObject([{ count: 2 }]);
  });

  it('are marked in ASCII text exactly as in other text', () => {
    const stretch = fc.constantFrom(
      '\n'.repeat(4),
      ' \t\r\n'.repeat(5),
      ' '.repeat(40),
      '\t'.repeat(41),
      '\r\r',
      '\r\n',
    );
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary-ascii', maxLength: 4 }), stretch));
    fc.assert(
      fc.property(text, (parts) => {
        const alone = parts.join('');
        expect(visibleText(`${alone}é`)).toBe(`${visibleText(alone)}é`);
      }),
      samples(40),
    );
    for (let code = 0; code < 128; code += 1) {
      const one = String.fromCharCode(code);
      expect(visibleText(`${one}é`), `U+${code.toString(16)}`).toBe(`${visibleText(one)}é`);
    }
  });

  it('are all replaced by marks, in any text', () => {
    const hides = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u;
    const text = fc.array(
      fc.oneof(
        fc.constantFrom('a', 'б', '漢', '\n', '\r\n', '\u202E', '\u200B', '\u{E0061}', '\uFE0F', '\u200D', '😀', '❤'),
        fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      ),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const shown = visibleText(parts.join(''));
        const rest = shown.replace(/\p{RGI_Emoji}/gv, '').replace(/\r?\n|\t/g, '');
        expect(hides.exec(rest)).toBeNull();
      }),
    );
  });
});

describe('words of mixed scripts', () => {
  test.for([
    ['p\u0430ypal', 'Latin and Cyrillic'],
    ['\u0391dmin', 'Latin and Greek'],
    ['sud\u043E', 'Latin and Cyrillic'],
    ['\u13AAlient', 'Latin and another script'],
    ['при\u03BFет', 'Cyrillic and Greek'],
  ] as const)('are marked with their scripts: %s', ([word, scripts]) => {
    expect(visibleText(`run ${word}.sh now`)).toBe(`run ${word}⟦mixes ${scripts}⟧.sh now`);
    expect(hasHidden(word)).toBe(true);
  });

  test.for([
    'READMEを読む。Tシャツとカタカナー、漢字かな交じり文',
    '　日本語の段落　次',
    'PC방에서 한글과 漢字',
    'Grüße, naïve, мир, 世界, שלום, مرحبا, e\u0301, й, ελληνικά, हिन्दी, தமிழ், ไทย, አማርኛ, ქართული, Հայերեն, ລາວ, ខ្មែរ',
    'Привет world, отчёт.md foo_бар GET-запрос',
    '5 µm, 𝛼 and x₂',
    '👩‍👩‍👧 ❤️‍🔥 ☺️ 1️⃣ 🇩🇪 👩🏽‍💻',
    'naïve\tcafé\r\n',
  ])('everyday writing is unmarked: %s', (text) => {
    expect(piecesOf(text)).toEqual([{ kind: 'plain', text, count: 0 }]);
  });
});

describe('long empty stretches', () => {
  test.for([
    [`Do it.${'\n'.repeat(601)}Then delete it.`, 'Do it.\n⋯ 600 blank lines ⋯\nThen delete it.'],
    [`a${'\n \t'.repeat(50)}\nb`, 'a\n⋯ 50 blank lines ⋯\nb'],
    [`a${'\r\n'.repeat(9)}b`, 'a\r\n⋯ 8 blank lines ⋯\nb'],
    [`${'\n'.repeat(9)}b`, '⋯ 9 blank lines ⋯\nb'],
    [`a${'\n'.repeat(9)}`, 'a\n⋯ 8 blank lines ⋯\n'],
    [`ls${' '.repeat(1200)}; rm`, 'ls⋯ 1,200 spaces ⋯; rm'],
    [`${'\t'.repeat(64)}x`, '⋯ 64 spaces ⋯x'],
  ] as const)('%#', ([text, shown]) => {
    expect(visibleText(text)).toBe(shown);
    expect(hasHidden(text), 'an empty stretch alone hides nothing').toBe(false);
  });

  it('a no-break space is unmarked where French typography uses it, and marked elsewhere', () => {
    const said = 'Continuer\u202F? «\u202Foui\u202F»\u00A0: 12\u202F345,00\u00A0$';
    expect(piecesOf(said)).toEqual([{ kind: 'plain', text: said, count: 0 }]);
    const odd = ['rm\u202Fx', 'a\u00A0b', 'build1\u00A0cache', '5\u202F67', '\u202F\u202F?', 'a\u202E?', 'x\u200B;'];
    for (const text of odd) expect(hasHidden(text), JSON.stringify(text)).toBe(true);
  });

  it('leaves four line breaks and 39 spaces unchanged', () => {
    const text = `a\n\n\n\nb${' '.repeat(39)}c`;
    expect(visibleText(text)).toBe(text);
  });

  it('shows at most three blank lines in a row, and loses no other line', () => {
    const line = fc.constantFrom('', '', '', '', ' ', '\t', 'a', 'b  ');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const text = lines.join('\n');
        const shown = visibleText(text);
        expect(shown).not.toMatch(/\n(?:[ \t]*\n){4}/);
        const filled = shown.replace(/⋯ (\d+) blank lines ⋯/g, (_, count) => '\n'.repeat(Number(count) - 1));
        expect(filled.split('\n').map((one) => one.trim())).toEqual(text.split('\n').map((one) => one.trim()));
      }),
    );
  });

  it('folds blank lines of a diff separately for each sign', () => {
    const lines = ['+a', ...Array<string>(600).fill('+'), ...Array<string>(3).fill('-'), '+b'];
    const folded = foldBlankLines(lines, (line) => (line.length === 1 ? line : null));
    expect(folded).toMatchObject(['+a', { gap: { text: '⋯ 600 blank lines ⋯' }, first: '+' }, '-', '-', '-', '+b']);
  });
});

test('the length of a text is counted in lines and characters as a person sees them', () => {
  expect(lengthWords('')).toBe('0 lines, 0 characters');
  expect(lengthWords('😀')).toBe('1 line, 1 character');
  expect(lengthWords('a\nb\n')).toBe('2 lines, 4 characters');
  expect(lengthWords('\n'.repeat(1200))).toBe('1,200 lines, 1,200 characters');
});

test('the search for marks takes time in proportion to the length of the text', () => {
  const texts = ['a', '\u200Bé', ' \n', `${' '.repeat(39)}é`, '\r', 'аb', '👩‍👩‍👧', '\u0301', '\u0301\u200D\u202E'].map(
    (part) => part.repeat((inFullRun ? 100_000 : 20_000) / part.length),
  );
  for (const text of texts) {
    expect(visibleText(text)).not.toBe('');
    expect(revealControls(text)).not.toBe('');
  }
});

describe('text in a transcript', () => {
  test.for([
    ['a\u202Eb\u202C', 'a⟦U+202E⟧b⟦U+202C⟧'],
    ['if (\u2067admin\u2069)', 'if (⟦U+2067⟧admin⟦U+2069⟧)'],
    ['\u202D\u202D\u202Dx', '⟦U+202D ×3⟧x'],
    [`e${'\u0301'.repeat(40)}!`, `e${'\u0301'.repeat(5)}⟦+35 marks⟧!`],
    [`\u0E2A${'\u0E47'.repeat(9)}`, `\u0E2A${'\u0E47'.repeat(5)}⟦+4 marks⟧`],
    [`e${'\u0301\u200D'.repeat(20)}`, `e${'\u0301\u200D'.repeat(2)}\u0301⟦+35 marks⟧`],
    [`x${'\u{E0101}'.repeat(7)}`, `x${'\u{E0101}'.repeat(5)}⟦+2 marks⟧`],
  ] as const)('shows %j', ([text, shown]) => {
    expect(revealControls(text)).toBe(shown);
  });

  const EVERYDAY = {
    Arabic: 'السَّلَامُ عَلَيْكُمْ وَرَحْمَةُ ٱللَّٰهِ، README.md ملف',
    'Arabic with marks': 'رقم الهاتف \u200E+1 555\u200F هنا \u061C',
    Hebrew: 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת הַשָּׁמַ֖יִם',
    'Hebrew with Latin': 'קובץ \u200FREADME.md\u200F מוכן',
    Persian: 'می\u200Cخواهم کتاب\u200Cها را',
    Hindi: 'क्षत्रिय ज्ञान र्\u200Dय क्\u200Cष हिन्दी',
    Thai: 'ที่นี่ น้ำ ผู้ใหญ่',
    Vietnamese: 'Tiếng Việt'.normalize('NFD'),
    Burmese: 'လျှို့ဝှက် ကျွန်ုပ် မွှိုင်း',
    Tibetan: 'རྒྱུ་མཚན་ བསྒྲུབས་པ',
    Khmer: 'ស្ត្រី ខ្ញុំ',
    Tamil: 'க்ஷ தமிழ்',
    Emoji: '👩‍❤️‍💋‍👨 👩🏽‍💻 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 1️⃣ 🏳️‍🌈',
    IPA: 'ã̰̀ ə̥̆ t̪͡s̪'.normalize('NFD'),
  };
  test.for(Object.entries(EVERYDAY))('leaves %s unchanged', ([, text]) => {
    expect(revealControls(text)).toBe(text);
  });

  it('cuts stacked marks in titles and approvals too, and leaves everyday stacks', () => {
    expect(piecesOf(`e${'\u0301'.repeat(40)}!`)).toEqual([
      { kind: 'plain', text: `e${'\u0301'.repeat(5)}`, count: 0 },
      { kind: 'hidden', text: '⟦+35 marks⟧', count: 35 },
      { kind: 'plain', text: '!', count: 0 },
    ]);
    for (const name of ['Arabic', 'Hebrew', 'Thai', 'Vietnamese', 'Burmese', 'Tibetan', 'Tamil'] as const)
      expect(hasHidden(EVERYDAY[name]), name).toBe(false);
  });

  it('returns the combining marks at the end of a text part, up to the displayed number', () => {
    expect(getTrailingMarks(`e${'\u0301'.repeat(3)}`)).toBe('\u0301'.repeat(3));
    expect(getTrailingMarks(`e${'\u0301'.repeat(9)}`)).toBe('\u0301'.repeat(5));
    expect(getTrailingMarks('e')).toBe('');
  });
});
