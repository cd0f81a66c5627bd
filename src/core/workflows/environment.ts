/** Describes the environment of a workflow for its agents: machine, date, repository and the entries of the folder. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '#contract/agent.ts';
import type { ConversationRow } from '#contract/view.ts';
import { redactKeysIn } from '../base/redact.ts';
import { withFolder } from '../workspace/places.ts';
import { isOwn } from '../workspace/reach.ts';
import { withRoot } from '../workspace/roots.ts';
import { matches } from '../base/pattern.ts';
import { readRepositoryState } from '../workspace/repository-state.ts';
import type { Engine } from '../runs/engine.ts';
import { workspaceOf } from '../runs/workspace-of.ts';

/** Top-level entries that a prompt lists. */
const MAX_ENTRIES = 40;
/** Entries that are read of a folder; further ones are not counted. */
const MAX_READ = 5000;
/** Longer names are cut, in UTF-16 code units. */
const MAX_NAME_CHARS = 100;

/**
 * Returns the environment for the next workflow of a conversation. It stays that of the last workflow on the same date and
 * branch, because a changed system prompt makes the provider's cache of the whole conversation useless.
 */
export async function getEnvironment(engine: Engine, { id, folder }: ConversationRow): Promise<Environment> {
  const [now, last] = await Promise.all([
    readEnvironment(engine, folder),
    lastEnvironment(engine, id, folder).catch(() => null),
  ]);
  const isSame =
    last !== null && last.date === now.date && last.timeZone === now.timeZone && last.git?.branch === now.git?.branch;
  return isSame ? last : now;
}

/** Returns the environment of the last workflow, or of the one it goes on with; null for none, or one in another folder. */
async function lastEnvironment({ store }: Engine, conversationId: string, folder: string): Promise<Environment | null> {
  const [last] = (await store.workflows({ conversationId, limit: 1 })).items;
  const workflow = last?.from ? await store.workflow(last.from.workflowId) : last;
  const run = workflow ? await store.run(workflow.runId) : null;
  return run?.envelope.folder === folder ? (run.envelope.environment ?? null) : null;
}

/** Reads the environment. Never rejects. */
async function readEnvironment(
  { workspaces, permissions, own }: Pick<Engine, 'workspaces' | 'permissions' | 'own'>,
  folder: string,
): Promise<Environment> {
  const [git, entries] = await Promise.all([
    readGit(workspaces, folder).catch(() => null),
    listEntries({ permissions, own, workspaces }, folder).catch((): string[] => []),
  ]);
  const now = new Date();
  return {
    platform: process.platform,
    shell: process.platform === 'win32' ? null : 'bash',
    date: formatDate(now),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(await redactKeysIn({ git, entries: entries.slice(0, MAX_ENTRIES) })),
    moreEntries: Math.max(0, entries.length - MAX_ENTRIES),
  };
}

/** Reads the repository of the pinned folder, or of a folder around it. */
async function readGit({ roots, git }: Engine['workspaces'], folder: string): Promise<Environment['git']> {
  return withRoot({ folder, root: await roots.pin(folder) }, async (root) => {
    // Git has other descriptors, so the path names this process.
    const through = root.through(folder).replace('/self/', `/${process.pid}/`);
    const above = dirname(folder);
    return (await readRepositoryState(through, git)) ?? (above === folder ? null : readRepositoryState(above, git));
  });
}

/** Formats the local date as YYYY-MM-DD. */
function formatDate(date: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns the names in a folder, sorted, folders with a slash; without the program's own and those of a rule that denies or asks. */
async function listEntries(
  engine: Pick<Engine, 'permissions' | 'own' | 'workspaces'>,
  folder: string,
): Promise<string[]> {
  const [workspace, guarded] = await Promise.all([
    workspaceOf(engine, folder, false),
    engine.permissions.guardedPaths(folder),
  ]);
  const entries = await withFolder(workspace, folder, folder, readEntries);
  const isShown = (name: string): boolean =>
    name !== '.git' &&
    !isOwn(workspace, join(folder, name)) &&
    !guarded.some((pattern) => matches(pattern, name, { path: true, loose: true }));
  return entries
    .filter(({ name }) => isShown(name))
    .map((entry) => `${formatName(entry.name)}${entry.isDirectory() ? '/' : ''}`)
    .sort();
}

async function readEntries(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 512 })) {
    entries.push(entry);
    if (entries.length === MAX_READ) break;
  }
  return entries;
}

/** A name is data of the workspace: control and format characters are replaced, so that it stays on its line. */
function formatName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return visible.length > MAX_NAME_CHARS ? `${visible.slice(0, MAX_NAME_CHARS - 1).toWellFormed()}…` : visible;
}
