/** Arguments and options that several commands have, and the kinds of names that completion offers for them. */
import { Argument, InvalidArgumentError, Option } from 'commander';

/** A kind of names that completion reads from files. */
export type NameKind = 'agent' | 'session' | 'setting';

/** An argument that takes a name of this kind. */
export class NameArgument extends Argument {
  readonly kind: NameKind;
  constructor(kind: NameKind, flags: string, description: string) {
    super(flags, description);
    this.kind = kind;
  }
}

/** An option that takes a name of this kind. */
export class NameOption extends Option {
  readonly kind: NameKind;
  constructor(kind: NameKind, flags: string, description: string) {
    super(flags, description);
    this.kind = kind;
  }
}

const SESSION = 'id of the session, or its first characters (at least 6)';

export const sessionArgument = (flags: '<id>' | '[id]' = '<id>') => new NameArgument('session', flags, SESSION);
export const workflowArgument = () =>
  new NameArgument('session', '<id>', `${SESSION}; also the id of a trace or a span, for its workflow`);
export const runArgument = () =>
  new Argument('<run>', 'id of the run, or its first characters; "triad sessions trace" lists them');
export const serverArgument = (flags: '<name>' | '[name]' = '<name>') =>
  new Argument(flags, 'name of the server, as "triad mcp list" shows it');
export const ruleArgument = () => new Argument('<id>', 'id of the rule, as the list shows it, such as user:2-7f3a9c12');

export const json = () => new Option('--json', 'print JSON');
export const jsonEvents = () => new Option('--json', 'print one event per line, as JSON');
export const limit = () => new Option('--limit <number>', 'maximum number of entries').argParser(parsePositiveNumber);
export const approve = () =>
  new Option(
    '--approve <who>',
    'how to answer questions: ask at the terminal, approve all, or approve none (default: ask if there is a terminal, else none)',
  ).choices(['ask', 'all', 'none']);
/** The workspace of a command. */
export const dir = () => new Option('--dir <folder>', 'workspace folder (default: the current folder)');
export const cwd = () => new Option('--cwd <folder>', 'folder that the command is about (default: the current folder)');
export const dryRun = () =>
  new Option('--dry-run', 'write nothing; show what would be decided about the last calls here');

function parsePositiveNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('This is a whole number above 0.');
  return Number(text);
}
