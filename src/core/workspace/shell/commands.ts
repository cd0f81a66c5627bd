/**
 * Lists what a line for bash runs, for the rules of a person. Each simple command is one value: its words, joined by one
 * blank. So is each assignment (`PATH=/x`), and each redirection that may write or connect (`> path`).
 *
 * A command has several values if a rule could name it in several ways. A rule that allows must match all of them, and a
 * rule that denies or asks needs one:
 * - `/bin/rm x` also as `rm x`; `A=1 rm x` also as `rm x`; `rm '*'` also as `rm *`
 * - with its input: `psql < x` beside `psql`
 * - a program that runs another one, as itself and as that program: `timeout 5 rm x` also as `rm x`
 */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { findInnerCommand, findLimit, isStandardInput, mayRunArgument } from './command-limits.ts';
import { withoutHarmlessOptions } from './git-arguments.ts';
import { readHiddenWords } from './hidden-words.ts';
import {
  joinUnquoted,
  joinWords,
  makeWord,
  quoteWord,
  readSimpleCommands,
  RESERVED,
  type Redirection,
  type ShellWord,
  type SimpleCommand,
} from './simple-commands.ts';

export interface CommandLine {
  /** Empty if the line is not a list of simple commands. */
  values: readonly string[];
  /** Values that only a pattern without wildcards allows, with the reason. */
  limits: readonly { value: string; reason: Phrase }[];
  /**
   * All words of a line that may run more than the values. Rules that deny or ask are compared with each part of them.
   * Null if the words cannot be read either. Undefined if the values are all that the line runs.
   */
  words?: string | null;
}

/** Maximum number of values: every rule is compared with each of them. */
const MAX_VALUES = 500;
/** Maximum nesting of programs that run others. */
const MAX_DEPTH = 4;

/** The name of a program is unknown before the shell runs. */
class HiddenProgram extends Error {}

export function readCommandLine(line: string): CommandLine {
  const commands = readSimpleCommands(line);
  const values = new ValueList();
  try {
    for (const command of commands ?? []) values.addCommand(command);
  } catch (error) {
    if (!(error instanceof HiddenProgram)) throw error;
    return { values: [], limits: [], words: null };
  }
  if (commands === null || values.isTooLong) return { values: [], limits: [], words: readHiddenWords(line) };
  const { all, limits } = values;
  if (limits.length === 0 && !values.mayRunArgument) return { values: all, limits };
  const words = readHiddenWords(line);
  return limits.length === 0 && words === null ? { values: all, limits } : { values: all, limits, words };
}

/** Programs that run their input, or follow instructions in it. Their input from another program is a value too. */
const READS_SCRIPT = new Set(
  `psql mysql mariadb sqlite3 sqlplus sqlcmd duckdb mongo mongosh redis-cli valkey-cli clickhouse-client cqlsh cypher-shell
  ssh sftp ftp lftp telnet nc ncat netcat socat ed ex vi vim nvim bc dc gnuplot octave patch crontab fdisk sfdisk parted
  git kubectl docker podman`.split(/\s+/),
);
const PIPED = [makeWord('<'), makeWord('-')];

class ValueList {
  readonly #values = new Map<string, Phrase | null>();
  /** True if an argument may be a command. Rules that deny find it in the words of the line. */
  mayRunArgument = false;

  get all(): string[] {
    return [...this.#values.keys()];
  }

  get limits(): { value: string; reason: Phrase }[] {
    return [...this.#values].flatMap(([value, reason]) => (reason ? [{ value, reason }] : []));
  }

  get isTooLong(): boolean {
    return this.#values.size > MAX_VALUES;
  }

  addCommand({ assignments, words, redirections, isPiped }: SimpleCommand): void {
    for (const redirection of redirections) this.#addRedirection(redirection);
    if (words.length === 0) return assignments.forEach((assignment) => this.#add([assignment], null));
    const files = redirections.filter(({ operator }) => operator === '<');
    const inputs = files.map(({ path }) => (path.text === '/dev/null' ? [] : [makeWord('<'), path]));
    this.#addProgram(assignments, words, files.length === 0 && isPiped ? [PIPED] : inputs, 0);
  }

  #addProgram(
    assignments: readonly ShellWord[],
    words: readonly ShellWord[],
    inputs: readonly ShellWord[][],
    depth: number,
  ): void {
    const program = readProgramName(words[0]);
    const name = program.toLowerCase();
    const rest = words.slice(1);
    const inner = depth < MAX_DEPTH ? findInnerCommand(name, rest) : 'unknown';
    const plain = name === 'git' ? withoutHarmlessOptions(words) : words;
    this.mayRunArgument ||= mayRunArgument(name, rest);
    const limit = inner === 'unknown' ? phrase('runs_unseen_code', { program }) : findLimit(name, plain.slice(1));
    const reads = inputs.filter((input) => input !== PIPED || limit !== null || READS_SCRIPT.has(name));
    const short = { raw: quoteWord(program), text: program, shown: program, splits: false };
    const forms = [plain, ...(program === words[0]!.text ? [] : [[short, ...plain.slice(1)]])];
    if (assignments.length > 0) this.#add([...assignments, ...plain], limit);
    for (const form of forms) for (const input of [[], ...reads]) this.#add([...form, ...input], limit);
    if (inner === null || inner === 'unknown') return;
    const count = name === 'env' ? inner.findIndex(({ text }) => text === null || !text.includes('=')) : 0;
    if (count >= 0) this.#addProgram(inner.slice(0, count), inner.slice(count), inputs, depth + 1);
  }

  #add(words: readonly ShellWord[], limit: Phrase | null): void {
    for (const value of [joinWords(words), joinUnquoted(words)])
      this.#values.set(value, limit ?? this.#values.get(value) ?? null);
  }

  /** A file that is only read is no separate value, unless it is a device. */
  #addRedirection({ operator, path }: Redirection): void {
    const { text } = path;
    if (text === '/dev/null' || (operator.endsWith('&') && /^(\d+-?|-)$/.test(text ?? ''))) return;
    const isRead = operator.startsWith('<');
    if (isRead && text !== null && !text.startsWith('/dev/') && !isStandardInput(text)) return;
    this.#add([makeWord(isRead ? '<' : operator.includes('>>') ? '>>' : '>'), path], null);
  }
}

/** Returns the last part of the name. Throws `HiddenProgram` if it is unknown before the shell runs. */
function readProgramName(word: ShellWord | undefined): string {
  const { text, raw } = word ?? makeWord('');
  if (text === null || RESERVED.has(raw) || /^[A-Za-z_]\w*(\[[^]*\])?\+?=/.test(text)) throw new HiddenProgram();
  if (text.normalize('NFC') !== text || /^[=~][^/]*$/.test(text)) throw new HiddenProgram();
  const name = text.replace(/^[^]*\//, '').replace(/\.exe$/i, '');
  if (name === '') throw new HiddenProgram();
  return name;
}
