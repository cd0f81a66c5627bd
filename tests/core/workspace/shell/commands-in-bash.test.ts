/** Compares the reading of a line for bash with the commands that bash runs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommandLine } from '#core/workspace/shell/commands.ts';
import { samples, TEST_SEED } from '../../../support/samples.ts';
import { applies } from './rules.ts';

const BASH = ['/bin/bash', '/usr/bin/bash'].find(existsSync);

const fragment = fc.constantFrom(
  ...[
    'a',
    '-x',
    'é',
    '😀',
    '=',
    ':',
    '#',
    '!',
    '^',
    '+',
    ',',
    '{}',
    '%',
    '@',
    '\\ ',
    '\\a',
    '\\$',
    "\\'",
    '\\"',
    '\\\\',
  ],
  ...["'a b'", "''", "'$x'", "'\"'", "'a\nb'", '"a b"', '"\\$"', '"\\a"', '"\\\n"', '"\'"', "$'\\x61'", "$'\\''"],
  ...["$'\\n\\t\\\\'", "$'\\101'", '"$"', '$', '"a`p b`"', '"$(p c)"', '"${x:-d}"', '2', '\\\n', "$'\\u41'", '[', ']'],
);
const plainFragment = fragment.filter((part) => !/`|\$[({']|\\\n/.test(part));
const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n ');
const PREFIXES = ['p', '\\p', "'p'", '"p"', 'A=1 p', '2>&1 p', 'time p', 'command p'];
const commandWith = (part: fc.Arbitrary<string>, more: readonly string[]): fc.Arbitrary<string> => {
  const word = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  return fc
    .tuple(fc.constantFrom(...PREFIXES, ...more), fc.array(fc.tuple(blank, word), { maxLength: 4 }))
    .map(([name, words]) => name + words.flat().join(''));
};
const plain = commandWith(plainFragment, []);
const simple = commandWith(fragment, ["$'\\x70'", 'eval p', '! p']);
const list = fc
  .array(fc.tuple(plain, fc.constantFrom(';', ' && ', '||', ' | ', '\n', ' # a\n')), { minLength: 1, maxLength: 3 })
  .map((all) => all.flat().slice(0, -1).join(''));
const { line: script } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc
      .tuple(tie('line'), fc.constantFrom(';', ' && ', '||', ' | ', '\n', ' & ', '\n# a\n'), tie('line'))
      .map((all) => all.join('')),
    fc
      .tuple(
        fc.constantFrom(
          '{ @\n}',
          '(@)',
          'if @\nthen p a; fi',
          'for i in a b; do @\ndone',
          'p $(@)',
          'p "$(@)" b',
          'x=$(@)',
        ),
        tie('line'),
      )
      .map(([frame, inner]) => frame.replace('@', () => inner)),
    tie('line').map((inner) => `p <<E a\n$(${inner})\nE\n`),
    tie('line').map((inner) => `case a in a) ${inner};; esac`),
  ),
}));

/** Returns the calls of `p` that bash makes for each line. A substitution waits for all processes of a line. */
function ranBy(lines: readonly string[]): string[][] {
  // Calls are written in one piece without newlines, because several run at a time.
  const program = `p() { set -- p "$@"; local IFS=$'\\x1f'; set -- "$*"; printf %s "\${1//$'\\n'/$'\\x1c'}"$'\\x1e' >&3; }
    while IFS= read -r -d '' line; do
      calls=$( (eval "$line") 3>&1 < /dev/null > /dev/null 2>&1 )
      printf '%s\\x1d' "$calls" >&3
    done`;
  const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const;
  const input = lines.map((line) => `${line}\0`).join('');
  const { output } = spawnSync(BASH!, ['--norc', '-c', program], { input, stdio: [...stdio], env: { PATH: '/none' } });
  const said = String(output[3]).split('\x1D').slice(0, -1);
  return said.map((one) => one.replaceAll('\x1C', '\n').split('\x1E').slice(0, -1));
}

test.skipIf(BASH === undefined)('lists every command that bash runs for a line', () => {
  const lines = fc
    .sample(fc.oneof(list, script), { ...samples(120, 600), seed: Number(TEST_SEED) })
    .filter((line) => !line.includes('\0'));
  const read = lines.map((line) => ({ line, ...readCommandLine(line) }));
  const ran = ranBy(lines);
  expect(ran).toHaveLength(lines.length);
  // The value of an expansion differs from its text.
  const fits = (values: readonly string[], call: string): boolean =>
    values.includes(call) || values.some((value) => /[$[*?]/.test(value) && value.startsWith('p'));
  const unlisted = read.flatMap(({ line, values, words }, index) =>
    words !== undefined
      ? []
      : ran[index]!.map((call) => call.replaceAll('\x1F', ' '))
          .filter((call) => !fits(values, call))
          .map((call) => ({ line, call, values })),
  );
  expect(unlisted).toEqual([]);
  // A rule that denies the program applies to each line.
  expect(lines.filter((line, index) => ran[index]!.length > 0 && !applies(line, 'deny', '{p,p *}'))).toEqual([]);
  expect(ran.flat().length).toBeGreaterThan(lines.length / 2);
  expect(read.filter(({ values }) => values.length > 0).length).toBeGreaterThan(lines.length / 4);
});

test.skipIf(BASH === undefined)('writes a command so that bash reads the same command again', () => {
  const lines = fc.sample(
    plain.filter((line) => !/[`$]/.test(line) && line.startsWith('p')),
    { ...samples(15, 400), seed: Number(TEST_SEED) },
  );
  const read = lines.flatMap((line) => {
    const [value] = readCommandLine(line).values;
    return value === undefined ? [] : [[line, value] as const];
  });
  expect(ranBy(read.map(([, value]) => value))).toEqual(ranBy(read.map(([line]) => line)));
  expect(read.length).toBeGreaterThan(lines.length / 4);
});
