/** ripgrep, where it is installed, tells fast which files have no match; what is shown is read by this program itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../base/child-environment.ts';
import type { Workspace } from '../../workspace/reach.ts';
import { findProgram } from '../../workspace/shell/programs.ts';

/** Files are searched as bytes, whatever they hold, and only those that are named. */
const OPTIONS = [
  ...['--no-config', '--no-messages', '--color=never', '--files-with-matches', '--null'],
  ...['--text', '--no-mmap', '--encoding=none', '--no-ignore', '--hidden'],
];
const NO_MATCH = 1;

/** The absolute path of the program; null where there is none outside of the workspace. */
export function findRipgrep(env: Environment, { folder }: Pick<Workspace, 'folder'>): Promise<string | null> {
  return findProgram('rg', env, folder);
}

/** Files, by paths relative to the folder, and what is looked for in them. */
export interface Question {
  pattern: string;
  paths: string[];
}

export interface RipgrepTask {
  /** Absolute path. */
  program: string;
  folder: string;
}

/**
 * Those of the files that have a match; null where ripgrep cannot tell. Resolves when nothing of it is left, also where
 * the signal ended it.
 */
export async function filesWithMatch(
  { program, folder }: RipgrepTask,
  { pattern, paths }: Question,
  signal: AbortSignal,
): Promise<string[] | null> {
  if (signal.aborted) return null;
  const args = [...OPTIONS, '--regexp', pattern, '--', ...paths];
  let child;
  try {
    // No variable changes what it does.
    child = spawn(program, args, { cwd: folder, env: {}, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
  const kill = () => end(child.pid);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
    if (code !== 0 && code !== NO_MATCH) return null;
    return said.split('\0').slice(0, -1);
  } catch {
    return null;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** With what it may have started. */
function end(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
