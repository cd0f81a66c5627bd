/** The keys of agents' and compositions' files by dotted path: read with their places, and changed one by one. */
import type { AgentReport } from '#contract/agent.ts';
import type { ExplainedSetting, SettingOrigin } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import { pathInProject } from '#core/agents/agent-folders.ts';
import type { AgentFiles } from '#core/agents/files.ts';
import { describeFault, type LoadedFile, nameOf } from '#core/agents/load.ts';
import { whyFixed } from '#core/agents/paths/how-to-change.ts';
import { type KeyRow, keyRows, keysOf, pathOf } from '#core/agents/paths/key-rows.ts';
import type { PathRoot } from '#core/agents/paths/key-words.ts';
import { type AgentPlace, getFileKind } from '#core/agents/places.ts';
import { findPromptFile, withPromptFiles } from '#core/agents/prompts/prompt-files.ts';
import { placeHolding } from '#core/agents/read-place.ts';
import { TriadError } from '#core/base/errors.ts';
import { nearest } from '#core/base/nearest.ts';
import { readRegularFile } from '#core/base/regular-file.ts';
import type { Engine } from '#core/runs/engine.ts';
import { partsOf } from '#core/settings/dotted-path.ts';
import { ceilingsIn } from '../methods/agents.ts';

interface AgentPath {
  root: PathRoot;
  /** Null for all. */
  name: string | null;
  /** Empty for all of them. */
  key: string;
}

interface Found {
  root: PathRoot;
  name: string;
  file: string;
  place: AgentPlace;
}

/** Null for a path that is none of an agent's or a composition's. */
export function agentPathOf(path: string): AgentPath | null {
  const [root, name = null, ...key] = partsOf(path) ?? [];
  if (root !== 'agents' && root !== 'compositions') return null;
  return { root, name, key: key.join('.') };
}

/** The rows of what a path names; of all agents together only what their files say. */
export async function explainAgents(engine: Engine, folder: string, path: AgentPath): Promise<ExplainedSetting[]> {
  const { root, name, key } = path;
  const found = await foundIn(engine, folder, root);
  if (name === null) {
    const rows = await Promise.all(found.map((one) => rowsOf(one)));
    return rows.flat().filter(({ origin }) => origin.from !== 'default');
  }
  const rows = (await rowsOf(namedIn(found, path, name))).filter((row) => key === '' || isWithin(row.key, key));
  if (rows.length === 0) throw noKey(path, namedIn(found, path, name).file);
  return rows.map(({ key: _, line: _line, ...row }) => row);
}

const isWithin = (key: string, wanted: string): boolean => key === wanted || key.startsWith(`${wanted}.`);

export interface AgentKeyPorts {
  engine: Engine;
  files: AgentFiles;
}

/** Returns the row as it is then. Throws as `agents.set` says. */
export async function setAgentKey(
  { engine, files }: AgentKeyPorts,
  folder: string,
  { path, value, project }: { path: string; value: SettingRow['value']; project: boolean },
): Promise<ExplainedSetting> {
  const wanted = agentPathOf(path);
  if (wanted === null || wanted.name === null) throw new TriadError('bad_input', `${path} names no key of an agent`);
  const found = namedIn(await foundIn(engine, folder, wanted.root), wanted, wanted.name);
  const { file, place } = found;
  if (!keysOf(wanted.root).single.includes(wanted.key)) throw noKey(wanted, file);
  const fixed = whyFixed(found, project);
  if (fixed !== null) throw new TriadError('not_allowed', fixed);
  const { text, hash } = await files.read(folder, file);
  // What is saved of a project is trusted as a whole: so it must have been looked at before.
  if (place.source === 'project' && !(await engine.trust.trusts(folder, pathInProject(folder, file), hash ?? '')))
    throw new TriadError('not_allowed', `${file} is not trusted as it is: look at it first, with "triad trust"`);
  const edited = await files.edit(folder, file, text, { [wanted.key]: value });
  const [error] = edited.report.errors;
  if (error) throw new TriadError('bad_input', describeFault(file, error));
  await files.save(
    folder,
    file,
    edited.text,
    hash,
    edited.prompt && { file: edited.prompt.file, text: edited.prompt.text },
  );
  engine.watch.changed();
  // A name that was changed is that of the path from now on.
  const name = wanted.key.endsWith('name') && value !== null ? String(value) : found.name;
  const row = (await rowsOf({ ...found, name })).find((one) => one.key === wanted.key);
  if (!row) throw new TriadError('internal', `${path} is not there any more`);
  const { key: _, line: _line, ...rest } = row;
  return rest;
}

/** Each name once: the file that is in effect, else the last one that there is. */
async function foundIn(engine: Engine, folder: string, root: PathRoot): Promise<Found[]> {
  const { agents } = engine;
  const [all, registry] = await Promise.all([
    agents.files(folder, await ceilingsIn(engine, folder)),
    agents.of(folder),
  ]);
  const places = agents.places(folder);
  const byName = new Map<string, Found>();
  for (const one of all) {
    const name = nameOf(one);
    const place = placeHolding(places, one.path);
    if (name === null || !place || (place.compositions ?? false) !== (root === 'compositions')) continue;
    const used = registry.get(name)?.sourcePath;
    if (used == null || used === one.path || !isThere(used, all))
      byName.set(name, { root, name, file: one.path, place });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isThere(path: string, files: readonly LoadedFile[]): boolean {
  return files.some((file) => file.path === path);
}

function namedIn(found: readonly Found[], { root }: AgentPath, name: string): Found {
  const one = found.find((each) => each.name === name);
  if (one) return one;
  const names = found.map((each) => each.name);
  const near = nearest(name, names);
  const hint = near === null ? '' : ` (did you mean ${pathOf(root, near)}?)`;
  throw new TriadError('bad_input', `There is no ${root.slice(0, -1)} "${name}"${hint}: see "triad agents list"`);
}

function noKey({ root, key }: AgentPath, file: string): TriadError {
  const { single, lists } = keysOf(root);
  if (lists.includes(key)) return new TriadError('bad_input', `${key} is a list: it is written in ${file}`);
  const near = nearest(key, single);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  return new TriadError(
    'bad_input',
    `"${key}" is no key of ${root === 'agents' ? 'an agent' : 'a composition'}${hint}`,
  );
}

async function rowsOf({ root, name, file, place }: Found): Promise<(KeyRow & ExplainedSetting)[]> {
  const text = await readRegularFile(file);
  const [whole, prompt] = await Promise.all([
    withPromptFiles({ path: file, problem: null, text, hash: '' }, place),
    findPromptFile(text, file, place),
  ]);
  const shown = whole.problem === null ? whole.text : text;
  const rows = keyRows(root, name, shown, place.dialect === 'triad' ? getFileKind(file, place) : 'markdown');
  return rows.map((row) => {
    const isPrompt = row.key === prompt?.key;
    const origin = isPrompt
      ? originOf({ ...row, line: 1 }, place.source, prompt.file)
      : originOf(row, place.source, file);
    return { ...row, origin, others: [] };
  });
}

function originOf({ line }: KeyRow, from: AgentReport['source'], file: string): SettingOrigin {
  return line === null ? { from: 'default' } : { from, file, line };
}
