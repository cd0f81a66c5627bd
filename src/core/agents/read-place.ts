/** Reads files that people and projects wrote: each with the hash of its text, or with why it cannot be read. */
import { readdir } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { phrase } from '#contract/approvals/phrases.ts';
import { sha256 } from '../base/hash.ts';
import { lookAtOnce } from '../base/disk-lookups.ts';
import { isMissing, readRegularFile } from '../base/regular-file.ts';
import { writeFault } from '../base/write-fault.ts';
import { type RawFile, unreadable } from './entries.ts';
import type { AgentPlace } from './places.ts';
import { withPromptFiles } from './prompts/prompt-files.ts';

/** Most files of a place; a problem says that the rest was not read. */
const MAX_FILES = 2000;
/** Most folders of a place: it may be a link that leads to the whole disk. */
const MAX_FOLDERS = 200;
/** Names of files that are no agents: readmes, and what editors and tools leave behind. */
const NO_AGENT = /(^|[/\\])(readme\.[^/\\]*$|\.)/i;
/** Files that are read concurrently. */
const AT_ONCE = 32;

/** Every agent's file of a place, by path, and where its dialect has them those of folders in it; a folder that does not exist holds none. */
export async function readPlace(
  place: AgentPlace,
  read: (path: string) => Promise<RawFile> = readAgentFile,
): Promise<RawFile[]> {
  const { folder } = place;
  if (lookAtOnce(folder) === null) return [];
  let names: string[];
  let isWhole: boolean;
  try {
    ({ names, isWhole } = await namesIn(folder, isDeep(place)));
  } catch (error) {
    if (isMissing(error)) return [];
    return [unreadable(folder, [phrase('unreadable_folder', { why: messageOf(error) })])];
  }
  const all = names.filter((name) => isAgentFile(name, place)).sort();
  const files: RawFile[] = [];
  for (let index = 0; index < Math.min(all.length, MAX_FILES); index += AT_ONCE) {
    // Those that are known are only looked at, which gives nobody else a turn.
    if (index > 0) await turn();
    const some = all.slice(index, Math.min(index + AT_ONCE, MAX_FILES));
    files.push(...(await Promise.all(some.map((name) => readIn(place, join(folder, name), read)))));
  }
  if (all.length > MAX_FILES) files.push(unreadable(folder, [phrase('many_files', { max: MAX_FILES })]));
  if (!isWhole) files.push(unreadable(folder, [phrase('many_folders', { max: MAX_FOLDERS })]));
  return files;
}

/** Of the person's own agents, none that others may write. */
async function readIn(place: AgentPlace, path: string, read: (path: string) => Promise<RawFile>): Promise<RawFile> {
  const { source, dialect } = place;
  const fault = source === 'user' && dialect === 'triad' ? await writeFault(path).catch(() => null) : null;
  if (fault !== null) return unreadable(path, [phrase('unsafe', { what: fault.what, remedy: fault.remedy })]);
  return withPromptFiles(await read(path), place);
}

/** Paths relative to the folder, with `deep` also those in its folders; links are not followed. */
async function namesIn(folder: string, deep: boolean): Promise<{ names: string[]; isWhole: boolean }> {
  const names: string[] = [];
  const folders = [''];
  // The loop adds to this list while it walks it.
  for (const [index, within] of folders.entries()) {
    if (index === MAX_FOLDERS) return { names, isWhole: false };
    for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
      const name = join(within, entry.name);
      names.push(name);
      if (deep && entry.isDirectory() && !NO_AGENT.test(name)) folders.push(name);
    }
  }
  return { names, isWhole: true };
}

/** Whether files in folders of the place are agents too. */
function isDeep({ dialect }: AgentPlace): boolean {
  return dialect === 'claude';
}

/** The place that would read this file, which must be named by its path in that place; undefined where none would. */
export function placeHolding(places: readonly AgentPlace[], file: string): AgentPlace | undefined {
  return places.find((place) => {
    const name = relative(place.folder, file);
    const isHeld = isDeep(place) || name === basename(file);
    return isHeld && join(place.folder, name) === file && isAgentFile(name, place);
  });
}

/** By its name alone, or by its path in the place. */
function isAgentFile(name: string, { dialect, compositions }: Pick<AgentPlace, 'dialect' | 'compositions'>): boolean {
  const endings = compositions ? ['.toml'] : dialect === 'triad' ? ['.md', '.toml'] : ['.md'];
  return endings.includes(extname(name)) && !NO_AGENT.test(name);
}

export async function readAgentFile(path: string): Promise<RawFile> {
  try {
    const text = await readRegularFile(path);
    return { path, problem: null, text, hash: sha256(text) };
  } catch (error) {
    return unreadable(path, [phrase('unreadable', { why: messageOf(error) })]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
