/** Tests that rules which deny find a program in a line that is more than simple commands. */
import { expect, test } from 'vitest';
import { applies } from './rules.ts';

test.each([
  ...[
    '$(rm -rf x)',
    'x=rm; $x y',
    'eval "rm x"',
    'find . -exec rm {} +',
    "sh -c 'rm x'",
    'bash <<< "rm x"',
    'FOO=$(rm x) ls',
  ],
  ...[
    `sh -c"'r'm x"`,
    'env -S"rm x" a',
    "env '-Srm x'",
    "su -c'rm x'",
    'if /bin/rm x; then a; fi',
    'a & rm x',
    'a |& xargs rm',
  ],
  ...[
    'for f in *; do rm "$f"; done',
    '(cd a; \\rm x)',
    '{ r"m" x; }',
    'ls #\'\n(r"m" x) #\'',
    'a $(b\nrm x)',
    'x="$(a)"; r\\\nm x & b',
  ],
  ...[
    'ssh h "a; rm x"',
    'git -c alias.x="!rm x" x',
    'python3 -c \'os.system("rm x")\'',
    'perl -e "`rm x`"',
    'cat <<E | sh\nrm x\nE',
  ],
  ...[
    'echo "<<\'E\'"\n$x$y v\nE',
    'while a; do $b c; done',
    'xargs -I% sh -c % <<< a',
    'sudo -u a "$b" c',
    'for f in a; do timeout 5 $f x; done',
  ],
  ...[
    'A=$(b) $c v',
    'A=(b) $c v',
    'f() if $x; then a; fi',
    'coproc x { $y; }',
    'function f while $x; do a; done',
    '(sudo $(a) v)',
  ],
  ...[
    'a | base64 -d | s\\h',
    'a | source /dev/stdin',
    'a | at now',
    "alias l='${x}m v'; l",
    'BASH_ENV=$x bash a',
    'for x in -; do eval $x$y v; done',
  ],
  ...[
    'find . -exec {} v +',
    'a | xargs -I% % v',
    'a | xargs env',
    'a | xargs -n1 $x',
    'echo $(case a in a) $x;; esac)',
    '`a` b; (c)',
  ],
])('denies %j under a rule that denies rm', (line) => {
  expect(applies(line, 'deny', 'rm *')).toBe(true);
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
  'cd "$(git rev-parse --show-toplevel)" && X="$(a)" npm test',
  'echo "$(date) $HOME" > a.txt',
  'git ls-files | xargs -I{} cp {} b/{}',
  '[ ! "$x" ] && (a; b) || { c "$x"; }',
  'x=$((1 + 2)); [[ $x == 3 ]] && echo "$x"',
  "python3 -c 'print(1 < 2)'",
])('denies %j under no rule that denies another program', (line) => {
  expect(['git push *', 'rm *', 'curl *'].filter((pattern) => applies(line, 'deny', pattern))).toEqual([]);
});

test('a deny rule for a git command applies whatever options stand before the command', () => {
  for (const line of ['git -C a push b', 'git -c a=b push b', '(git --git-dir=a push b)', 'git --no-pager push b'])
    expect([line, applies(line, 'deny', 'git push *')]).toEqual([line, true]);
});

test('a deny rule applies whatever the quotes in its pattern and in the line', () => {
  for (const line of ["(rm 'a b')", '(rm a\\ b)', `(su -llllc"rm 'a b'")`])
    expect([line, applies(line, 'deny', "rm 'a b'")]).toEqual([line, true]);
});

test('a deny rule for a redirection applies inside loops and subshells', () => {
  expect(applies('for x in b; do c >a; done', 'deny', '> a')).toBe(true);
  expect(applies('(rm > a x)', 'deny', 'rm x')).toBe(true);
  expect(applies('(a > /dev/null 2>&1)', 'deny', '> *')).toBe(false);
});
