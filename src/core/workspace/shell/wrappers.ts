/** Programs that run another one: which, read from their options. An option that isn't known makes it untold. */
import { isStdin } from './builtins.ts';
import { constant, unknown, untold, unquoted, type Word } from './words.ts';

/** What a program runs beside itself, or the file that it writes. */
type Inner = { words: readonly Word[] } | { script: string; dialect: 'bash' | 'sh' } | { writes: Word };

interface Options {
  /** Letters of options without and with a value. */
  flags?: string;
  values?: string;
  /** Long options without a value (or with one behind `=`, which says nothing of what runs), and with one. */
  long?: string[];
  longValues?: string[];
  /** With one of these nothing is run. */
  stops?: RegExp;
  /** Words between the options and the program. */
  operands?: number;
  /** Whether variables may be set in front of the program. */
  assigns?: boolean;
}

const HELP = /^--(help|version)$/;

const WRAPPERS: Record<string, Options> = {
  command: { flags: 'p', stops: /^-[pvV]*[vV]/ },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
  nohup: {},
  time: {
    flags: 'pavq',
    values: 'fo',
    long: ['portability', 'verbose', 'append', 'quiet'],
    longValues: ['format', 'output'],
  },
  nice: { flags: '0123456789', values: 'n', longValues: ['adjustment'] },
  ionice: { flags: 't', values: 'cn', long: ['ignore'], longValues: ['class', 'classdata'] },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  setsid: { flags: 'cfw', long: ['ctty', 'fork', 'wait'] },
  timeout: {
    ...{ flags: 'vfp', values: 'ks', operands: 1 },
    ...{ long: ['foreground', 'preserve-status', 'verbose'], longValues: ['kill-after', 'signal'] },
  },
  chrt: { flags: 'abfior', operands: 1 },
  taskset: { flags: 'ac', operands: 1 },
  sudo: {
    ...{
      flags: 'AbBEHnPSkN',
      values: 'CDghpRrTtUu',
      assigns: true,
      stops: /^(-[AbBEHnPSkN]*[elvVK]|--(list|validate|edit))$/,
    },
    ...{ long: ['background', 'preserve-env', 'set-home', 'non-interactive', 'stdin', 'askpass', 'reset-timestamp'] },
    longValues: ['user', 'group', 'host', 'chdir', 'prompt', 'close-from', 'role', 'type', 'command-timeout', 'chroot'],
  },
  doas: { flags: 'nL', values: 'uaC' },
  xargs: {
    ...{
      flags: '0rtpxoi',
      values: 'adEIJLnPsRS',
      long: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
    },
    longValues: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'max-lines', 'process-slot-var'],
  },
  watch: {
    ...{ flags: 'bcdegtwxpC', values: 'nq', longValues: ['interval', 'equexit'] },
    long: ['beep', 'color', 'differences', 'errexit', 'chgexit', 'exec', 'no-title', 'precise', 'no-wrap'],
  },
  busybox: { stops: /^--(list|list-full|install|help)$/ },
};

/** What a program runs. `rest`: its words behind its name. */
export function runBy(program: string, rest: readonly Word[]): Inner[] {
  if (program === 'find') return inFind(rest);
  if (program === 'env') return inEnv(rest);
  if (program === 'eval') return [{ script: scriptOf(rest), dialect: 'bash' }];
  if (program === 'source' || program === '.') return sourced(rest);
  if (/^(bash|sh|dash|ash)$/.test(program)) return inShell(program === 'bash' ? 'bash' : 'sh', rest);
  const options = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (!options) return [];
  if (program === 'xargs') return inXargs(rest, options);
  const inner = behind(rest, options);
  if (!inner) return [];
  if (inner.length === 0 && program === 'exec') untold('its redirections hold for all that follows');
  if (program === 'watch' && !rest.some(({ text }) => text === '-x' || text === '--exec'))
    return [{ script: scriptOf(inner), dialect: 'sh' }];
  return inner.length === 0 ? [] : [{ words: inner }];
}

/** The words of the program that is run; null where none is. */
function behind(rest: readonly Word[], options: Options): readonly Word[] | null {
  const { flags = '', values = '', long = [], longValues = [], stops, operands = 0, assigns } = options;
  let at = 0;
  for (; at < rest.length; at++) {
    const text = rest[at]!.text ?? untold('an option is not constant');
    if (stops?.test(text) || HELP.test(text)) return null;
    if (text === '--') {
      at++;
      break;
    }
    if (!text.startsWith('-') || text === '-') break;
    const [name = '', value] = text.slice(2).split('=', 2);
    if (text.startsWith('--')) {
      if (longValues.includes(name)) at += value === undefined ? 1 : 0;
      else if (!long.includes(name)) untold('an option is not known');
      continue;
    }
    const letters = text.slice(1);
    const first = [...letters].findIndex((letter) => !flags.includes(letter));
    if (first < 0) continue;
    if (!values.includes(letters[first]!)) untold('an option is not known');
    if (first === letters.length - 1) at++;
  }
  if (rest.slice(at, at + operands).some(({ text }) => text === null)) untold('a word is not constant');
  at += operands;
  while (assigns && /^\w+=/.test(rest[at]?.text ?? '')) at++;
  return rest.slice(at);
}

/** Several words as one script. */
function scriptOf(words: readonly Word[]): string {
  if (words.some(({ text }) => text === null)) untold('a script is not constant');
  return unquoted(words[0]?.text === '--' ? words.slice(1) : words);
}

function sourced([file]: readonly Word[]): Inner[] {
  const text = file?.text ?? untold('a script is not constant');
  if (isStdin(text) || text.startsWith('-')) untold('a script is what it reads');
  return [];
}

function inShell(dialect: 'bash' | 'sh', rest: readonly Word[]): Inner[] {
  for (let at = 0, runs = false; ; at++) {
    const text = rest[at] ? (rest[at]!.text ?? untold('a script is not constant')) : untold('it runs what it reads');
    if (HELP.test(text)) return [];
    if (/^--(norc|noprofile|posix|login)$/.test(text)) continue;
    if (/^[-+][a-zA-Z]+$/.test(text)) {
      if (!/^[-+][celuxvnfo]+$/.test(text)) untold('an option is not known');
      runs ||= text.includes('c');
      if (text.includes('o')) at++;
      continue;
    }
    if (/^[-+]/.test(text) && text !== '--') untold('an option is not known');
    const script = text === '--' ? rest[at + 1]?.text : text;
    if (script == null) untold('a script is not constant');
    if (runs) return [{ script, dialect }];
    if (isStdin(script)) untold('it runs what it reads');
    return [];
  }
}

/** What other shells read in another way than bash. */
const DIALECT = /\$['"[]|\[\[|\(\(|\+=|&>|\|&|[<>]\(|<<<|;;?&|\{fd|=\(|\btime\b|\bselect\b|\bfunction\b/;

export function checkDialect(script: string): void {
  if (DIALECT.test(script)) untold('not every shell reads it in the same way');
}

function inEnv(rest: readonly Word[]): Inner[] {
  const words = [...rest];
  const options = {
    values: 'uC',
    flags: 'i0v',
    long: ['ignore-environment', 'null', 'debug'],
    longValues: ['unset', 'chdir'],
  };
  for (let at = 0; at < words.length; at++) {
    const text = words[at]!.text ?? untold('an option is not constant');
    const split = /^(?:-[i0v]*S|--split-string=?)([^]*)$/.exec(text);
    if (!split && /^-[uC]$/.test(text)) at++;
    else if (split) {
      const taken = split[1] === '' ? 2 : 1;
      const string = split[1] === '' ? words[at + 1]?.text : split[1];
      if (string == null || !/^[\w\s./=:,@%+-]*$/.test(string)) untold('a string is unusual');
      words.splice(at, taken, ...string.split(/\s+/).filter(Boolean).map(constant));
      at--;
    } else if (!text.startsWith('-')) break;
  }
  const dash = words.findIndex(({ text }) => !text?.startsWith('-'));
  const plain = words.filter(({ text }, index) => text !== '-' || (dash >= 0 && index > dash));
  const inner = behind(plain, options) ?? [];
  const from = inner.findIndex(({ text }) => text === null || !text.includes('='));
  return from < 0 ? [] : [{ words: inner.slice(from) }];
}

const STDIN_WORD: Word = { raw: '{}', text: null, shown: '{}', splits: true };

/** What it adds to the words is not known, `{}` stands for it. */
function inXargs(rest: readonly Word[], options: Options): Inner[] {
  const inner = behind(rest, options);
  if (!inner || inner.length === 0) return [];
  const marks = rest.flatMap(({ text }, index) => {
    if (text === null || rest.length - index <= inner.length) return [];
    if (/^-[a-zA-Z0-9]*i$/.test(text)) return ['{}'];
    const given = /^-[^-]*?[IJ]([^]*)$/.exec(text);
    return given ? [given[1] || (rest[index + 1]?.text ?? '')] : [];
  });
  if (marks.includes('')) untold('a mark is none');
  return [{ words: marks.length > 0 ? marked(inner, marks) : [...inner, STDIN_WORD] }];
}

/** Words in which a mark stands for what is not known, as `{}`. */
function marked(words: readonly Word[], marks: readonly string[]): Word[] {
  return words.map((word) => {
    const { text } = word;
    if (text === null || !marks.some((mark) => text.includes(mark))) return word;
    const named = marks.reduce((all, mark) => all.replaceAll(mark, '{}'), text);
    return unknown(named, text);
  });
}

function inFind(rest: readonly Word[]): Inner[] {
  const found: Inner[] = [];
  let unknown = 0;
  for (let at = 0; at < rest.length; at++) {
    const { text, raw, splits } = rest[at]!;
    if (text === null) {
      // What begins with a letter or a dot is a folder, whatever it becomes.
      if (!/^["']?[\w./~]/.test(raw) && (splits || ++unknown > 1)) untold('what it finds is not constant');
    } else if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const end = rest.findIndex(
        (word, index) => index > at && (word.text === ';' || (word.text === '+' && rest[index - 1]?.text === '{}')),
      );
      if (end < 0) untold('where its command ends is not constant');
      found.push({ words: marked(rest.slice(at + 1, end), ['{}']) });
      at = end;
    } else if (/^-f(print0?|ls|printf)$/.test(text)) found.push({ writes: rest[++at] ?? untold('a file is missing') });
    else if (text === ';' || text === '+') untold('where its command begins is not constant');
    else if (text.startsWith('-files0-from')) untold('where it looks is not constant');
  }
  return found;
}
