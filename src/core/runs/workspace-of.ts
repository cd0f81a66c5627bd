/** The workspace of a run: its folder, and what of it none of its tools reaches. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../tools/reach.ts';
import { PROJECT_SESSIONS } from '../settings/folders.ts';
import type { Engine } from './engine.ts';

/** `leads`: the Markdown of sessions, which holds what others said and did, is for a lead alone. */
export async function workspaceOf(
  { own, permissions }: Pick<Engine, 'own' | 'permissions'>,
  folder: string,
  leads: boolean,
): Promise<Workspace> {
  const { secretFiles } = await permissions.rules(folder);
  const written = join(folder, PROJECT_SESSIONS);
  // As written, and where that leads: `.triad` may be a link.
  const inProject = [...new Set([written, await realpath(written).catch(() => written)])];
  return {
    folder,
    own: [...own.folders, ...inProject],
    sessions: leads ? [...own.sessions, ...inProject] : [],
    secrets: secretFiles,
  };
}

/** Without a look at the disk, for tools that touch no file. */
export function bareWorkspace({ own }: Pick<Engine, 'own'>, folder: string): Workspace {
  return { folder, own: own.folders, sessions: [], secrets: [] };
}
