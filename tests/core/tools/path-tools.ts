/** Every input of a tool that is a path, and what a path may name there. */
import { z } from 'zod';
import type { Tool } from '#core/tools/tool.ts';
import { type PathAttempt } from './path-attempts.ts';

export interface PathInput {
  tool: string;
  /** The name of the input. */
  input: string;
  takes: readonly PathAttempt['takes'][];
  /** The whole input of a call. */
  call: (path: string) => Record<string, unknown>;
  /** A path that is allowed, and a part of what is said of it. */
  plain: [path: string, says: string];
  writes?: true;
}

export const PATH_INPUTS: readonly PathInput[] = [
  {
    tool: 'read_file',
    input: 'path',
    takes: ['folder', 'file'],
    call: (path) => ({ path }),
    plain: ['plain.txt', 'plain'],
  },
  {
    tool: 'read_file',
    input: 'path',
    takes: ['folder', 'file'],
    call: (path) => ({ path, unredacted: true }),
    plain: ['plain.txt', 'plain'],
  },
  {
    tool: 'write_file',
    input: 'path',
    takes: ['folder', 'file', 'new'],
    writes: true,
    call: (path) => ({ path, content: 'written\n' }),
    plain: ['sub/new.txt', 'Made'],
  },
  {
    tool: 'edit_file',
    input: 'path',
    takes: ['folder', 'file', 'new'],
    writes: true,
    call: (path) => ({ path, edits: [{ old_text: 'bait', new_text: 'edited' }] }),
    plain: ['plain.txt', 'Edited'],
  },
  {
    tool: 'delete_file',
    input: 'path',
    takes: ['folder', 'file', 'new'],
    writes: true,
    call: (path) => ({ path }),
    plain: ['sub/plain.md', 'Deleted'],
  },
  {
    tool: 'move_file',
    input: 'from',
    takes: ['folder', 'file', 'new'],
    writes: true,
    call: (from) => ({ from, to: 'moved' }),
    plain: ['plain.txt', 'Moved'],
  },
  {
    tool: 'move_file',
    input: 'to',
    takes: ['folder', 'file', 'new'],
    writes: true,
    call: (to) => ({ from: 'plain.txt', to }),
    plain: ['sub/new.txt', 'Moved'],
  },
  { tool: 'list_directory', input: 'path', takes: ['folder'], call: (path) => ({ path }), plain: ['sub', 'plain.md'] },
  {
    tool: 'glob',
    input: 'path',
    takes: ['folder'],
    call: (path) => ({ path, pattern: '**' }),
    plain: ['sub', 'sub/plain.md'],
  },
  {
    tool: 'glob',
    input: 'pattern',
    takes: ['pattern'],
    call: (pattern) => ({ pattern }),
    plain: ['sub/*', 'sub/plain.md'],
  },
  {
    tool: 'grep',
    input: 'path',
    takes: ['folder', 'file'],
    call: (path) => ({ path, pattern: 'bait' }),
    plain: ['sub', 'plain'],
  },
  {
    tool: 'grep',
    input: 'glob',
    takes: ['pattern'],
    call: (glob) => ({ glob, pattern: 'bait' }),
    plain: ['sub/*', 'plain'],
  },
  { tool: 'list_notes', input: 'path', takes: ['folder'], call: (path) => ({ path }), plain: ['sub', 'plain.md'] },
  {
    tool: 'read_note',
    input: 'note',
    takes: ['folder', 'file'],
    call: (note) => ({ note }),
    plain: ['sub/plain', 'plain'],
  },
];

/** Inputs with such a name that are no paths: of what, and why. */
const NO_PATHS: readonly (readonly [tool: string, input: string])[] = [
  // A regular expression that is matched against lines.
  ['grep', 'pattern'],
  // The number of a byte.
  ['bash_jobs', 'from'],
  // Of the web alone: tests/core/tools/web/ tries those that lead elsewhere.
  ['web_fetch', 'url'],
];

const LIKE_A_PATH =
  /(^|_)(path|paths|file|files|filename|folder|dir|directory|cwd|root|from|to|source|target|src|dest|destination|uri|url|note|glob|pattern|include|exclude)$/;

/** The inputs that are named like a path, also of items in lists, and are not in the table. */
export function missingInputs(tools: readonly Tool[]): string[] {
  const known = new Set([
    ...PATH_INPUTS.map(({ tool, input }) => `${tool} ${input}`),
    ...NO_PATHS.map((one) => one.join(' ')),
  ]);
  return tools.flatMap(({ name, input }) => {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
    return [...inputsIn(schema)]
      .filter((key) => LIKE_A_PATH.test(key) && !known.has(`${name} ${key}`))
      .map((key) => `${name} ${key}`);
  });
}

function inputsIn(schema: unknown): Set<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (key === 'properties') for (const name of Object.keys(part as object)) found.add(name);
      look(part);
    }
  };
  look(schema);
  return found;
}

const TAKES_FILES = new Set(['read_file', 'write_file', 'edit_file', 'read_note', 'move_file', 'delete_file']);

/** What to give to an input for an attempt; null where it makes no sense there. */
export function pathFor(attempt: PathAttempt, { tool, takes, writes }: PathInput, at: string): string | null {
  if (!takes.includes(attempt.takes) || (attempt.writes && !writes)) return null;
  const isNote = tool === 'read_note';
  // What lies inside may be moved away, and other attempts need it.
  if (attempt.inside && ['move_file', 'delete_file'].includes(tool)) return null;
  // A name of a note that is nowhere is looked for in the workspace, and a search costs more than all other attempts.
  if (isNote && (attempt.inside || (attempt.takes === 'file' && !at.endsWith('.md')))) return null;
  if (attempt.takes !== 'folder' || !TAKES_FILES.has(tool)) return at;
  return `${at}/bait.${isNote ? 'md' : 'txt'}`;
}
