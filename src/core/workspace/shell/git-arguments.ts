/** Finds the first argument of git that keeps a rule with wildcards from allowing a command. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { GIT_OPTIONS, type TakesValue } from './git-options.ts';
import type { ShellWord } from './simple-commands.ts';

/** Options before the command that change nothing of what git does. */
const HARMLESS = new Set(['--no-pager', '-P']);
/** Commands with addresses, and addresses such as `ext::sh -c …` that run the program that they name. */
const TAKES_ADDRESS = /^(clone|fetch|ls-remote|pull|push|remote|submodule)\b/;
const RUNS_PROGRAM = /\w::/;

/** Returns the words without the harmless options before the command. */
export function withoutHarmlessOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  const [git, ...rest] = words;
  const first = rest.findIndex(({ text }) => text === null || !HARMLESS.has(text));
  return git && first > 0 ? [git, ...rest.slice(first)] : words;
}

/**
 * Returns why only a rule without wildcards may allow this command; null if any rule may. `rest`: the words behind `git`.
 * An option counts only by its whole name: which option an abbreviation is depends on the version of git.
 */
export function findGitLimit(rest: readonly ShellWord[]): Phrase | null {
  const [first, second] = rest.map(({ text }) => text);
  if (first === '--version' && rest.length === 1) return null;
  if (first == null || first.startsWith('-')) return notListed('git', first ?? rest[0]?.raw ?? '');
  const pair = `${first} ${second}`;
  const command = GIT_OPTIONS.has(pair) ? pair : first;
  const options = GIT_OPTIONS.get(command);
  const hasActions = [...GIT_OPTIONS.keys()].some((one) => one.startsWith(`${first} `));
  if (!options || (hasActions && command === first && second !== undefined && !second?.startsWith('-')))
    return phrase('git_command_not_listed', {
      command: `git ${hasActions ? `${first} ${second ?? ''}` : first}`.trim(),
    });
  if (TAKES_ADDRESS.test(first)) {
    const address = rest.find(({ shown }) => RUNS_PROGRAM.test(shown));
    if (address) return notListed(`git ${command}`, address.shown);
  }
  const fault = findFault(rest.slice(command === pair ? 2 : 1), options, hasActions && command === first);
  return fault === null ? null : notListed(`git ${command}`, fault);
}

function notListed(command: string, option: string): Phrase {
  return phrase('option_not_listed', { command, option });
}

/** Returns the first word that is not allowed. `onlyOptions`: an argument could be another action. */
function findFault(
  words: readonly ShellWord[],
  options: ReadonlyMap<string, TakesValue>,
  onlyOptions: boolean,
): string | null {
  let isBehindOptions = false;
  for (let at = 0; at < words.length; at++) {
    const { raw, text, shown, splits } = words[at]!;
    // Behind an option without a value, git could take `--` as its value.
    if (text === '--') isBehindOptions ||= !words[at - 1]?.shown.startsWith('-');
    else if (shown.startsWith('-') && shown !== '-') {
      const takesValue = splits ? null : findOption(shown, options);
      if (takesValue === null) return shown.replace(/=[^]*/, '');
      if (takesValue === 'no') continue;
      // A value with a dash could be an option for another version of git.
      const value = words[(at += 1)];
      if (!value || value.splits || value.shown.startsWith('-')) return shown;
    } else if (onlyOptions) return raw;
    // The value of an expansion or a wildcard could be an option.
    else if (!isBehindOptions && (splits || (text === null && /^[$*?[]/.test(shown)))) return raw;
  }
  return null;
}

/** Returns `yes` if the next word is its value, `no` if not; null for an option that is not in the table. */
function findOption(word: string, options: ReadonlyMap<string, TakesValue>): 'yes' | 'no' | null {
  if (word.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    const takesValue = options.get(name);
    if (takesValue === undefined) return null;
    if (word === name) return takesValue === 'yes' ? 'yes' : 'no';
    return takesValue === 'no' ? null : 'no';
  }
  if (/^-\d+$/.test(word) && options.has('-#')) return 'no';
  for (let at = 1; at < word.length; at++) {
    const takesValue = options.get(`-${word[at]}`);
    if (takesValue === undefined) return null;
    if (takesValue === 'attached' || (takesValue === 'yes' && at < word.length - 1)) return 'no';
    if (takesValue === 'yes') return 'yes';
  }
  return 'no';
}
