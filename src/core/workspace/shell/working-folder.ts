/** The folder in which a run's commands work: `cd` holds for the next one, and leads nowhere else. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { isInside, isOwn, type Workspace } from '../reach.ts';

export interface WorkingFolder {
  /** Canonical, in the workspace. */
  folder: string;
  /** Set where the shell's folder lies outside, is the program's own or is gone: the folder is the workspace's again. */
  isReset: boolean;
}

/** `said`: what a command left behind, which may be anything. */
export async function workingFolder(workspace: Workspace, said: string): Promise<WorkingFolder> {
  const back = { folder: workspace.folder, isReset: true };
  if (!isAbsolute(said) || said.includes('\0')) return back;
  const folder = await realpath(said).catch(() => null);
  if (folder === null || !isInside(workspace.folder, folder) || isOwn(workspace, folder)) return back;
  const stats = await stat(folder).catch(() => null);
  return stats?.isDirectory() ? { folder, isReset: false } : back;
}

interface Begins {
  workspace: Workspace;
  /** Where the run's last command has left the shell. */
  folder: string;
  /** Where its question said that it would begin, relative to the workspace folder; null where there was none. */
  saidIn: string | null;
}

/** Where a command begins. Throws `conflict` where that is another folder than its question said: nothing is run there. */
export async function startFolder({ workspace, folder, saidIn }: Begins): Promise<WorkingFolder> {
  const start = await workingFolder(workspace, folder);
  const within = relative(workspace.folder, start.folder);
  if (saidIn === null || saidIn === within) return start;
  const words = (path: string): string => path || 'the workspace folder';
  throw new TriadError(
    'conflict',
    `Nothing was run: the shell stands in ${words(within)} now, and this call was decided for ${words(saidIn)}. Call it again`,
  );
}

/** Where bash and sh keep the way back to Node, out of the way of what scripts use. */
const FD = { bash: 137, sh: 8 } as const;

/**
 * The text for `-c`: the command behind what says on descriptor 3 that it runs (`+`), and says there
 * where it ends (`PATH\n\0`). On one line, so that the numbers of lines in messages are the command's. A command that
 * sets a trap on EXIT of its own, or replaces its shell, says nothing.
 */
export function scriptOf(command: string, shell: 'bash' | 'sh'): string {
  const fd = FD[shell];
  const pwd = shell === 'bash' ? 'builtin pwd -P' : 'pwd -P';
  return `exec ${fd}>&3 3>&-; printf + >&${fd}; trap '{ ${pwd}; printf "\\0"; } >&${fd} 2>/dev/null' EXIT; ${command}`;
}

/** What was said on descriptor 3: whether the command came to run, and its last folder (null where it said none). */
export function saidOf(bytes: string): { hasRun: boolean; folder: string | null } {
  const parts = bytes.replace(/^\+/, '').split('\0');
  const last = parts.length > 1 ? parts.at(-2)! : '';
  return { hasRun: bytes.startsWith('+'), folder: last === '' ? null : last.replace(/\n$/, '') };
}
