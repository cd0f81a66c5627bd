/** From files to agents: a file that does not fit is reported and left out, and never stops the others. */
import type { AgentDefinition, AgentReport, Fault } from '#contract/agent.ts';
import { type DefinitionSource, parseDefinition, type ParsedDefinition } from './definition.ts';
import { fault, START } from './entries.ts';
import { parseForeign } from './foreign.ts';
import type { AgentPlace } from './places.ts';
import { type RawFile, readPlace } from './read-place.ts';
import type { KnownTool } from './vocabulary.ts';

export type LoadedFile = { path: string; source: AgentReport['source'] } & ParsedDefinition;

/** The parsed files of a place, sorted by path. */
export async function loadPlace(place: AgentPlace, tools: readonly KnownTool[]): Promise<LoadedFile[]> {
  return firstOfEachName((await readPlace(place)).map((file) => loadFile(file, place, tools)));
}

export function loadFile(file: RawFile, place: AgentPlace, tools: readonly KnownTool[]): LoadedFile {
  const { path } = file;
  const { source, dialect } = place;
  if (file.problem !== null)
    return { path, source, ok: false, name: null, errors: [fault(START, file.problem)], warnings: [] };
  const from: DefinitionSource = { source, path, tools };
  const parsed = dialect === 'triad' ? parseDefinition(file.text, from) : parseForeign(file.text, dialect, from);
  return { path, source, ...parsed };
}

/** Two files of one place with one name: the first by path stays, the other is a fault. */
export function firstOfEachName(loaded: readonly LoadedFile[]): LoadedFile[] {
  const first = new Map<string, string>();
  return loaded.map((file) => {
    if (!file.ok) return file;
    const { name } = file.definition;
    const other = first.get(name);
    first.set(name, other ?? file.path);
    if (other === undefined) return file;
    const { path, source, warnings } = file;
    const error = fault(START, `the name ${name} is taken by ${other}`, { key: 'name' });
    return { path, source, ok: false, name, errors: [error], warnings };
  });
}

export function definitionsOf(files: readonly LoadedFile[]): AgentDefinition[] {
  return files.flatMap((file) => (file.ok ? [file.definition] : []));
}

/** The name that the file gives its agent; null where it has none. */
export function nameOf(file: LoadedFile): string | null {
  return file.ok ? file.definition.name : file.name;
}

export function reportOf(file: LoadedFile): AgentReport {
  const { path, source, ok, warnings } = file;
  return { file: path, name: nameOf(file), source, ok, errors: file.ok ? [] : file.errors, warnings };
}

/** One fault as a person reads it: `path:line:column: message (did you mean …?)`. */
export function describeFault(path: string, { line, column, message, suggestion }: Fault): string {
  return `${path}:${line}:${column}: ${message}${suggestion === null ? '' : ` (did you mean \`${suggestion}\`?)`}`;
}
