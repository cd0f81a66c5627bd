/** Reads a folder of agents' files; a file that does not fit is reported and left out, and never stops the others. */
import { constants, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentDefinition } from '#contract/agent.ts';
import { type DefinitionError, type ParsedDefinition, parseDefinition } from './definition.ts';

export type LoadedFile = { path: string } & ParsedDefinition;

export interface LoadedFolder {
  /** One for each `*.md`, by path. */
  files: LoadedFile[];
  definitions: AgentDefinition[];
  /** One line for each fault, with file, line and column. */
  warnings: string[];
}

const MAX_FILE_BYTES = 1024 * 1024;

/** A folder that does not exist holds no agents. */
export async function loadFolder(folder: string, source: AgentDefinition['source']): Promise<LoadedFolder> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { files: [], definitions: [], warnings: [] };
    return {
      files: [],
      definitions: [],
      warnings: [`${folder}: the folder cannot be read (${messageOf(error)})`],
    };
  }
  const files = await Promise.all(names.map((name) => loadFile(join(folder, name), source)));
  return collect(files);
}

/** The agents that come with the program. */
export async function loadBuiltins(): Promise<LoadedFolder> {
  return loadFolder(fileURLToPath(new URL('./builtin/', import.meta.url)), 'builtin');
}

/** One file as a person reads about it: `path:line:column: message (did you mean …?)`. */
export function describeError(path: string, error: DefinitionError): string {
  const hint = error.suggestion === null ? '' : ` (did you mean \`${error.suggestion}\`?)`;
  return `${path}:${error.line}:${error.column}: ${error.message}${hint}`;
}

export async function loadFile(path: string, source: AgentDefinition['source']): Promise<LoadedFile> {
  try {
    return { path, ...parseDefinition(await readRegular(path), { source, path }) };
  } catch (error) {
    return { path, ok: false, errors: [whole(`cannot be read: ${messageOf(error)}`)] };
  }
}

/** Two files with one name: the first by path stays, the other is a fault. */
function collect(loaded: readonly LoadedFile[]): LoadedFolder {
  const first = new Map<string, string>();
  const files = loaded.map((file): LoadedFile => {
    if (!file.ok) return file;
    const other = first.get(file.definition.name);
    first.set(file.definition.name, other ?? file.path);
    if (other === undefined) return file;
    const message = `the name ${file.definition.name} is taken by ${other}`;
    return { path: file.path, ok: false, errors: [{ ...whole(message), key: 'name' }] };
  });
  return {
    files,
    definitions: files.flatMap((file) => (file.ok ? [file.definition] : [])),
    warnings: files.flatMap((file) =>
      file.ok ? [] : file.errors.map((error) => describeError(file.path, error)),
    ),
  };
}

function whole(message: string): DefinitionError {
  return { line: 1, column: 1, key: null, message, suggestion: null };
}

/** Never waits for a pipe or a device, and never reads a huge file. */
async function readRegular(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024} KiB`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
