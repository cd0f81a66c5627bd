/**
 * Reads the words of a line that is not a list of plain commands, for rules that deny or ask. Each word may be a program:
 * also in quotes, in an expansion, and behind an option. Reading too much is right: it can only deny more.
 */
import { BREAK } from '../../base/pattern.ts';
import { HAS_VERBS, INTERPRETER, isStandardInput, RUNS_OTHERS, SHELL } from './command-limits.ts';
import { MAX_LENGTH, UNUSUAL } from './simple-commands.ts';

const GIT_WITH_OPTIONS = /\b(git)\s+(?:-(?:[cC]\s+)?(?:"[^"]*"|'[^']*'|[^\s"'])+\s+)+/gi;
/** Maximum numbers of words of one command, and of commands. */
const MAX_WORDS = 2000;
const MAX_PARTS = 5000;
/** Maximum nesting of expansions. */
const MAX_DEPTH = 10;

/** Returns the words with `BREAK` where another word may start; null if a program in the line is unknown. */
export function readHiddenWords(line: string): string | null {
  if (line.length > MAX_LENGTH || UNUSUAL.test(line) || hidesProgram(line)) return null;
  const spaced = line
    .replace(/\d*[<>]&(\d+-?|-)|\d*&?>>?\s*\/dev\/null\b/g, ' ')
    .replace(/(?:(?<=[\s;&|()])\d+)?(&>>|>>|&>|<<<|<<-?|<>|>\||>&|<&|>|<)/g, (_, operator: string) =>
      operator.includes('>') ? (operator.includes('>>') ? ' >> ' : ' > ') : ` ${operator.replace(/[&-]/, '')} `,
    );
  const readings = [spaced, spaced.replace(/ (>>?|<{1,3}) \s*\S+/g, ' '), spaced.replaceAll('\\\n', '')];
  // A rule for `git push` is about `git -C x push` too.
  const short = readings.map((reading) => reading.replace(GIT_WITH_OPTIONS, '$1 '));
  return [...new Set([...readings, ...short])].map((reading) => withBreaks(reading)).join(' ');
}

/** Adds `{}` at the end, for the arguments that `xargs` and similar programs append. */
function withBreaks(text: string): string {
  const blank = text.replace(/[;&|()`\s]|\{(?!\})|(?<!\{)\}/g, ' ');
  const broken = blank
    .replace(/(?<=^| )-["'\\]*[A-Za-z]{1,4}/g, (letters) => [...letters].join(BREAK) + BREAK)
    .replace(/["'\\]/g, BREAK)
    .replace(/[$/=:,!@%+[\]^~#]/g, (sign) => sign + BREAK)
    .replace(/\.exe(?=\s|$)/gi, '');
  return `${broken} {}`.replace(/ +/g, ' ').trim();
}

/** Words that another command follows. `!` is not one of them, because conditions contain it too. */
const KEYWORD = /^(then|do|else|elif|if|while|until|time|coproc)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=\S*$/;
/** A variable that the shell runs or loads, with a value that is unknown before the shell runs. */
const HIDDEN_SETTING = /\b(BASH_ENV|ENV|PS4|PROMPT_COMMAND|SHELLOPTS|BASH_FUNC\w*)\+?=\S*[$`]/;
/** Programs and builtins that read a text as code: quotes around it hide nothing. */
const READS_CODE = /^(eval|source|trap|alias|env|su|ssh|watch|parallel|script|flock|xargs|find)$/;
const READS_INPUT = /^(at|batch|parallel|expect|script|ssh|su|source|\.)$/;
const PASSES_ON = /^(env|command|nice|nohup|time|timeout)$/;

const readName = (word: string): string => word.replace(/^.*\//, '').toLowerCase();
const isCode = (word: string): boolean => SHELL.test(readName(word)) || INTERPRETER.test(readName(word));
const passesOn = (word: string): boolean => RUNS_OTHERS.has(readName(word)) || PASSES_ON.test(readName(word));

/** Returns whether a shell finds out only at run time what the word is. */
function isUnknown(word: string | undefined): boolean {
  return word !== undefined && /[$`*?[{]|^~(?!\/)/.test(word) && !/^(\[\[?|\{\})$/.test(word);
}

/** Returns whether the line may run a program that is nowhere in its text. */
function hidesProgram(line: string): boolean {
  const text = withoutDocuments(line)
    .replaceAll('\\\n', ' ')
    .replace(/\$\(\([^()`]*\)\)/g, '0')
    .replace(/\d*[<>]&(\d+-?|-)/g, ' ')
    .replaceAll('&>', ' >');
  const bare = text.replace(/["'\\]/g, '');
  const words = [...text.split(/[\s;&|()`"'\\]+/), ...bare.split(/[\s;&|()`]+/)];
  const mayMislead =
    /(^|[\s;&|()])#|<</.test(text) || words.some((word) => isCode(word) || READS_CODE.test(readName(word)));
  const masked = mayMislead ? null : maskQuotes(text);
  if (HIDDEN_SETTING.test(bare)) return true;
  const commands = splitCommands(masked ?? bare, words.includes('case'));
  if (commands.length > MAX_PARTS) return true;
  const hasInput = /[|<]/.test(line);
  return commands.some((command) => hidesInCommand(command, hasInput));
}

/** Returns the texts of the commands. `$0` replaces an expansion. A text that only continues a command starts with a blank. */
function splitCommands(text: string, hasCase: boolean): string[] {
  const commands: string[] = [];
  let rest = text;
  // The patterns of `case` have brackets without a partner.
  for (let depth = 0; depth < MAX_DEPTH && !hasCase; depth++) {
    rest = rest
      .replace(/\$\(([^()]*)\)|`([^`]*)`/g, (_, inner: string | undefined, quoted: string | undefined) => {
        commands.push(...splitParts(inner ?? quoted ?? '', false));
        return '$0';
      })
      .replace(/=\([^()]*\)/g, '=$0');
  }
  return [...commands, ...splitParts(rest.replace(/\$\(|`/g, '$0;'), hasCase)];
}

function splitParts(text: string, hasCase: boolean): string[] {
  const parts = text.split(/([;&|()\n]|(?<=^|\s)\{(?=\s))/);
  // Behind `)` a command starts only in `case`, and in the body of a function.
  return parts.flatMap((part, at) => {
    if (at % 2 === 1) return [];
    const isCommand = parts[at - 1] !== ')' || hasCase || KEYWORD.test(/^\s*(\S*)/.exec(part)![1]!);
    return [isCommand ? part.trim() : ` ${part.trim()}`];
  });
}

/** `hasInput`: the line gives something to read to one of its commands. */
function hidesInCommand(command: string, hasInput: boolean): boolean {
  const words = command.split(/\s+/).filter(Boolean);
  if (words.length > MAX_WORDS) return true;
  let first = 0;
  for (; first < words.length; first++) {
    const word = words[first]!;
    if (/^\d*[<>]+\|?$/.test(word)) first++;
    else if (!/^[!{]$/.test(word) && !KEYWORD.test(word) && !ASSIGNMENT.test(word) && !/^\d*[<>]/.test(word)) break;
  }
  if (!command.startsWith(' ') && isUnknown(words[first])) return true;
  return words.some((word, at) => {
    if (KEYWORD.test(word) && isUnknown(words[at + 1])) return true;
    return hidesBehind(readName(word), words.slice(at + 1), hasInput);
  });
}

/** Returns whether the program runs something unknown: `rest` are the words behind it. */
function hidesBehind(program: string, rest: readonly string[], hasInput: boolean): boolean {
  const argument = rest.find((word) => !/^[-+]/.test(word));
  if (isCode(program)) {
    if (argument === undefined) return hasInput;
    return (
      isUnknown(argument) || isStandardInput(argument) || /^-\w*[si]/.test(rest[0] ?? '') || /^\d*</.test(argument)
    );
  }
  if (program === 'find')
    return rest.some((word, at) => {
      const next = rest[at + 1];
      return word.startsWith('$') || (/^-(exec|ok)/.test(word) && (isUnknown(next) || next === '{}'));
    });
  if (HAS_VERBS.has(program)) return isUnknown(argument);
  if (program === 'env' && rest.some((word) => /^-(\w*S|-s)/.test(word))) return true;
  if (READS_INPUT.test(program) && hasInput) return true;
  if (!passesOn(program)) return false;
  if (program === 'xargs') return rest.some((word) => passesOn(word) || isCode(word)) || hidesBehindXargs(rest);
  const inner = rest.find((word) => !/^[-+]|^\d|^\w+=/.test(word));
  if (inner === undefined || program === 'alias' || /^[-+]/.test(rest[0]!)) return rest.some(isUnknown);
  return isUnknown(inner) || isStandardInput(inner);
}

/** Returns whether the program that `xargs` runs is what it reads, or an expansion. */
function hidesBehindXargs(rest: readonly string[]): boolean {
  const [options] = /^(-[0rtpxoi]+ |-[aIdELnPs] ?\S+ |--[\w-]+(=\S+)? )*/.exec(`${rest.join(' ')} `)!;
  const program = rest.join(' ').slice(options.length).split(' ')[0];
  const mark = /-I ?(\S+) /.exec(options)?.[1] ?? '{}';
  return isUnknown(program) || (program !== undefined && program.includes(mark)) || /[$`]/.test(options);
}

/** Replaces characters in quotes that no shell would read as syntax there; null if the quotes are ambiguous. */
function maskQuotes(text: string): string | null {
  let masked = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') {
      masked += 'q';
      at += 1;
    } else if (char === "'" || char === '"') {
      if (text[at - 1] === '$') return null;
      const end = text.indexOf(char, at + 1);
      const inner = text.slice(at + 1, end);
      if (end < 0 || (char === '"' && /["`\\]|\$\(/.test(inner))) return null;
      masked += inner.replace(char === '"' ? /[^\w$]/g : /[^\w]/g, 'q');
      at = end;
    } else masked += char;
  }
  return masked;
}

/** Start of a document in quotes that no other quote, comment or calculation comes before. */
const DOCUMENT = /^((?:(?!\(\(|\[\[|\$\{)[^'"\\#`])*(?:"\$\(cat )?)<<(-?)'(\w+)'([^\n'"\\#`<]*)\n/;

/** Returns the line without the bodies of documents in which bash expands nothing. */
function withoutDocuments(line: string): string {
  const start = DOCUMENT.exec(line);
  if (!start) return line;
  const [whole, before = '', dash, mark, after = ''] = start;
  const lines = line.slice(whole.length).split('\n');
  const end = lines.findIndex((one) => (dash ? one.replace(/^\t+/, '') : one) === mark);
  if (end < 0) return line;
  return `${before}${after}\n${lines.slice(end + 1).join('\n')}`;
}
