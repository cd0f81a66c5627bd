/** Where an agent works, and what of it no tool reaches. */
import { sep } from 'node:path';
import { sha256 } from '../base/hash.ts';
import type { ListedFiles } from '../settings/listed-files.ts';

/** Device and inode of a folder, as `device:inode`. */
export type FolderId = string;

/** Plain data: the threads of searches get it too. */
export interface Workspace {
  /** Canonical path. */
  readonly folder: string;
  /** The folder that is meant. Empty: no tool reaches it. */
  readonly root: FolderId;
  /** Canonical paths of the program's own folders (settings, keys, trust, store, sessions): out of reach whatever a rule, a mode or a person says. */
  readonly own: readonly string[];
  /** Those among them that hold the Markdown of sessions, where the agent may read it; only a lead may. */
  readonly sessions: readonly string[];
  /** Files that hold keys, beyond those of well-known names. */
  readonly secrets: ListedFiles;
  /** Set by `withSessions`. */
  readonly readsSessions?: boolean;
}

/** The same workspace for tools that read notes: the Markdown of sessions is open to those of a lead. */
export function withSessions(workspace: Workspace): Workspace {
  return { ...workspace, readsSessions: true };
}

/** Whether a path lies in a folder of the program's own that is closed here. Ignores case, as some file systems do. */
export function isOwn({ own: folders, sessions, readsSessions }: Workspace, path: string): boolean {
  const folded = folding(path);
  const isIn = (folder: string): boolean => isInside(folding(folder), folded);
  // Sessions that a project within this one keeps are nobody's here.
  const isNested = `${folded.replaceAll('\\', '/')}/`.includes('/.triad/sessions/');
  if (!isNested && !folders.some(isIn)) return false;
  return !(readsSessions === true && /\.md$/.test(folded) && sessions.some(isIn));
}

const folding = (path: string): string => path.normalize('NFC').toLowerCase();

/** Returns the name of a workspace in a folder of Triad. */
export const nameWorkspace = ({ folder }: Pick<Workspace, 'folder'>): string => sha256(folder).slice(0, 32);

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
