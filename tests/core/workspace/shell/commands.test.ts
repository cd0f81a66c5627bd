/** Tests the reader of lines for bash. */
import { expect, test } from 'vitest';
import { readCommandLine } from '#core/workspace/shell/commands.ts';

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
  [
    "sed -n '1,5p' a; find a -name '*.ts' -type f",
    ['sed -n 1,5p a', "find a -name '*.ts' -type f", 'find a -name *.ts -type f'],
  ],
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
    ...[
      'sudo a',
      'sudo -u b a',
      'xargs a',
      'find . -exec a {} ;',
      'find . -delete',
      'find $X',
      'find -fprint a',
      'find *',
    ],
    ...[
      'bash -c a',
      'bash',
      'bash -x a.sh',
      'zsh -c a',
      'bash /dev/stdin',
      'python3 -c a',
      'python3 -',
      'python3 -m timeit a',
    ],
    ...[
      'node -e a',
      'node --import ./a b',
      'deno eval a',
      'perl -e a',
      'awk a b',
      'sed s/a/b/e c',
      'sed -i s/a/b/ c',
      'ssh h a',
    ],
    ...[
      'env -i a',
      'env -S a',
      'timeout -z 5 a',
      'nice -n $X a',
      'eval a',
      '. a',
      'source a',
      'exec a',
      'export A=1',
      'read A',
    ],
    ...[
      'test -v a',
      '[ -v a ]',
      'printf -v a b',
      'trap a EXIT',
      'alias a=b',
      'set -x',
      'watch a',
      'busybox a',
      'ld-linux.so.2 a',
      'git $X',
      'npm $X',
    ],
  ].map((line) => [line]),
)('allows %j only by a pattern without wildcards', (line) => {
  const { values, limits, words } = readCommandLine(line);
  expect(values).not.toEqual([]);
  expect(limits.map(({ value }) => value)).toEqual(values);
  expect(words).not.toBeUndefined();
});

test('allows a value only by a pattern without wildcards if one of two commands with that value needs it', () => {
  expect(listValues("find a -delete; find 'a -delete'")).toContain('!find a -delete');
});

test('lists no values for a line with too many redirections', () => {
  const redirections = Array.from({ length: 501 }, (_, index) => `> ${index}`).join(' ');
  expect(listValues(`a ${redirections}`)).toEqual([]);
});

test('adds the input of a limited command as a separate value', () => {
  expect(listValues('a | bash')).toEqual(['a', '!bash', '!bash < -']);
  expect(listValues('xargs rm < a')).toEqual(['!xargs rm', '!xargs rm < a']);
});

test.each(
  [
    ...[
      'ls "',
      'ls )',
      'ls; fi',
      'ls <> a',
      'ls a\\\n 2>&1',
      'ls "a\\\nb"',
      'l\\\ns',
      'a; ; b',
      'a &&',
      '; a',
      '&& a',
      'a &',
      'a & b',
      'a |& b',
    ],
    ...[
      'a {b,c}',
      'a {1..3}',
      'a $"b"',
      "a $'b'",
      'a ${!X}',
      'a ${X@P}',
      'a ${X:=b}',
      'a ${X:-b}',
      'a $((1))',
      'a $1',
      'a $@',
    ],
    ...[
      'a $(b)',
      'a `b`',
      'a "$(b)"',
      'a <(b)',
      'a > >(b)',
      'a > $X',
      'a > *',
      'a <<< b',
      'a <<E\nb\nE',
      'A=$(b) c',
      'A=(b c)',
    ],
    ...[
      '(a)',
      'a; time { b; }',
      '{ a; }',
      '! a',
      'if a; then b; fi',
      'for x in a; do b; done',
      'for ((;;)); do a; done',
      'while a; do b; done',
    ],
    ...[
      'case a in b) c;; esac',
      '[[ a ]]',
      '((1))',
      'f() { a; }',
      'function f { a; }',
      'select x in a; do b; done',
      'coproc a',
    ],
    ...['PS4=a', 'BASH_ENV=a b', 'a {x}> b', 'a 2&> b', 'a "b', "a 'b"],
    ...['a;'.repeat(20_000)],
  ].map((line) => [line.length > 50 ? `${line.slice(0, 5)}… of ${line.length}` : line, line] as const),
)('lists no values for %j, which is more than simple commands, but can read its words', (_, line) => {
  const { values, words } = readCommandLine(line);
  expect([values, words === undefined]).toEqual([[], false]);
});

test.each(
  [
    ...[
      'ls\r',
      'ls \0',
      'ls \u00A0a',
      'ls \u200Ba',
      'ls \uD800',
      '$X a',
      '"$X" a',
      '~ a',
      '* a',
      '{a,b}',
      "'A=1' a",
      'a[1]=b',
      "''",
    ],
    ...[
      'for x in a; do $x; done',
      'eval "$x"',
      'source "$X"',
      'a | sh',
      'a | python3',
      'python3 <(a)',
      'bash -c "$X"',
      'sudo $X a',
    ],
    ...['xargs sh -c', 'find $X', 'git $X', 'if $(a); then b; fi', '$(a) b', '`a` b', "$'\\x72m' v"],
    ...['a'.repeat(100_001), `(${'a '.repeat(3000)})`, `(${'a\n'.repeat(6000)})`],
  ].map((line) => [line.length > 50 ? `${line.slice(0, 5)}… of ${line.length}` : line, line] as const),
)('reports the words of %j as unknown', (_, line) => {
  expect(readCommandLine(line).words).toBeNull();
});
