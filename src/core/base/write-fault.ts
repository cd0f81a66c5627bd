/** Whether others than this user may write a file or folder: what they may write is not the person's word. */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from './text.ts';

export interface WriteFault {
  /** A clause that names the path. */
  what: string;
  /** What to do, with the command. */
  remedy: string;
}

/** In a folder with this bit, only the owner of a file can replace it. */
const STICKY = 0o1000;

/** Where nothing is there, making an error would take most of the time. */
const NO_ERROR = { throwIfNoEntry: false } as const;

/**
 * Of the path itself, of what it leads to where it is a link, and of the folders of both. Null where only this user and
 * root may write, where nothing is there, and where the system has no such modes. `mends`: what "chmod" makes of the path
 * itself; of its folder it takes the right to write. Looked at without a thread, as only the program's own files are.
 */
export async function writeFault(path: string, mends = 'go-w'): Promise<WriteFault | null> {
  const user = process.getuid?.();
  if (user === undefined) return null;
  const real = statSync(path, NO_ERROR) ? realpathSync.native(path) : path;
  const own = faultOf(path, user, { mends }) ?? faultOf(dirname(path), user);
  // A link's target may lie in a folder for everybody, as long as nobody else can replace it there.
  return own ?? (dirname(real) === dirname(path) ? null : faultOf(dirname(real), user, { excused: STICKY }));
}

/** `excused`: a bit of the mode with which it may be for everybody. */
function faultOf(path: string, user: number, { mends = 'go-w', excused = 0 } = {}): WriteFault | null {
  const stats = statSync(path, NO_ERROR);
  if (!stats) return null;
  const { mode, uid } = stats;
  if (uid !== user && uid !== 0)
    return { what: `${path} belongs to another user`, remedy: `run "sudo chown ${user} ${shellWord(path)}"` };
  if ((mode & 0o022) === 0 || (mode & excused) !== 0) return null;
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  return { what: `Others may write ${path} (mode ${shown})`, remedy: chmodAdvice(path, mends) };
}

/** `mode`: as "chmod" takes it. */
export function chmodAdvice(path: string, mode: string): string {
  return `run "chmod ${mode} ${shellWord(path)}"`;
}
