/** Completes the path of a folder that a person writes: tells names of folders, never of files, nor what is in them. */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Handlers } from './handlers.ts';

const MOST = 30;
/** Entries of one folder that are looked at, at most. */
const LOOKED_AT = 5000;
/** Made up by the system: nobody works there. */
const OF_THE_SYSTEM = new Set(['/proc', '/sys']);

export const folderMethods: Pick<Handlers, 'folder.complete' | 'folder.pick'> = {
  // The desktop's, which has the screen.
  'folder.pick': async () => ({ folder: null }),
  'folder.complete': async ({ text }) => {
    const path = text.replace(/^~(?=$|[/\\])/, homedir());
    if (!isAbsolute(path) || path.includes('\0')) return [];
    const within = /[/\\]$/.test(path);
    const folder = resolve(within ? path : dirname(path));
    if (OF_THE_SYSTEM.has(`/${folder.split('/')[1] ?? ''}`)) return [];
    return foldersIn(folder, within ? '' : basename(path));
  },
};

async function foldersIn(folder: string, beginning: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const small = beginning.toLowerCase();
  const fit = entries.slice(0, LOOKED_AT).filter(({ name }) => {
    return name.toLowerCase().startsWith(small) && (beginning.startsWith('.') || !name.startsWith('.'));
  });
  fit.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of fit) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)))) found.push(path);
    if (found.length === MOST) break;
  }
  return found;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
