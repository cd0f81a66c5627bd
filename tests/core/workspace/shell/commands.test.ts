/** Tests what a line for bash is read as, and that bash runs nothing else. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommandLine } from '#core/workspace/shell/commands.ts';
import { matchesHidden } from '#core/tools/targets.ts';
import { matches } from '#core/base/pattern.ts';
import { samples } from '../../../support/samples.ts';

const BASH = ['/bin/bash', '/usr/bin/bash'].find(existsSync);

/** Each value of the line, with `!` before those that only a pattern without wildcards allows. */
function listValues(line: string): string[] {
  const { values, limits } = readCommandLine(line);
  const limited = new Set(limits.map(({ value }) => value));
  return values.map((value) => (limited.has(value) ? `!${value}` : value));
}

test.each<[line: string, values: string[]]>([
  ['', []],
  ['# a', []],
  ['ls -la  a', ['ls -la a']],
  ['ls "a b"', ["ls 'a b'", 'ls a b']],
  [`ls "it's"`, [`ls 'it'\\''s'`, `ls it's`]],
  ['ls ""', ["ls ''", 'ls ']],
  [`ls a'b'"c"`, ['ls abc']],
  ['ls \\\n  -la', ['ls -la']],
  ['ls $X "$Y z" *.ts ~/a HEAD@{1}', ['ls $X "$Y z" *.ts ~/a HEAD@{1}', 'ls $X $Y z *.ts ~/a HEAD@{1}']],
  ['/bin/ls a', ['/bin/ls a', 'ls a']],
  ['./x.exe a', ['./x.exe a', 'x a']],
  ['a; b && c || d | e\nf;', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['a # b\n\n# c\nd &&\n# e\nf', ['a', 'd', 'f']],
  ['\n  [ -f a ] && test -d b', ['[ -f a ]', 'test -d b']],
  ['A=1 a b', ['A=1 a b', 'a b']],
  ['A=1; B="e f"', ['A=1', "'B=e f'", 'B=e f']],
  ['a > b 2>> c < d 2>&1 >&- > /dev/null', ['> b', '>> c', 'a', 'a < d']],
  ['a > "b c" d', ["> 'b c'", '> b c', 'a d']],
  ['a &> b; e >& f; g >| h', ['> b', 'a', '> f', 'e', '> h', 'g']],
  ['a < /dev/null; b < c < /dev/null', ['a', 'b', 'b < c']],
  ['a | psql b', ['a', 'psql b', 'psql b < -']],
  ["rm '*' \\~ '$A' '{b,c}' '#d' a=b", ["rm '*' '~' '$A' '{b,c}' '#d' a=b", 'rm * ~ $A {b,c} #d a=b']],
  ["'a b' 'c;d' '>' '<(e)'", ["'a b' 'c;d' '>' '<(e)'", 'a b c;d > <(e)']],
  ["'/x/a b' c", ["'/x/a b' c", "'a b' c", '/x/a b c', 'a b c']],
  ["a \\; '{}'", ["a ';' '{}'", 'a ; {}']],
  // Programs that run the words behind them.
  ['env A=1 B=2 c', ['env A=1 B=2 c', 'A=1 B=2 c', 'c']],
  ['timeout -k 1 5 nice -n 3 a', ['timeout -k 1 5 nice -n 3 a', 'nice -n 3 a', 'a']],
  ['time -p nohup a', ['time -p nohup a', 'nohup a', 'a']],
  ['command -v a', ['command -v a']],
  // Scripts in files, and lines that print.
  ['bash a.sh b; python3 -m pytest -x; node --test', ['bash a.sh b', 'python3 -m pytest -x', 'node --test']],
  ["sed -n '1,5p' a; find a -name '*.ts' -type f", ['sed -n 1,5p a', "find a -name '*.ts' -type f", 'find a -name *.ts -type f']],
  // Ordinary lines.
  ['npm test', ['npm test']],
  ['git status && git diff --stat', ['git status', 'git diff --stat']],
  ['ls -la | head', ['ls -la', 'head']],
  ['npm run build > out.log 2>&1', ['> out.log', 'npm run build']],
  ['FOO=1 make -j4', ['FOO=1 make -j4', 'make -j4']],
  ['cd src && ls', ['cd src', 'ls']],
  ['grep -rn "foo bar" src | wc -l', ["grep -rn 'foo bar' src", 'grep -rn foo bar src', 'wc -l']],
  ['git --no-pager log -3', ['git log -3']],
])('lists the commands of %j as %j', (line, values) => {
  expect(listValues(line).toSorted()).toEqual(values.toSorted());
});

test.each(
  [
    ...['sudo a', 'sudo -u b a', 'xargs a', 'find . -exec a {} ;', 'find . -delete', 'find $X', 'find -fprint a', 'find *'],
    ...['bash -c a', 'bash', 'bash -x a.sh', 'zsh -c a', 'bash /dev/stdin', 'python3 -c a', 'python3 -', 'python3 -m timeit a'],
    ...['node -e a', 'node --import ./a b', 'deno eval a', 'perl -e a', 'awk a b', 'sed s/a/b/e c', 'sed -i s/a/b/ c', 'ssh h a'],
    ...['env -i a', 'env -S a', 'timeout -z 5 a', 'nice -n $X a', 'eval a', '. a', 'source a', 'exec a', 'export A=1', 'read A'],
    ...['test -v a', '[ -v a ]', 'printf -v a b', 'trap a EXIT', 'alias a=b', 'set -x', 'watch a', 'busybox a', 'git $X', 'npm $X'],
  ].map((line) => [line]),
)('allows %j only by a pattern without wildcards', (line) => {
  const { values, limits, words } = readCommandLine(line);
  expect(values).not.toEqual([]);
  expect(limits.map(({ value }) => value)).toEqual(values);
  expect(words).not.toBeUndefined();
});

test('adds the input of a limited command as a value', () => {
  expect(listValues('a | bash')).toEqual(['a', '!bash', '!bash < -']);
  expect(listValues('xargs rm < a')).toEqual(['!xargs rm', '!xargs rm < a']);
});

test.each(
  [
    ...['ls "', 'ls )', 'ls; fi', 'ls <> a', 'ls a\\\n 2>&1', 'ls "a\\\nb"', 'l\\\ns', 'a; ; b', 'a &&', '; a', '&& a', 'a &', 'a & b', 'a |& b'],
    ...['a {b,c}', 'a {1..3}', 'a $"b"', "a $'b'", 'a ${!X}', 'a ${X@P}', 'a ${X:=b}', 'a ${X:-b}', 'a $((1))', 'a $1', 'a $@'],
    ...['a $(b)', 'a `b`', 'a "$(b)"', 'a <(b)', 'a > >(b)', 'a > $X', 'a > *', 'a <<< b', 'a <<E\nb\nE', 'A=$(b) c', 'A=(b c)'],
    ...['(a)', '{ a; }', '! a', 'if a; then b; fi', 'for x in a; do b; done', 'for ((;;)); do a; done', 'while a; do b; done'],
    ...['case a in b) c;; esac', '[[ a ]]', '((1))', 'f() { a; }', 'function f { a; }', 'select x in a; do b; done', 'coproc a'],
    ...['PS4=a', 'BASH_ENV=a b', 'a {x}> b', 'a 2&> b', 'a "b', "a 'b"],
    ...['a;'.repeat(20_000)],
  ].map((line) => [line.length > 50 ? `${line.slice(0, 5)}… of ${line.length}` : line, line] as const),
)('reads %j as more than simple commands', (_, line) => {
  const { values, words } = readCommandLine(line);
  expect([values, words === undefined]).toEqual([[], false]);
});

test.each(
  [
    ...['ls\r', 'ls \0', 'ls \u00A0a', 'ls \u200Ba', 'ls \uD800', '$X a', '"$X" a', '~ a', '* a', '{a,b}', "'A=1' a", 'a[1]=b', "''"],
    ...['for x in a; do $x; done', 'eval "$x"', 'source "$X"', 'a | sh', 'a | python3', 'python3 <(a)', 'bash -c "$X"', 'sudo $X a'],
    ...['xargs sh -c', 'find $X', 'git $X', 'if $(a); then b; fi', '$(a) b', '`a` b', "$'\\x72m' v", 'a; time { b; }'],
    'a'.repeat(100_001),
  ].map((line) => [line.length > 50 ? `${line.slice(0, 5)}… of ${line.length}` : line, line] as const),
)('cannot read the words of %j', (_, line) => {
  expect(readCommandLine(line).words).toBeNull();
});

const denies = (pattern: string, line: string): boolean => {
  const { values, words } = readCommandLine(line);
  return values.some((value) => matches(pattern, value, { path: false, loose: true })) || matchesHidden(pattern, { values, path: false, words });
};

test.each([
  ...['$(rm -rf x)', 'x=rm; $x y', 'eval "rm x"', 'find . -exec rm {} +', "sh -c 'rm x'", 'bash <<< "rm x"', 'FOO=$(rm x) ls'],
  ...[`sh -c"'r'm x"`, 'env -S"rm x" a', "env '-Srm x'", "su -c'rm x'", 'if /bin/rm x; then a; fi', 'a & rm x', 'a |& xargs rm'],
  ...['for f in *; do rm "$f"; done', '(cd a; \\rm x)', '{ r"m" x; }', 'ls #\'\n(r"m" x) #\'', 'a $(b\nrm x)', 'x="$(a)"; r\\\nm x & b'],
  ...['ssh h "a; rm x"', 'git -c alias.x="!rm x" x', "python3 -c 'os.system(\"rm x\")'", 'perl -e "`rm x`"', 'cat <<E | sh\nrm x\nE'],
  ...['echo "<<\'E\'"\n$x$y v\nE', 'while a; do $b c; done', 'xargs -I% sh -c % <<< a', 'sudo -u a "$b" c', 'for f in a; do timeout 5 $f x; done'],
])('denies %j under a rule that denies rm', (line) => {
  expect(denies('rm *', line)).toBe(true);
});

test.each([
  'for f in src/*; do wc -l "$f" | head; done',
  'while read -r line; do echo "$line"; done < a.txt',
  'if [ -f a ]; then cat a; else echo "no $X"; fi',
  'git commit -m "$(cat <<\'EOF\'\nfix: a\n\n* $b\n- [c] `d`\nEOF\n)"',
  "cat > a.md <<'EOF'\n* $b\n~ c\nEOF",
  'find src -name "*.ts" -exec wc -l {} +',
  'git ls-files | xargs grep -n "foo.*bar"',
  'node scripts/a.ts $(date)',
  'bash -lc "npm test 2>&1 | tail -5"',
  'sudo systemctl restart a',
  'x=$((1 + 2)); [[ $x == 3 ]] && echo "$x"',
  "python3 -c 'print(1 < 2)'",
])('denies %j under no rule that denies another program', (line) => {
  expect(['git push *', 'rm *', 'curl *'].filter((pattern) => denies(pattern, line))).toEqual([]);
});

test('compares a rule for a command of git without the options before the command', () => {
  for (const line of ['git -C a push b', 'git -c a=b push b', '(git --git-dir=a push b)', 'git --no-pager push b'])
    expect([line, denies('git push *', line)]).toEqual([line, true]);
});

test('compares redirections of a line that is not simple', () => {
  expect(denies('> a', 'for x in b; do c >a; done')).toBe(true);
  expect(denies('rm x', '(rm > a x)')).toBe(true);
  expect(denies('> *', '(a > /dev/null 2>&1)')).toBe(false);
});

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

/** Returns the calls of `p` that bash makes for each line. */
function ranBy(lines: readonly string[]): string[][] {
  // Each call in one piece, also beside others: without a newline.
  const program = `p() { set -- p "$@"; local IFS=$'\\x1f'; set -- "$*"; printf %s "\${1//$'\\n'/$'\\x1c'}"$'\\x1e' >&3; }
    while IFS= read -r -d '' line; do (eval "$line"; wait) < /dev/null > /dev/null 2>&1; printf '\\x1d' >&3; done`;
  const stdio = ['pipe', 'ignore', 'inherit', 'pipe'] as const;
  const input = lines.map((line) => `${line}\0`).join('');
  const { output } = spawnSync(BASH!, ['--norc', '-c', program], { input, stdio: [...stdio], env: { PATH: '/none' } });
  const said = String(output[3]).split('\x1D').slice(0, -1);
  return said.map((one) => one.replaceAll('\x1C', '\n').split('\x1E').slice(0, -1));
}

test.skipIf(BASH === undefined)('lists all that bash runs', () => {
  const lines = fc.sample(fc.oneof(list, script), samples(120, 1200)).filter((line) => !line.includes('\0'));
  const read = lines.map((line) => ({ line, ...readCommandLine(line) }));
  const ran = ranBy(lines);
  expect(ran).toHaveLength(lines.length);
  // An expansion becomes something else than what is written: the table above is for that.
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
  // Whatever the line is, a rule that denies the program applies.
  expect(lines.filter((line, index) => ran[index]!.length > 0 && !denies('{p,p *}', line))).toEqual([]);
  expect(ran.flat().length).toBeGreaterThan(lines.length / 2);
  expect(read.filter(({ values }) => values.length > 0).length).toBeGreaterThan(lines.length / 4);
});

test.skipIf(BASH === undefined)('writes a command so that bash reads the same command again', () => {
  const lines = fc.sample(
    plain.filter((line) => !/[`$]/.test(line) && line.startsWith('p')),
    samples(15, 800),
  );
  const read = lines.flatMap((line) => {
    const [value] = readCommandLine(line).values;
    return value === undefined ? [] : [[line, value] as const];
  });
  expect(ranBy(read.map(([, value]) => value))).toEqual(ranBy(read.map(([line]) => line)));
  expect(read.length).toBeGreaterThan(lines.length / 4);
});
