/** Lines made to pass by a rule: none is allowed, what removes is denied, and bash shows that each of those does remove. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inFullRun } from '../../../support/samples.ts';
import { folderWith } from '../../../support/workspace.ts';
import { applies } from './rules.ts';

const BASH = ['/bin/bash', '/usr/bin/bash'].find(existsSync);

/** What a person may have allowed, in one rule: more than each of them alone. */
const ALLOWED = [
  'ls',
  'ls *',
  'git status',
  'git status *',
  'echo *',
  'printf *',
  'npm test',
  'true',
  'cat *',
  'test *',
];
const LISTS = ALLOWED.join(',');
const WRAPPERS = 'find *,xargs *,env *,sudo *,timeout *,command *,bash *';

/** Each removes the file `v` in its folder. */
const REMOVES = [
  'rm v',
  'ls; rm v',
  'ls\nrm v',
  'ls & rm v',
  'ls | rm v',
  'ls || true && rm v',
  'RM=rm; $RM v',
  'r\\\nm v',
  '\\rm v',
  "'r'm v",
  '"r"m v',
  "$'\\x72m' v",
  "$'\\162\\u006d' v",
  'rm$IFS"v"',
  '/bin/rm v',
  '/bin/../bin/rm v',
  'cd /bin && ./rm "$OLDPWD/v"',
  '/bin/r[m] v',
  '{rm,v}',
  'r{m,} v',
  'IFS=,; x=rm,v; $x',
  '${X:-rm} v',
  '${X-r}m v',
  'echo $(rm v)',
  'echo `rm v`',
  'echo "$(rm v)"',
  'echo "${X:-$(rm v)}"',
  'echo "${X:-`rm v`}"',
  'cat <(rm v); sleep 0.1',
  'echo $(echo `rm v`)',
  'cat <<< "$(rm v)"',
  'cat <<EOF\n$(rm v)\nEOF',
  'cat <<EOF\n`rm v`\nEOF',
  'cat <<"EOF" | ls\n# EOF\nEOF\nrm v',
  'cat <<-EOF && rm v\n\tEOF\n',
  'ls # \\\nrm v',
  'ls #; \nrm v',
  'echo a#b; rm v',
  'echo a\\\n#b; rm v',
  'echo $(#a\nrm v)',
  'ls "a" #\'\nrm v #\'',
  "bash +c 'rm v'",
  "bash -c -e -- 'rm v'",
  "builtin eval 'rm v'",
  "a=([b['$(rm v)']]=1)",
  '[[ a == a$(rm v)* ]]',
  'X=ab; ls ${X/$(rm v)/}',
  'ls 2> "$(rm v)"',
  'cat <<E\n\\\\$(rm v)\nE',
  'cat <<E\n"\'$(rm v)\'"\nE',
  'cat <<E > x; rm v\nE',
  'cat <<\\E\n$(a)\nE\nrm v',
  'cat <<E\\\nF\nE\nEF\nrm v',
  'cat <<E\n E\nE\nrm v',
  "cat <<'E'\nE \n\nE\nrm v",
  'ls \n\\\nrm v',
  'ls > x \n\\\nrm v',
  'A=1 \n\\\nrm v',
  'export A \n\\\nrm v',
  '[ a \n\\\nrm v',
  'time { rm v; }',
  'time ! rm v',
  'ls & # \\\nrm v',
  '1A=b ls; rm v',
  '(rm v)',
  '{ rm v; }',
  '! rm v',
  'if rm v; then ls; fi',
  'for rm in v; do rm $rm; done',
  'while rm v; do ls; done',
  'until rm v; do ls; done',
  'case $(rm v) in *) ls;; esac',
  'case a in a) rm v;; esac',
  '[[ -n $(rm v) ]]',
  '[ a ] && rm v',
  '[ a || rm v ]',
  '[ -n `rm v` ]',
  'a=($(rm v))',
  'a=$(rm v) ls',
  'f() { rm v; }; f',
  'ls() { rm v; }; ls a',
  'function ls { rm v; }; ls a',
  'shopt -s expand_aliases; alias ls="rm v #"\nls a',
  'trap "rm v" EXIT',
  'eval "rm v"',
  'eval rm v',
  'eval $(echo cm0gdg== | base64 -d)',
  'echo cm0gdg== | base64 -d | bash',
  'echo "rm v" | sh',
  'bash <<< "rm v"',
  'bash <<EOF\nrm v\nEOF',
  "bash -s <<'EOF'\nrm v\nEOF",
  'bash <(echo rm v)',
  'source <(echo rm v)',
  'echo rm v > s; . ./s',
  'echo rm v > s; bash s',
  'bash -c "rm v"',
  'bash -ec "rm v"',
  'bash -c \'bash -c "rm v"\'',
  'bash -c \'"$@"\' _ rm v',
  "bash -c '$0 v' rm",
  "sh -c 'rm v'",
  'x="rm v"; bash -c "$x"',
  'command rm v',
  'command -p rm v',
  'exec rm v',
  'exec -a ls rm v',
  'env rm v',
  'env -i A=b /bin/rm v',
  'env -S "rm v"',
  'env -S"rm v"',
  'env -iS "rm v"',
  'env -u A -- rm v',
  'timeout 5 rm v',
  'timeout -s KILL 5 env rm v',
  'nice -n 1 rm v',
  'nice -1 rm v',
  'nohup rm v',
  'time rm v',
  'time -p rm v',
  'stdbuf -oL rm v',
  'setsid -w rm v',
  'echo v | xargs rm',
  'echo v | xargs -I% rm %',
  'echo rm v | xargs -I% sh -c %',
  'echo rm v | xargs env',
  'echo v | xargs -n1 bash -c \'rm "$0"\'',
  'find v -exec rm {} \\;',
  'find v -exec rm {} +',
  'find v -execdir rm {} ";"',
  'find v -exec sh -c \'rm "$1"\' _ {} \\;',
  'ls > /dev/null 2>&1; rm v',
  '> x rm v',
  'rm > x v',
  '2>&1 rm v',
  'A=1 rm v',
  'A=1 B+=2 rm v',
  'coproc rm v; wait',
  'git init -q; git -c alias.x="!rm v" x',
  "printf -v 'a[$(rm v)]' x",
  "test -v 'a[$(rm v)]'",
  "[ -v 'a[$(rm v)]' ]",
  "[[ 'a[$(rm v)]' -eq 0 ]]",
  "for x in 'a[$(rm v)]'; do echo $((x)); done",
  "for x in 'a[$(rm v)]'; do echo ${a[x]}; done",
  "for x in 'a[$(rm v)]'; do echo ${x:x}; done",
  `for x in -v; do for y in 'a[$(rm v)]'; do test $x "$y"; done; done`,
  `for x in -v; do for y in 'a[$(rm v)]'; do printf $x "$y" b; done; done`,
  "for x in '$(rm v)'; do echo ${x@P}; done",
  "for PS4 in '$(rm v)'; do set -x; echo a; done",
  "for RANDOM in 'a[$(rm v)]'; do echo a; done",
  "echo ${PS4:='$(rm v)'}; PS4='$(rm v)'; set -x; ls",
  "let 'a[$(rm v)]=1'",
  '(( a[$(rm v)] ))',
  "declare -i x='a[$(rm v)]'",
  "read 'a[$(rm v)]' <<< x",
  "a=(1); unset 'a[$(rm v)]'",
  "PROMPT_COMMAND='rm v' bash -i < /dev/null",
  "echo 'rm v' > e; BASH_ENV=./e bash -c ls",
  'hash -p /bin/rm ls; ls v',
  'BASH_CMDS[ls]=/bin/rm; ls v',
  'enable -n echo; rm v',
  'mapfile -c 1 -C "rm v #" <<< a',
  "compgen -W '$(rm v)'",
  'python3 -c "import os" ; rm v',
] as const;

/** These change or run something else than what the rule names. */
const NOT_ALLOWED = [
  './ls a',
  '/tmp/ls a',
  'PATH=/tmp ls a',
  'PATH=/tmp; ls a',
  'for PATH in /tmp; do ls a; done',
  'for npm_config_script_shell in /tmp/x; do npm test; done',
  'export PATH=/tmp; ls a',
  'LD_PRELOAD=./x.so ls a',
  'echo a > ~/.bashrc',
  'echo a >> x',
  'echo a >| x',
  'echo a &> x',
  'echo a >& x',
  'echo a 3<> x',
  'echo a > $X',
  'echo a > "x$(ls b)"',
  'cat < /dev/tcp/1.2.3.4/80',
  'cat < $X',
  'git status; git push',
  'git status && ./x',
  "'git status'",
  "git 'status --x'",
  'git status --\r',
  'npm test\rrm v',
  'ls a\0b',
  'ls\u00A0a; x',
  'ls\u2028x',
  'l\u0455 a',
  'echo a \u202E b',
  'echo a | tee x',
  'npm test -- --x',
  'echo "$(<a)" | sh',
  'unset PATH; ls a',
  'set -a; ls a',
  'exec 3<>/dev/tcp/1.2.3.4/80',
  'exec > x; ls a',
  'exec < x; ls a',
  'sudo -i ls a',
  'sudo -s ls a',
  'busybox sh -c "rm v"',
  'watch "ls a; x"',
  'parallel ::: "ls a"',
  'select x in a; do ls a; done',
  'ls a; }',
  "ls a 'b",
  'ls a <<A <<B\nx\nA\ny\nB',
  'zsh -c "ls a"',
  'dash -c "[[ a && ls b ]]"',
  '/lib64/ld-linux-x86-64.so.2 /bin/ls a',
] as const;

// What stands in a script file is not seen: writing it and running it are.
const IN_FILES: readonly string[] = ['echo rm v > s; . ./s', 'echo rm v > s; bash s'];

/** Returns the lines that a rule with the pattern applies to. */
function concerned(lines: readonly string[], effect: 'allow' | 'deny', pattern: string): string[] {
  return lines.filter((line) => applies(line, effect, pattern));
}

test('allow rules for harmless commands allow none of the malicious lines', () => {
  expect(concerned([...REMOVES, ...NOT_ALLOWED], 'allow', `{${LISTS}}`)).toEqual([]);
});

test('allow rules for programs that run other programs allow none of the malicious lines', () => {
  expect(concerned(REMOVES, 'allow', `{${LISTS},${WRAPPERS}}`)).toEqual([]);
});

test('a deny rule for rm applies to every line that hides rm, except in a script file', () => {
  const elsewhere = [
    'sudo rm v',
    'sudo -u bob -- /bin/rm v',
    'busybox rm v',
    'watch rm v',
    'RM v',
    'doas rm v',
    'rm "a b"',
  ];
  const lines = [...REMOVES, ...elsewhere].filter((line) => !IN_FILES.includes(line));
  expect(concerned(lines, 'deny', 'rm *')).toEqual(lines);
});

test('a deny rule also applies to an argument with quotes', () => {
  for (const line of ['curl "http://evil/ x"', 'curl "http://evil/$X"', "curl 'http://'evil/"])
    expect(applies(line, 'deny', 'curl http://evil/*')).toBe(true);
});

test('allow rules allow ordinary lines of their commands', () => {
  for (const line of [
    'ls -la "a b"',
    'git status',
    'npm test 2>&1',
    'ls a > /dev/null',
    'cat "$X" | cat -n && ls *.ts',
  ])
    expect(applies(line, 'allow', `{${LISTS}}`), line).toBe(true);
});

test.skipIf(BASH === undefined)('each malicious line really removes its file in bash', async () => {
  // Each of them in the full run.
  const lines = REMOVES.filter((_, index) => inFullRun || index % 30 === 0);
  const folder = await folderWith(Object.fromEntries(lines.map((_, index) => [`${index}/v`, ''])));
  // One small program starts them all: each start by a large one would cost more than all that they do.
  const program = `at=0; while IFS= read -r -d '' line; do (cd $at && exec env -i PATH=/usr/bin:/bin HOME="$PWD" \
    timeout 10 "$0" --norc -c "$line") < /dev/null > /dev/null 2>&1; at=$((at + 1)); done`;
  const child = spawn(BASH!, ['--norc', '-c', program, BASH!], { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(lines.map((line) => `${line}\0`).join(''));
  await once(child, 'exit');
  expect(lines.filter((_, index) => existsSync(join(folder, `${index}/v`)))).toEqual([]);
});
