/** Agents and compositions as files of one folder, linked: what each became, without a disk. */
import { basename } from 'node:path';
import type { AgentDefinition, Fault } from '#contract/agent.ts';
import { sha256 } from '#core/base/hash.ts';
import { linkFiles } from '#core/agents/links/links.ts';
import { describeFault, loadFile, type LoadedFile, type UnlinkedFile } from '#core/agents/load.ts';
import type { AgentPlace } from '#core/agents/places.ts';
import { allTools } from '#core/tools/all-tools.ts';

const tools = allTools();
const place: AgentPlace = { folder: '/at/agents', source: 'user', dialect: 'triad' };
const compositions: AgentPlace = { folder: '/at/compositions', source: 'user', dialect: 'triad', compositions: true };

/** What was read of each path and text: the same files stand beside many. */
const known = new Map<string, UnlinkedFile>();

/** Texts by path below `/at`, in the order in which they override each other. */
export function linkedFiles(files: Readonly<Record<string, string>>): LoadedFile[] {
  return linkFiles(
    Object.entries(files).map(([path, text]) => read(path, text)),
    tools,
  );
}

function read(path: string, text: string): UnlinkedFile {
  const key = `${path}\n${text}`;
  const raw = { path: `/at/${path}`, problem: null, text, hash: sha256(text) };
  const file = known.get(key) ?? loadFile(raw, path.startsWith('compositions/') ? compositions : place, tools);
  known.set(key, file);
  return file;
}

/** Name of the file to what became of it. */
export function linkedBy(files: Readonly<Record<string, string>>): Record<string, LoadedFile> {
  return Object.fromEntries(linkedFiles(files).map((file) => [basename(file.path), file]));
}

export function errorsIn(files: readonly LoadedFile[]): (Fault & { file: string })[] {
  return files.flatMap((file) => (file.ok ? [] : file.errors.map((error) => ({ ...error, file: file.path }))));
}

export function toldIn(files: readonly LoadedFile[]): string[] {
  return errorsIn(files).map((error) => describeFault(error.file, error));
}

export function definitionIn(file: LoadedFile | undefined): AgentDefinition {
  if (file?.ok) return file.definition;
  throw new Error(`It was refused: ${JSON.stringify(file)}`);
}

/** A sub-agent in Markdown; its own keys begin in line 4. */
export const agentText = (name: string, keys = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}\n${keys}${keys === '' ? '' : '\n'}---\nYou are ${name}.\n`;
