/** Commands that would make the list untrue: what they are told runs later, elsewhere, or in a way that isn't seen. */
import { checkVariable, isPlainName } from './names.ts';
import { untold, type Word } from './words.ts';

/** What changes the meaning of later words, keeps code for later, calculates, or runs what it reads or is told in its own way. */
const UNTOLD = new Set(
  `alias unalias trap coproc let mapfile readarray getopts shopt enable hash bind complete compgen compopt fc repeat
  noglob nocorrect - su runuser chroot unshare nsenter script flock strace ltrace gdb lldb valgrind perf hyperfine at
  batch parallel systemd-run start-stop-daemon expect unbuffer tmux screen rlwrap firejail bwrap dbus-run-session
  run-parts entr caffeinate setarch linux32 linux64 i386 x86_64 chpst softlimit prlimit numactl cgexec capsh setpriv
  pkexec gosu su-exec sg newgrp catchsegv proot fakeroot fakechroot torsocks tsocks proxychains proxychains4 toybox
  zsh fish csh tcsh ksh mksh rbash pwsh powershell cmd wsl`.split(/\s+/),
);
/** Loads a program that it is told. */
const LOADER = /^ld([-.].*)?\.so(\..*)?$/;
/** Runs what it reads where it is told nothing else. */
const INTERPRETER =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|tclsh[\d.]*|rscript|r|julia|osascript|ghci|guile|irb|groovy)$/;
/** Their first words say what they do. */
const WITH_VERBS = new Set(
  `git npm npx pnpm yarn bun deno docker podman kubectl helm cargo go pip pip3 uv poetry gh glab aws gcloud az terraform
  systemctl service brew apt apt-get dnf yum pacman snap flatpak make just rustup nvm fly vercel`.split(/\s+/),
);

/** `words`: with the program's bare name first. */
export function runs([name, ...rest]: readonly Word[]): void {
  const program = name!.text!;
  if (UNTOLD.has(program) || LOADER.test(program)) untold(`what "${program}" runs is not seen`);
  if (INTERPRETER.test(program)) checkInput(rest);
  if (WITH_VERBS.has(program)) checkVerb(rest);
  CHECKS[program]?.(rest);
}

const STDIN = /^(-|\/dev\/(stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/;

export function isStdin(text: string): boolean {
  return STDIN.test(text);
}

/** What an interpreter runs must not come from what it reads. */
function checkInput(rest: readonly Word[]): void {
  for (const { text, raw } of rest) {
    if (text !== null && isStdin(text)) untold('it runs what it reads');
    if (raw.includes('<(')) untold('it runs what another program writes');
  }
  const asks = /^(-c|-e|-m|-p|-r|-E|-pe|-ne|-V|-v|-h|--(version|help|eval|print)(=.*)?)/;
  if (!rest.some(({ text, raw }) => !raw.startsWith('-') || (text !== null && asks.test(text))))
    untold('it runs what it reads');
}

/** Up to its first word that isn't an option, what a program with many tasks is told must be known. */
function checkVerb(rest: readonly Word[]): void {
  for (const { text, raw, splits } of rest) {
    if (text === null && (splits || !/^(["']?)[\w./~-]/.test(raw))) {
      if (!isBehindOption(rest, raw)) untold('what it does is not constant');
    }
    if (text !== null && !text.startsWith('-') && !isBehindOption(rest, raw)) return;
  }
}

/** The value of an option that names a folder: `git -C "$x" status`. */
function isBehindOption(rest: readonly Word[], raw: string): boolean {
  const before = rest[rest.findIndex((one) => one.raw === raw) - 1]?.text;
  return raw.startsWith('"') && before != null && /^(-C|--prefix|--cwd|--dir|--git-dir|--work-tree)$/.test(before);
}

/** Settings of git that run nothing. */
const HARMLESS =
  /^(user|color|advice|commit|push|pull|fetch\.prune|init\.defaultbranch|core\.(quotepath|autocrlf|eol|longpaths|ignorecase))(\.|=)/i;

function checkGit(rest: readonly Word[]): void {
  const texts = rest.map(({ text }) => text ?? '');
  for (const [index, text] of texts.entries()) {
    if (
      text.startsWith('!') ||
      /^--(exec|config-env|exec-path|upload-pack|receive-pack|open-files-in-pager)/.test(text)
    )
      untold('git runs what it is told');
    if (text === '-c' && !HARMLESS.test(texts[index + 1] ?? '') && !texts.slice(0, index).some(isVerb))
      untold('git runs what it is told');
    if (/^-c./.test(text) && !texts.slice(0, index).some(isVerb)) untold('git runs what it is told');
  }
  const verb = texts.find(isVerb);
  if (verb === 'filter-branch' || (verb === 'bisect' && texts.includes('run'))) untold('git runs what it is told');
  if (verb === 'submodule' && texts.includes('foreach')) untold('git runs what it is told');
  if (/^(rebase|difftool|mergetool)$/.test(verb ?? '') && texts.some((text) => /^-[a-z]*x/.test(text)))
    untold('git runs what it is told');
}

const isVerb = (text: string): boolean => /^[a-z][a-z-]*$/.test(text);

/** Names that a command sets or looks at: an index in one is calculated, and calculating may run what it says. */
function checkNames(rest: readonly Word[], plain: boolean): void {
  for (const { text } of rest) {
    if (text === null) untold('a name is not constant');
    if (plain ? !isPlainName(text) : text.includes('[')) untold('a name is unusual');
    if (!plain) checkVariable(text.replace(/\+?=[^]*/, ''));
  }
}

function checkDeclared(rest: readonly Word[]): void {
  const [options, names] = [rest.filter(isOption), rest.filter((word) => !isOption(word))];
  for (const { text } of options) if (!/^-[xrgpf]+$/.test(text!)) untold('a variable is unusual');
  for (const { text, raw } of names) {
    const name = /^([A-Za-z_]\w*)(\+?=|$)/.exec(raw)?.[1] ?? untold('a name is not constant');
    if (text === null || name !== '') checkVariable(name);
  }
}

const isOption = ({ text }: Word): boolean => text !== null && /^[-+]/.test(text);

function checkTest(words: readonly Word[]): void {
  const rest = words.at(-1)?.text === ']' ? words.slice(0, -1) : words;
  for (const [index, { text, splits }] of rest.entries()) {
    if (text === null && (splits || rest[index - 1]?.text === null)) untold('a test is not constant');
    if (text === '-v' || text === '-R' || text?.includes('[')) untold('a test looks at a name');
  }
}

/** Options with a value, each with it, then names. */
function checkRead(rest: readonly Word[]): void {
  const names: Word[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (!isOption(word)) names.push(word);
    else if (/^-[ers]*[dinNptu]$/.test(word.text!)) at++;
    else if (/^-[ers]*a$/.test(word.text!)) names.push(rest[++at] ?? untold('a name is missing'));
    else if (!/^-[ers]+$/.test(word.text!) && !/^-[nNtu]\d+$/.test(word.text!)) untold('an option is unusual');
  }
  checkNames(names, true);
}

function checkSet(rest: readonly Word[]): void {
  for (const { text } of rest)
    if (
      text === null ||
      !/^([-+][eufxC]*o?|pipefail|errexit|nounset|xtrace|noclobber)$/.test(text) ||
      /^[-+]$/.test(text)
    )
      untold('a setting of the shell changes');
}

const never = (pattern: RegExp) => (rest: readonly Word[]) => {
  if (
    rest.some(({ text, raw }, index) => (text === null ? index === 0 && /^["$`]*[$`]/.test(raw) : pattern.test(text)))
  )
    untold('it sets or runs what it is told');
};

const CHECKS: Record<string, (rest: readonly Word[]) => void> = {
  '[': checkTest,
  test: checkTest,
  read: checkRead,
  set: checkSet,
  git: checkGit,
  export: checkDeclared,
  declare: checkDeclared,
  typeset: checkDeclared,
  readonly: checkDeclared,
  local: checkDeclared,
  unset: (rest) =>
    checkNames(
      rest.filter((word) => !/^-[fv]$/.test(word.text ?? '')),
      false,
    ),
  printf: never(/^-v/),
  wait: never(/^-[a-z]*p/),
  jobs: never(/^-[a-z]*x/),
};
