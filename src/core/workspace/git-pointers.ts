/** Parses the files of git that only contain a path: `.git`, `commondir` and `gitdir`. */
import { isUtf8 } from 'node:buffer';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';

/** Maximum size of such a file, in bytes. */
export const MAX_POINTER_BYTES = 4096;

/** Returns the absolute path that a pointer names; null if it is no pointer. `path`: of the pointer. */
export function parseGitPointer(path: string, bytes: Buffer): string | null {
  if (bytes.length > MAX_POINTER_BYTES || !isUtf8(bytes)) return null;
  // Git removes line ends only: a name may end with a space.
  const line = bytes.toString('utf8').replace(/[\r\n]+$/, '');
  const name = basename(path).toLowerCase();
  const target = name === '.git' ? /^gitdir: (.+)$/s.exec(line)?.[1] : /^(commondir|gitdir)$/.test(name) ? line : '';
  if (!target || /[\r\n\0]/.test(target)) return null;
  // Behind a name, `..` leads elsewhere if the name is a link. Git writes no such path.
  if (/(^|\/)(?!\.{1,2}\/)[^/]+\/(.*\/)?\.\.(\/|$)/.test(target)) return null;
  return isAbsolute(target) ? normalize(target) : join(dirname(path), target);
}
