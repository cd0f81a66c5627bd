/** Front matter gives back what was put in, whatever it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { frontMatter, type Value } from '#core/host/records/sessions/front-matter.ts';
import { anyText } from '../../../../support/any-text.ts';
import { samples } from '../../../../support/samples.ts';

/** As a reader finds it: the bytes of the file, up to the second line of hyphens. */
function read(text: string): unknown {
  const file = Buffer.from(`${text}\n# Body\n\n---\n`, 'utf8').toString('utf8');
  const [, yaml] = /^---\n([\s\S]*?\n)---\n/.exec(file) ?? [];
  return parse(yaml ?? '');
}

const NASTY = [
  ...['"', "'", ':', ': ', ' #', '#', '---', '...', '\n---\n', '- a', '? a', '| b', '> c', '%d', '@', '`'],
  ...['null', '~', 'true', 'no', 'Off', '1e3', '0x1f', '0o7', '.inf', '2026-03-01', '12:30:45', '1_000', '='],
  ...['🙂', '\0', '\ud83e', '\udd16 x', '\u0085', '\u2028', '\ufeff', '\r\n', '\t', '\u007f', '&a', '*a', '!t'],
  ...['[[a/b|c]]', '{}', '[]', ' lead', 'trail ', '', '<<', '\\', '\\n', 'a\\\nb', 'x'.repeat(500)],
];
const nastyText = fc.oneof(
  anyText,
  fc.constantFrom(...NASTY),
  fc.array(fc.constantFrom(...NASTY), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
);
const scalar = fc.oneof(
  ...[nastyText, nastyText, fc.integer(), fc.boolean(), fc.constant(null)],
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
);
const value: fc.Arbitrary<Value> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 4 }),
  fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,9}$/), scalar, { maxKeys: 3, noNullPrototype: true }),
);

test('reads back any fields unchanged from front matter', () => {
  const fields = fc.dictionary(fc.stringMatching(/^[a-z][a-z_]{0,12}$/), value, { noNullPrototype: true });
  fc.assert(
    fc.property(fields, (given) => {
      expect(read(frontMatter(given))).toEqual(given);
    }),
    samples(100),
  );
});

test.for(NASTY)('reads back %j unchanged, alone and in a list', (text) => {
  expect(read(frontMatter({ text, list: [text] }))).toEqual({ text, list: [text] });
});

test('writes simple values without quotes', () => {
  const fields = {
    status: 'completed',
    at: '2026-03-01T12:00:00.000Z',
    agent: 'code-reviewer',
    tokens: 3,
    end: null,
  };
  expect(frontMatter(fields)).toBe(
    '---\nstatus: completed\nat: 2026-03-01T12:00:00.000Z\nagent: code-reviewer\ntokens: 3\nend: null\n---\n',
  );
});
