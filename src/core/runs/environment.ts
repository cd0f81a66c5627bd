/** Describes the environment of a workflow for its agents: machine, date, repository and the entries of the folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '#contract/agent.ts';
import { isOwn } from '../workspace/reach.ts';
import { matches } from '../base/pattern.ts';
import { readRepositoryState } from '../workspace/repository-state.ts';
import type { Engine } from './engine.ts';
import { workspaceOf } from './workspace-of.ts';

/** Top-level entries that a prompt lists. */
const MAX_ENTRIES = 40;
/** Longer names are cut, in UTF-16 code units. */
const MAX_NAME_CHARS = 100;

/** Reads the environment. Never rejects. */
export async function readEnvironment(
  { workspaces, permissions, own }: Pick<Engine, 'workspaces' | 'permissions' | 'own'>,
  folder: string,
): Promise<Environment> {
  const [git, entries] = await Promise.all([
    readRepositoryState(folder, workspaces.git).catch(() => null),
    listEntries({ permissions, own }, folder).catch((): string[] => []),
  ]);
  const now = new Date();
  return {
    platform: process.platform,
    shell: process.platform === 'win32' ? null : 'bash',
    date: formatDate(now),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    git,
    entries: entries.slice(0, MAX_ENTRIES),
    moreEntries: Math.max(0, entries.length - MAX_ENTRIES),
  };
}

/** Formats the local date as YYYY-MM-DD. */
function formatDate(date: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns the names in a folder, sorted, folders with a slash; without the program's own and those of a rule that denies or asks. */
async function listEntries(engine: Pick<Engine, 'permissions' | 'own'>, folder: string): Promise<string[]> {
  const [workspace, guarded, entries] = await Promise.all([
    workspaceOf(engine, folder, false),
    engine.permissions.guardedPaths(folder),
    readdir(folder, { withFileTypes: true }),
  ]);
  const isShown = (name: string): boolean =>
    name !== '.git' &&
    !isOwn(workspace, join(folder, name)) &&
    !guarded.some((pattern) => matches(pattern, name, { path: true, loose: true }));
  return entries
    .filter(({ name }) => isShown(name))
    .map((entry) => `${formatName(entry.name)}${entry.isDirectory() ? '/' : ''}`)
    .sort();
}

/** A name is data of the workspace: control and format characters are replaced, so that it stays on its line. */
function formatName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return visible.length > MAX_NAME_CHARS ? `${visible.slice(0, MAX_NAME_CHARS - 1).toWellFormed()}…` : visible;
}
