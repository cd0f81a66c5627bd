/** Reads a command line that is a list of simple commands. Any other syntax of bash makes it not such a list. */
import { singleQuoted } from '../../base/text.ts';

export interface ShellWord {
  /** Text as joinWords. */
  raw: string;
  /** Value after bash has removed the quotes; null if it has an expansion or a wildcard. */
  text: string | null;
  /** Text without quotes, expansions as joinWords. */
  shown: string;
  /** True if an expansion without quotes may make it several words, or none. */
  splits: boolean;
}

export interface Redirection {
  operator: string;
  path: ShellWord;
}

export interface SimpleCommand {
  assignments: readonly ShellWord[];
  words: readonly ShellWord[];
  redirections: readonly Redirection[];
  /** True if it reads the output of the command before it. */
  isPiped: boolean;
}

/** Maximum length of a line that is read, in UTF-16 code units. */
export const MAX_LENGTH = 100_000;
/** Maximum number of commands in a list. */
const MAX_COMMANDS = 500;

/** Control characters and blanks that a person or a shell may read differently. */
export const UNUSUAL = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

class NotSimple extends Error {}

function notSimple(): never {
  throw new NotSimple();
}

/** Returns the commands of the line; null if the line is anything else than a list of simple commands. */
export function readSimpleCommands(line: string): SimpleCommand[] | null {
  if (line.length > MAX_LENGTH || UNUSUAL.test(line)) return null;
  try {
    return new LineReader(line).readList();
  } catch (error) {
    if (error instanceof NotSimple) return null;
    throw error;
  }
}

/** Returns a word that bash reads without quotes as itself. */
export function makeWord(text: string): ShellWord {
  return { raw: text, text, shown: text, splits: false };
}

const REDIRECTIONS = ['&>>', '&>', '>>', '>|', '>&', '<&', '>', '<'];
const SEPARATORS = ['&&', '||', ';', '|', '\n'];
/** Characters that end a word outside quotes. */
const ENDS_WORD = /[\s;&|<>()]/;
const VARIABLE = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\?)/y;
/** Characters that start an expansion behind `$`; outside double quotes, a quote does too. */
const EXPANDS = /[A-Za-z0-9_@*#?$!({[-]/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
/** Variables that make bash run or load something, or that it calculates. */
const READ_BY_SHELL =
  /^(BASH.*|PS\d|PROMPT_COMMAND|ENV|SHELLOPTS|S?RANDOM|SECONDS|LINENO|OPTIND|HIST.*|EPOCH.*|COMP_.*|DIRSTACK|GROUPS|FUNCNAME|EXECIGNORE|MAILPATH|_)$/;

/** Words with another meaning at the start of a command, unless they are quoteWord. */
export const RESERVED = new Set(
  '! { } [[ ]] if then elif else fi for in do done while until case esac select function coproc repeat foreach end'.split(
    ' ',
  ),
);

class LineReader {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  readList(): SimpleCommand[] {
    const commands: SimpleCommand[] = [];
    /** The operator that needs a second command; empty if the next command may be missing. */
    let operator = '';
    for (;;) {
      const command = this.#readCommand(operator === '|');
      const isEnd = this.#at === this.#line.length;
      if (commands.length >= MAX_COMMANDS) notSimple();
      const separator = SEPARATORS.find((one) => this.#line.startsWith(one, this.#at));
      if (separator === undefined && !isEnd) notSimple();
      if (command) commands.push(command);
      else if (isEnd ? operator !== '' : separator !== '\n') notSimple();
      if (separator === undefined) return commands;
      this.#at += separator.length;
      if (command) operator = /[;\n]/.test(separator) ? '' : separator;
    }
  }

  /** Returns null if no word or redirection is left before the next separator. */
  #readCommand(isPiped: boolean): SimpleCommand | null {
    const [assignments, words, redirections]: [ShellWord[], ShellWord[], Redirection[]] = [[], [], []];
    for (;;) {
      this.#skipBlanks();
      const redirection = this.#readRedirection();
      if (redirection) {
        redirections.push(redirection);
        continue;
      }
      const word = this.#readWord();
      if (!word) break;
      const name = words.length === 0 ? ASSIGNMENT.exec(word.raw)?.[1] : undefined;
      if (name === undefined) words.push(word);
      else if (READ_BY_SHELL.test(name)) notSimple();
      else assignments.push({ ...word, splits: false });
    }
    if (words.length + assignments.length + redirections.length === 0) return null;
    if (words[0] && RESERVED.has(words[0].raw)) notSimple();
    return { assignments, words, redirections, isPiped };
  }

  #skipBlanks(): void {
    for (;;) {
      if (/[ \t]/.test(this.#line[this.#at] ?? '')) this.#at += 1;
      else if (this.#line.startsWith('\\\n', this.#at)) this.#at += 2;
      else if (this.#line[this.#at] === '#' && /^$|[\s;&|]/.test(this.#line[this.#at - 1] ?? '')) this.#skipComment();
      else return;
    }
  }

  #skipComment(): void {
    const end = this.#line.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#line.length : end;
  }

  #readRedirection(): Redirection | null {
    const descriptor = /\d*/y;
    descriptor.lastIndex = this.#at;
    const digits = descriptor.exec(this.#line)![0];
    const start = this.#at + digits.length;
    const operator = REDIRECTIONS.find((one) => this.#line.startsWith(one, start));
    if (operator === undefined) return null;
    // Documents, texts and processes begin with two such characters.
    if (/^(<[<>(]|>\()/.test(this.#line.slice(start, start + 2))) notSimple();
    if (operator.startsWith('&') && digits !== '') notSimple();
    this.#at = start + operator.length;
    this.#skipBlanks();
    const path = this.#readWord() ?? notSimple();
    if (path.text === null) notSimple();
    return { operator, path };
  }

  /** Returns null at the end of the line and before an operator. */
  #readWord(): ShellWord | null {
    const start = this.#at;
    let text = '';
    let [isConstant, splits, hasBrace] = [true, false, false];
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at]!;
      if (ENDS_WORD.test(char)) break;
      if (char === "'") text += this.#readSingleQuoted();
      else if (char === '"') {
        const quotedPart = this.#readDoubleQuoted();
        text += quotedPart.text;
        isConstant &&= quotedPart.isConstant;
      } else if (char === '$') {
        const expansion = this.#readVariable(false);
        text += expansion;
        if (expansion !== '$') [isConstant, splits] = [false, true];
      } else if (char === '\\') {
        const next = this.#line[this.#at + 1];
        if (next === undefined || next === '\n') notSimple();
        const escaped = String.fromCodePoint(this.#line.codePointAt(this.#at + 1)!);
        text += escaped;
        this.#at += 1 + escaped.length;
      } else {
        if (char === '`') notSimple();
        if (hasBrace && (char === ',' || this.#line.startsWith('..', this.#at))) notSimple();
        hasBrace ||= char === '{';
        if (/[*?[]/.test(char)) isConstant = false;
        text += char;
        this.#at += 1;
      }
    }
    const raw = this.#line.slice(start, this.#at);
    if (raw === '') return null;
    // A descriptor in braces belongs to the redirection behind it.
    if (/^\{.*\}$/.test(raw) && /[<>]/.test(this.#line[this.#at] ?? '')) notSimple();
    return { raw, text: isConstant || raw === '[' ? text : null, shown: text, splits };
  }

  #readSingleQuoted(): string {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) notSimple();
    const text = this.#line.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #readDoubleQuoted(): { text: string; isConstant: boolean } {
    let text = '';
    let isConstant = true;
    for (this.#at += 1; this.#line[this.#at] !== '"';) {
      const char = this.#line[this.#at] ?? notSimple();
      if (char === '`') notSimple();
      if (char === '$') {
        const expansion = this.#readVariable(true);
        text += expansion;
        isConstant &&= expansion === '$';
        continue;
      }
      const next = this.#line[this.#at + 1] ?? '';
      if (char === '\\' && next === '\n') notSimple();
      const isEscape = char === '\\' && /[$`"\\]/.test(next);
      text += isEscape ? next : char;
      this.#at += isEscape ? 2 : 1;
    }
    this.#at += 1;
    return { text, isConstant };
  }

  /** Returns `$` alone if nothing is expanded there. */
  #readVariable(isQuoted: boolean): string {
    VARIABLE.lastIndex = this.#at;
    const variable = VARIABLE.exec(this.#line)?.[0];
    if (variable === undefined) {
      const next = this.#line[this.#at + 1] ?? ' ';
      if (EXPANDS.test(next) || (!isQuoted && /['"]/.test(next))) notSimple();
    }
    this.#at += variable?.length ?? 1;
    return variable ?? '$';
  }
}

/** Characters that bash reads as themselves without quotes. */
const PLAIN = /^[\p{L}\p{M}\p{N}_@%+=:,./-]+$/u;
/** Arguments that people escape in several ways; `;` only of `find`, since it separates commands elsewhere. */
const SIGN = /^[()!]$/;
const SIGN_OF_FIND = /^[;()!]$/;

/** Returns the text with quotes, so that bash reads it as this text. */
export function quoteWord(text: string): string {
  return PLAIN.test(text) ? text : singleQuoted(text);
}

/** Returns the words as one text that bash reads as these words again: `'*'` differs from `*`. */
export function joinWords(words: readonly ShellWord[]): string {
  const sign = /^(.*\/)?find$/.test(words[0]?.text ?? '') ? SIGN_OF_FIND : SIGN;
  return words
    .map(({ text, raw }, index) => {
      if (text === null || raw === text) return raw;
      return index > 0 && sign.test(text) ? text : quoteWord(text);
    })
    .join(' ');
}

/** Returns the words as one text without quotes. */
export function joinUnquoted(words: readonly ShellWord[]): string {
  return words.map(({ shown }) => shown).join(' ');
}
