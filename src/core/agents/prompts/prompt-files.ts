/**
 * Prompts that lie in files of their own, `{ file = "NAME.md" }`: their text is put in the place of the name before anything
 * reads the definition, on one line, so that hash, form and faults are those of a prompt that stands there.
 */
import { realpath } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, sep } from 'node:path';
import type { AgentPromptFile, UnsavedPrompt } from '#contract/agents/prompt-file.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { sha256 } from '../../base/hash.ts';
import { isMissing, readRegularFile } from '../../base/regular-file.ts';
import { pathKey, tomlNodes } from '../../base/toml-tree.ts';
import { writeFault } from '../../base/write-fault.ts';
import { type Position, type RawFile, unreadable } from '../entries.ts';
import type { AgentPlace } from '../places.ts';
import { replaceAll, type Replacement } from '../../base/replace.ts';

/** The keys that may name a file, and the folder of `prompts/` in which such files lie. */
const FOLDERS: Readonly<Record<string, string>> = {
  prompt: 'system',
  'prompt.system': 'system',
  'handoff.text': 'handoff',
  'handoff.template': 'handoff',
  'handoff.generator_prompt': 'handoff',
};

/** What a text has that names one; parsing tells, and takes a hundred times as long. */
const NAMES_FILE = /file["']?\s*=/;

interface Named {
  key: string;
  file: string;
  range: readonly [number, number];
  at: Position;
}

/** A file that a definition names for one of its texts. */
export interface PromptFile extends AgentPromptFile {
  /** Its path without links. */
  realPath: string;
}

/** Returns the folders to watch for changes of agents: the folder of the place, and the folder of its prompts. */
export function listWatchedFolders({ folder, source, dialect }: AgentPlace): string[] {
  return source === 'user' && dialect === 'triad' ? [folder, join(dirname(folder), 'prompts')] : [folder];
}

/** Returns the first readable file that a text names; null for none. */
export async function findPromptFile(text: string, path: string, place: AgentPlace): Promise<PromptFile | null> {
  if (extname(path) !== '.toml' || !NAMES_FILE.test(text)) return null;
  for (const { key, file } of namedIn(text)) {
    const found = await findPrompt(file, FOLDERS[key] ?? '', place);
    const plain = key === 'prompt.system' ? 'prompt' : key;
    if ('text' in found) return { key: plain, file: found.path, realPath: found.realPath, text: found.text };
  }
  return null;
}

/** Inserts the texts of prompt files. A file that cannot be read is a fault. `unsaved` replaces the text of its file. */
export async function withPromptFiles(raw: RawFile, place: AgentPlace, unsaved?: UnsavedPrompt): Promise<RawFile> {
  if (raw.problem !== null || extname(raw.path) !== '.toml' || !NAMES_FILE.test(raw.text)) return raw;
  const named = namedIn(raw.text);
  if (named.length === 0) return raw;
  const found = await Promise.all(named.map(({ key, file }) => findPrompt(file, FOLDERS[key] ?? '', place)));
  const replacements = named.map(({ range: [from, to] }, index): Replacement => {
    const one = found[index];
    if (!one || 'problem' in one) return { from, to, by: literal(MISSING_PROMPT) };
    return { from, to, by: literal(one.path === unsaved?.file ? unsaved.text : one.text) };
  });
  const text = replaceAll(raw.text, replacements);
  for (const [index, { key, at }] of named.entries()) {
    const one = found[index];
    if (one && 'problem' in one)
      return unreadable(raw.path, [phrase('key_prompt', { key }), one.problem], { at, rest: text });
  }
  return { ...raw, text, hash: sha256(text) };
}

/** Replaces a prompt that cannot be read, so that the other keys are checked. */
const MISSING_PROMPT = '-';

async function findPrompt(
  file: string,
  kind: string,
  { source, folder }: AgentPlace,
): Promise<{ text: string; path: string; realPath: string } | { problem: Phrase }> {
  // What is trusted of a project is the text of each file, as it was looked at.
  if (source !== 'user') return { problem: phrase('inline_prompt') };
  const config = dirname(folder);
  const prompts = join(config, 'prompts');
  const isOutside = isAbsolute(file) || file.split(/[\\/]/).includes('..');
  if (isOutside) return { problem: phrase('prompt_outside', { file, folder: prompts }) };
  const paths = [join(prompts, kind, file), join(prompts, kind, `${file}.md`), join(config, file)];
  for (const path of paths) {
    try {
      const realPath = await realpath(path);
      if (!realPath.startsWith((await realpath(prompts)) + sep))
        return { problem: phrase('prompt_leads_out', { file, folder: prompts }) };
      const fault = await writeFault(path);
      if (fault !== null) return { problem: phrase('unsafe', { what: fault.what, remedy: fault.remedy }) };
      return { text: await readRegularFile(path), path, realPath };
    } catch (error) {
      if (!isMissing(error)) return { problem: phrase('prompt_unreadable', { path, why: String(error) }) };
    }
  }
  return { problem: phrase('prompt_missing', { path: paths[0] ?? '' }) };
}

function namedIn(text: string): Named[] {
  const nodes = tomlNodes(text);
  return nodes.flatMap(({ path, value, valuePosition: at, isInner }): Named[] => {
    const key = path.join('.');
    if (isInner || !Object.hasOwn(FOLDERS, key) || value?.type !== 'TOMLInlineTable') return [];
    const file = nodes.find((node) => pathKey(node.path) === pathKey([...path, 'file']))?.value;
    if (value.body.length !== 1 || file?.type !== 'TOMLValue' || file.kind !== 'string') return [];
    return [{ key, file: file.value, range: value.range, at }];
  });
}

/** On one line, so that the lines below stay where they are. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', String.raw`\u007f`);
}
