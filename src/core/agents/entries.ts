/** What a reader finds in an agent's file, whatever its format: keys with their values and places, and the text below. */
import type { Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';

/** Both from 1, in the file. */
export interface Position {
  line: number;
  column: number;
}

/** A file as it was read, before anything looks into it. */
export type RawFile = { path: string; problem: null; text: string; hash: string } | Unreadable;
interface Unreadable {
  path: string;
  problem: string;
  says: readonly Phrase[];
  /** Left out for a file as a whole. */
  at?: Position;
  /** The text without the faulty part, to find its other faults; absent if nothing can be read. */
  rest?: string;
}

export interface Entry {
  /** The value's plain text; null where it is none. */
  key: string | null;
  at: Position;
  value: unknown;
  valueAt: Position;
  /** Places of the items where the value is a list. */
  items: Position[];
}

export interface Body extends Position {
  text: string;
}

/** `body` is null where the format keeps the prompt in a key; `faults`: of keys, such as a duplicate key. */
export interface ReadKeys {
  entries: Entry[];
  body: Body | null;
  faults: Fault[];
}

/** `rest`: the readable keys of a file with syntax errors. `emptied`: its lines without their values. */
export type ReadFile =
  | ({ ok: true } & ReadKeys)
  | { ok: false; errors: Fault[]; rest: (ReadKeys & { emptied: ReadonlySet<number> }) | null };

/** `said`: one phrase, or several that stand one behind the other. */
export function fault(place: Position, said: Phrase | readonly Phrase[], rest: Partial<Fault> = {}): Fault {
  const says = [said].flat();
  return { line: place.line, column: place.column, key: null, suggestion: null, ...rest, message: textOf(says), says };
}

/** In English. */
function textOf(says: readonly Phrase[]): string {
  return says.map(sentenceOf).join('');
}

export function unreadable(path: string, says: readonly Phrase[], part?: { at: Position; rest: string }): RawFile {
  return { path, problem: textOf(says), says, ...part };
}

/** One that is looked up when somebody asks for it: of a file without a fault nobody does. */
export function laterPlace(find: () => Position): Position {
  return {
    get line() {
      return find().line;
    },
    get column() {
      return find().column;
    },
  };
}

export const START: Position = { line: 1, column: 1 };

/** Returns the faults of a file with syntax errors, except further faults of lines without their values. */
export function withSyntaxErrors({ errors, rest }: ReadFile & { ok: false }, faults: readonly Fault[]): Fault[] {
  return [...errors, ...faults.filter(({ line }) => !rest?.emptied.has(line))];
}

/** By their places; of those of one value only the first. */
export function inOrder(faults: readonly Fault[]): Fault[] {
  return faults
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .filter((one, index, all) => one.key === null || !isAt(one, all[index - 1]));
}

function isAt(one: Fault, before: Fault | undefined): boolean {
  return one.key === before?.key && one.line === before.line && one.column === before.column;
}
