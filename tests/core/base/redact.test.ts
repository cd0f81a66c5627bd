/** What is redacted, and that a pattern of the person takes no longer than its text is long. */
import { expect, onTestFinished, test } from 'vitest';
import { linearFault, linearPattern } from '#core/base/linear-pattern.ts';
import { knowPatterns, knowSecrets, redact, redacted } from '#core/base/redact.ts';
import { checkSettings } from '#core/settings/settings.ts';
import { variations } from '../../support/samples.ts';

test.each([
  ['ab+c', 'xxabbbcyy', ['abbbc']],
  ['(?:foo|ba[rz]){2}', 'foobar barbaz', ['foobar', 'barbaz']],
  ['\\bK-\\d{3,5}\\b', 'a K-1234 xK-123 K-12', ['K-1234']],
  ['(?i:secret)=\\S', 'SeCret=a', ['SeCret=a']],
  ['^a$', 'a\nba\na', ['a', 'a']],
  ['\\p{Lu}x', 'Éx éx 𝐀x', ['Éx', '𝐀x']],
])('finds the matches of %s in %j', (source, text, found) => {
  expect(
    linearPattern(source)
      .rangesIn(text)
      .map(([from, to]) => text.slice(from, to)),
  ).toEqual(found);
  // The program's own engine finds the same.
  expect([...text.matchAll(new RegExp(source, 'gmu'))].map(([all]) => all)).toEqual(found);
});

test.each([
  ['(a)\\1', 'must not refer back to a group'],
  ['(?=x)y', 'must not look ahead or behind'],
  ['(?<!x)y', 'must not look ahead or behind'],
  ['(?:a{100}){100}', 'is too large with all of its repetitions written out'],
  ['a*', 'must not match an empty text, which is everywhere'],
  ['[', 'is not a regular expression (Invalid regular expression: /[/u: Unterminated character class)'],
])('rejects the pattern %s with its line', (source, fault) => {
  expect(linearFault(source)).toBe(fault);
  const result = checkSettings(`[redact]\nenv = []\npatterns = [\n  "fine",\n  ${JSON.stringify(source)},\n]\n`);
  expect(result).toMatchObject({ ok: false, problems: [{ line: 5, column: 3 }] });
  expect(result.ok ? '' : result.problems[0]?.message).toContain(fault);
});

// The first matches at each position, and each match looks for its end in the whole text.
test.each(variations(['a(?:[^b]*b)?', '(a+)+b', '(a|aa)+$', '(a*)*b', 'a*a*a*b'], 2))(
  'the pattern %s takes time in proportion to the text',
  (source) => {
    const pattern = linearPattern(source);
    const took = (length: number): number => {
      const before = process.cpuUsage();
      pattern.rangesIn(`${'a'.repeat(length)}!`);
      return process.cpuUsage(before).user / 1000;
    };
    took(1000);
    // Milliseconds; one that tries again what it has tried takes years.
    expect(took(100_000)).toBeLessThan(2000);
  },
);

test('redacts matches of one pattern that overlap', () => {
  onTestFinished(() => knowPatterns([]));
  knowPatterns([linearPattern('[0-9]{3}-[0-9]{3}')]);
  expect(redact('Call 123-456-789 now.')).toBe('Call [redacted] now.');
});

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz';

test.each([
  [`It is ${TOKEN}.`, 'It is [redacted: GitHub token].'],
  [JSON.stringify({ text: `It is\n${TOKEN}` }), '{"text":"It is\\n[redacted: GitHub token]"}'],
  [encodeURIComponent(`It is ${TOKEN}`), 'It%20is%20[redacted: GitHub token]'],
  ['Authorization: BEARER abcdefghijklmnop', 'Authorization: BEARER [redacted: bearer token]'],
  ['https://me:a:b@c@host/x', 'https://me:[redacted: password]@host/x'],
  ['http://host:8080/?mail=me@example.org', 'http://host:8080/?mail=me@example.org'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----, and on', '[redacted: private key], and on'],
  ['-----BEGIN PRIVATE KEY-----\\nMIIE+/… and on', '[redacted: private key]… and on'],
  [`No${TOKEN}`, `No${TOKEN}`],
])('the redaction of %j is %j', (text, then) => {
  expect(redact(text)).toBe(then);
});

test('redacts a cached text after a new secret or pattern', () => {
  onTestFinished(() => {
    knowSecrets('test', []);
    knowPatterns([]);
  });
  const row = { text: 'It is plain-words-4711.', list: ['Of CUST-1.'] };
  expect(redacted(row)).toBe(row);
  knowSecrets('test', ['plain-words-4711']);
  expect(redacted(row)).toEqual({ text: 'It is [redacted: known key].', list: ['Of CUST-1.'] });
  knowPatterns([linearPattern('CUST-[0-9]+')]);
  expect(redacted(row).list).toEqual(['Of [redacted].']);
});

test('redacts a known value in JSON, in a URL and at a cut, and preserves short or partial matches', () => {
  onTestFinished(() => {
    knowSecrets('test', []);
    knowPatterns([]);
  });
  const secret = 'quote " and space/4711';
  knowSecrets('test', [secret, 'short']);
  const whole = {
    [secret]: [secret, JSON.stringify({ secret }), `http://x/?k=${encodeURIComponent(secret)}`, 7, null],
  };
  expect(redacted(whole)).toEqual({
    '[redacted: known key]': [
      '[redacted: known key]',
      '{"secret":"[redacted: known key]"}',
      'http://x/?k=[redacted: known key]',
      7,
      null,
    ],
  });
  expect(redact(`It is ${secret.slice(0, 15)}…`)).toBe('It is [redacted: known key]…');
  expect(redact(`It is ${secret.slice(0, 13)} of stone, and short`)).toBe(
    `It is ${secret.slice(0, 13)} of stone, and short`,
  );
  knowPatterns([linearPattern('CUST-[0-9]+')]);
  expect(redact('CUST-1 and CUST-22.')).toBe('[redacted] and [redacted].');
});
