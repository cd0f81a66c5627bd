/**
 * What a line for bash would run, for a person's rules to match: bash without a profile, and not on a terminal.
 *
 * Each simple command is a text, its words decoded and joined by one blank (`written`), which bash reads as that command
 * again. So is each assignment (`PATH=/x`), and each redirection that may write or connect (`> path`). What can be told in
 * more than one way is listed in each of them, since what denies needs one value and what allows needs all:
 * - `/bin/rm x` also as `rm x`; `A=1 rm x` also as `rm x`; `rm '*'` also as `rm *`;
 * - what is given something to read also with it: `psql < x` beside `psql`, and `psql <<` where it is a document;
 * - what runs another program as itself and as that program: `sudo rm x` also as `rm x`.
 */
import { runs } from './builtins.ts';
import { ShellGrammar } from './grammar.ts';
import { type Input, PIPED, Script, type Step } from './script.ts';
import { constant, quoted, Untold, untold, unquoted, withMarks, withoutMarks, type Word, written } from './words.ts';
import { checkDialect, runBy } from './wrappers.ts';

/** Longest text that is looked at, in UTF-16 units: a longer one would hold up everything else. */
const MAX_LENGTH = 100_000;
/** Most parts of a text that are looked at. */
const MAX_NODES = 3000;
/** Deepest nesting of scripts and programs that run others. */
const MAX_DEPTH = 8;
/** Most values: every rule is held against each of them. */
const MAX_VALUES = 500;

/** Characters that are blanks, or nothing, to the eye or to one of the two that read them. */
const UNUSUAL = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

/**
 * Programs that run what they read, or change something as it says. Where it comes from another program it is told as well;
 * of shells and interpreters that is untold.
 */
const READS_SCRIPT = new Set(
  `psql mysql mariadb sqlite3 sqlplus sqlcmd duckdb mongo mongosh redis-cli valkey-cli clickhouse-client cqlsh cypher-shell
  ssh sftp ftp lftp telnet nc ncat netcat socat ed ex vi vim nvim bc dc gnuplot octave patch crontab fdisk sfdisk parted
  git kubectl docker podman`.split(/\s+/),
);

/** Where a part of a line stands: how deep, and what it is given to read by what is around it. */
interface Place {
  depth: number;
  inputs: readonly Input[];
}

export class ShellParser {
  readonly #grammar = new ShellGrammar();

  /** Null where it can't be told for certain: such a line is allowed by no rule, and concerns each that denies. */
  async commandsIn(text: string): Promise<readonly string[] | null> {
    try {
      const values = new Set<string>();
      await this.#list(text, values, { depth: 0, inputs: [] });
      return [...values];
    } catch (error) {
      if (error instanceof Untold) return null;
      throw error;
    }
  }

  async #list(text: string, values: Set<string>, place: Place): Promise<void> {
    const { depth, inputs } = place;
    if (depth > MAX_DEPTH || text.length > MAX_LENGTH) untold('it is too much');
    if (UNUSUAL.test(text)) untold('a character is unusual');
    const steps = await this.#grammar.parse(text, (root) => {
      if (root.descendantCount > MAX_NODES) untold('it is too much');
      return new Script(root, text, inputs).steps;
    });
    for (const step of steps) await this.#add(step, values, depth);
  }

  async #add(step: Step, values: Set<string>, depth: number): Promise<void> {
    if (step.kind === 'redirect') return addRedirect(step, values);
    if (step.kind === 'assignment') {
      add(step.words, values);
      if (step.name === null) runs(step.words);
      return;
    }
    if (step.assigned.length > 0) add([...step.assigned, ...step.words], values);
    await this.#run(step.words, values, { depth, inputs: step.inputs });
  }

  async #run(words: readonly Word[], values: Set<string>, { depth, inputs }: Place): Promise<void> {
    if (depth > MAX_DEPTH || values.size > MAX_VALUES) untold('it is too much');
    const [name, ...rest] = words;
    const program = programOf(name);
    const known = program.toLowerCase();
    runs([constant(known), ...rest]);
    const runsOthers = runBy(known, rest);
    const itself = runsOthers.length > 0 ? withMarks(words) : withoutMarks(words);
    const reads = inputs.filter((input) => input !== PIPED || READS_SCRIPT.has(known));
    for (const one of program === name?.text ? [itself] : [itself, [bare(program), ...itself.slice(1)]]) {
      add(one, values);
      for (const input of reads) add([...one, ...input], values);
    }
    for (const inner of runsOthers) {
      if ('writes' in inner) addRedirect({ operator: '>', path: inner.writes }, values);
      else if ('words' in inner) await this.#run(inner.words, values, { depth: depth + 1, inputs });
      else {
        if (inner.dialect !== 'bash') checkDialect(inner.script);
        await this.#list(inner.script, values, { depth: depth + 1, inputs });
      }
    }
  }
}

/** Words that mean something else at the beginning of a command, unless they are quoted. */
const RESERVED = new Set(
  '! { } [[ ]] if then elif else fi for in do done while until case esac select function coproc repeat foreach end'.split(
    ' ',
  ),
);

/** The last part of a name, which is what a person calls it. */
function programOf(name: Word | undefined): string {
  const { text, raw } = name ?? untold('a command has no name');
  if (text === null || text === '') untold('a name is not constant');
  if (RESERVED.has(raw) || /^[A-Za-z_]\w*(\[[^]*\])?\+?=/.test(text)) untold('a name is none');
  if (text.normalize('NFC') !== text || /^[=~][^/]*$/.test(text)) untold('a name is unusual');
  const program = text.replace(/^[^]*\//, '').replace(/\.exe$/i, '');
  return program === '' ? untold('a name is a folder') : program;
}

/** The name of a program alone. */
function bare(text: string): Word {
  return { raw: quoted(text), text, shown: text, splits: false };
}

function add(words: readonly Word[], values: Set<string>): void {
  values.add(written(words));
  values.add(unquoted(words));
}

/** What reads a file isn't listed, but where it is no file, or may be none. */
function addRedirect({ operator, path }: { operator: string; path: Word }, values: Set<string>): void {
  const { text } = path;
  if (text === '/dev/null') return;
  if (operator.endsWith('&') && text !== null && /^(\d+-?|-)$/.test(text)) return;
  const reads = operator === '<' || operator === '<&';
  if (reads && text !== null && !text.startsWith('/dev/')) return;
  const shown = reads ? '<' : operator.includes('>>') ? '>>' : '>';
  add([constant(shown), path], values);
}
