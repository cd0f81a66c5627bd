/** The workspace of a run: its folder, and what of it none of its tools reaches. */
import { join } from 'node:path';
import type { ChangeSet } from '#contract/change.ts';
import type { RunRow } from '#contract/view.ts';
import { findRealPath } from '../base/disk-lookups.ts';
import type { Workspace } from '../workspace/reach.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import type { Tool } from '../tools/tool.ts';
import { PROJECT_SESSIONS } from '../settings/folders.ts';
import { NO_FILES } from '../settings/listed-files.ts';
import type { Engine } from './engine.ts';

/** For a call of a tool: one that needs no permission touches no file, so nothing is looked at on the disk for it. */
export async function workspaceFor(
  { permissions }: Pick<Tool, 'permissions'>,
  engine: Pick<Engine, 'own' | 'permissions' | 'workspaces'>,
  folder: string,
  leads: boolean,
): Promise<Workspace> {
  if (permissions.length > 0) return workspaceOf(engine, folder, leads);
  return { folder, root: '', own: engine.own.folders, sessions: [], secrets: NO_FILES };
}

/** `leads`: the Markdown of sessions, which holds what others said and did, is for a lead alone. */
export async function workspaceOf(
  { own, permissions, workspaces }: Pick<Engine, 'own' | 'permissions'> & { workspaces: Pick<Workspaces, 'roots'> },
  folder: string,
  leads: boolean,
): Promise<Workspace> {
  const written = join(folder, PROJECT_SESSIONS);
  const [root, { secretFiles }, real] = await Promise.all([
    workspaces.roots.pin(folder),
    permissions.rules(folder),
    findRealPath(written),
  ]);
  // As written, and where that leads: `.triad` may be a link.
  const inProject = [...new Set([written, real ?? written])];
  return {
    folder,
    root,
    own: [...own.folders, ...inProject],
    sessions: leads ? [...own.sessions, ...inProject] : [],
    secrets: secretFiles,
  };
}

/** Returns the files that an interrupted call changed. Settles the snapshot of a command that was cut off. */
export async function findChangeSet(
  engine: Pick<Engine, 'own' | 'permissions' | 'workspaces'>,
  { conversationId, runId, envelope, kind }: Pick<RunRow, 'conversationId' | 'envelope' | 'kind'> & { runId: string },
  toolCallId: string,
  signal: AbortSignal,
): Promise<ChangeSet | null> {
  const { changes, lock, snapshots } = engine.workspaces;
  const workspace = await workspaceOf(engine, envelope.folder, kind === 'lead');
  if (await snapshots.isKnown(workspace)) await lock.alone(workspace.folder, signal, () => snapshots.settle(workspace));
  const { sets } = await changes.of(conversationId);
  return sets.find((set) => set.runId === runId && set.toolCallId === toolCallId) ?? null;
}
