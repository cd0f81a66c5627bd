/** Finds commands that may run code which their text does not show: only a rule without wildcards may allow them. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { findGitLimit } from './git-arguments.ts';
import type { ShellWord } from './simple-commands.ts';

/** Shells, and interpreters of other languages. */
export const SHELL = /^(r?bash|d?ash|sh|zsh|fish|t?csh|[mp]?dksh|ksh|mksh|pwsh|powershell|cmd|wsl)$/;
export const INTERPRETER =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|tclsh[\d.]*|rscript|r|julia|osascript|ghci|guile|irb|groovy)$/;
/** Programs and builtins that run another program, or change what later words mean. */
export const RUNS_OTHERS = new Set(
  `. source eval exec builtin alias unalias trap coproc let mapfile readarray getopts shopt enable hash bind complete
  compgen compopt fc read set unset export declare typeset readonly local wait jobs repeat noglob nocorrect -
  sudo doas su runuser xargs watch busybox toybox ionice stdbuf setsid chrt taskset chroot unshare nsenter script flock
  strace ltrace gdb lldb valgrind perf hyperfine at batch parallel systemd-run start-stop-daemon expect unbuffer tmux
  screen rlwrap firejail bwrap dbus-run-session run-parts entr caffeinate setarch linux32 linux64 i386 x86_64 chpst
  softlimit prlimit numactl cgexec capsh setpriv pkexec gosu su-exec sg newgrp catchsegv proot fakeroot fakechroot
  torsocks tsocks proxychains proxychains4 ssh awk gawk mawk nawk`.split(/\s+/),
);
const LOADER = /^ld([-.].*)?\.so(\..*)?$/;
/** Modules of Python that run only files which the workspace has. */
const MODULES = /^(pytest|unittest|venv|pip|mypy|ruff|black|flake8|isort|pylint|build|http\.server|json\.tool)$/;
/** Programs whose first argument names their action. */
export const HAS_VERBS = new Set(
  `git npm npx pnpm yarn bun deno docker podman kubectl helm cargo go pip pip3 uv poetry gh glab aws gcloud az terraform
  systemctl service brew apt apt-get dnf yum pacman snap flatpak make just rustup nvm fly vercel`.split(/\s+/),
);
/** Arguments of `find` that start no program and change nothing. */
const FINDS =
  /^(-[HLP]|-O\d|-(name|iname|path|ipath|wholename|regex|iregex|type|xtype|maxdepth|mindepth|size|[acm]time|[acm]min|newer\w*|perm|user|group|links|samefile|inum|regextype|fstype|printf|not|and|or|[ao]|empty|prune|print0?|ls|quit|true|false|daystart|follow|mount|xdev|depth|readable|writable|executable|nouser|nogroup|noleaf)|-\d+)$/;
/** `sed` that prints lines by their numbers; other scripts of it can run programs and write files. */
const PRINTS_LINES = /^\d+(,(\d+|\$))?p$/;

/** Returns why only a rule without wildcards may allow the command; null if any rule may. `rest`: the words behind the program. */
export function findLimit(program: string, rest: readonly ShellWord[]): Phrase | null {
  if (program === 'git') return findGitLimit(rest);
  return isLimited(program, rest) ? phrase('runs_unseen_code', { program }) : null;
}

function isLimited(program: string, rest: readonly ShellWord[]): boolean {
  const [first, ...others] = rest;
  if (RUNS_OTHERS.has(program) || LOADER.test(program)) return true;
  if (SHELL.test(program) || INTERPRETER.test(program)) return !runsFile(program, rest);
  if (HAS_VERBS.has(program)) return rest.some((word, at) => word.text === null && !rest.slice(0, at).some(isVerb));
  switch (program) {
    case 'find':
      return rest.some(
        ({ text, shown, splits }) =>
          splits || (shown.startsWith('-') ? !FINDS.test(text ?? '') : text === null && /^[$*?[]/.test(shown)),
      );
    case 'sed':
      return (
        first?.text !== '-n' ||
        !PRINTS_LINES.test(others[0]?.text ?? '') ||
        others.some(({ shown }) => /^[-$*?[]/.test(shown))
      );
    case 'test':
    case '[':
      return rest.some(({ text }, at) =>
        text === null ? rest[at - 1]?.text === null || rest[at]!.splits : /^-[vR]$|\[/.test(text),
      );
    case 'printf':
      return first === undefined || first.text === null || isOption(first);
    default:
      return false;
  }
}

const isOption = ({ shown }: ShellWord): boolean => /^-./.test(shown);
const isVerb = ({ text }: ShellWord): boolean => text !== null && !text.startsWith('-');

/** Returns whether the first argument is a file that the interpreter runs, or an option without code. */
function runsFile(program: string, [first, second]: readonly ShellWord[]): boolean {
  const text = first?.text ?? '-';
  if (second === undefined && /^(--version|-V|--help)$/.test(text)) return true;
  if (program.startsWith('python') && text === '-m') return MODULES.test(second?.text ?? '');
  if (/^node(js)?$/.test(program) && text === '--test') return second === undefined || !/^[-$*?[]/.test(second.shown);
  return !/^[-+$]/.test(text) && !isStandardInput(text) && !/^(eval|repl|exec|x)$/.test(text);
}

export function isStandardInput(text: string): boolean {
  return /^(-|\/dev\/(stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/.test(text);
}

/** Programs whose arguments are texts. */
const TAKES_TEXT = /^(git|gh|glab|echo|printf|[ef]?grep|rg|ag|ack|jq|yq|curl|test|\[)$/;
/** Verbs behind which many programs take a command. */
const RUN_VERB = /^(exec|run|dlx|x|shell)$/;

/**
 * Returns whether an argument may be a command that the program runs: behind a verb like `exec`, and with a blank in the
 * value of an option or of a variable.
 */
export function mayRunArgument(program: string, rest: readonly ShellWord[]): boolean {
  if (TAKES_TEXT.test(program)) return false;
  return rest.some(({ shown }, at) => {
    if (RUN_VERB.test(shown)) return at < rest.length - 1;
    return isStarter(shown) || /^--?(tool)?exec$/.test(rest[at - 1]?.shown ?? '') || isValueWithBlank(rest, at);
  });
}

/** Options of which the value is the name of a program, also without a blank. */
const isStarter = (text: string): boolean => /^--?[\w-]*(program|command|filter|exec|rsh|shell)=/i.test(text);

const isValueWithBlank = (words: readonly ShellWord[], at: number): boolean =>
  /\s/.test(words[at]!.shown) && (/^-|^\w+=/.test(words[at]!.shown) || /^-/.test(words[at - 1]?.shown ?? ''));

/** Options of a program that runs the command behind them, without and with a value, and the number of words before it. */
interface Wrapper {
  flags?: readonly string[];
  values?: readonly string[];
  operands?: number;
}

const WRAPPERS: Record<string, Wrapper> = {
  command: {},
  env: {},
  nice: { values: ['-n', '--adjustment'] },
  nohup: {},
  time: { flags: ['-p'] },
  timeout: {
    flags: ['--foreground', '--preserve-status', '-v', '--verbose'],
    values: ['-k', '--kill-after', '-s', '--signal'],
    operands: 1,
  },
};

/** Returns the words that the program runs as a command; null if it runs none; `unknown` if its options are not listed. */
export function findInnerCommand(program: string, rest: readonly ShellWord[]): readonly ShellWord[] | null | 'unknown' {
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (!wrapper) return null;
  if (program === 'command' && /^-[vV]$/.test(rest[0]?.text ?? '')) return null;
  let at = 0;
  for (; rest[at]?.text?.startsWith('-'); at++) {
    const option = rest[at]!.text!;
    const [name = ''] = option.split('=', 1);
    if (wrapper.values?.includes(name)) at += option === name ? 1 : 0;
    else if (!wrapper.flags?.includes(option)) return 'unknown';
  }
  const skipped = rest.slice(0, at + (wrapper.operands ?? 0));
  const inner = rest.slice(skipped.length);
  if (skipped.some(({ text }) => text === null)) return 'unknown';
  return inner.length === 0 ? null : inner;
}
