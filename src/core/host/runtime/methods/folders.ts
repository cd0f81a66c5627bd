/** Completes the path of a folder that a person writes, and classifies a folder. Never returns names or contents of files. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { FolderKind } from '#contract/hosts/folder-kind.ts';
import { isFolder } from '#core/base/disk-lookups.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Handlers } from './handlers.ts';

const MOST = 30;
/** Entries of one folder that are looked at, at most. */
const LOOKED_AT = 5000;
/** Made up by the system: nobody works there. */
const OF_THE_SYSTEM = new Set(['/proc', '/sys']);

export const folderMethods: Pick<Handlers, 'folder.complete' | 'folder.inspect' | 'folder.pick'> = {
  // The desktop's, which has the screen.
  'folder.pick': async () => ({ folder: null }),
  'folder.inspect': ({ folder }) => inspectFolder(folder),
  'folder.complete': async ({ text }) => {
    const path = text.replace(/^~(?=$|[/\\])/, homedir());
    if (!isAbsolute(path) || path.includes('\0')) return [];
    const within = /[/\\]$/.test(path);
    const folder = resolve(within ? path : dirname(path));
    if (OF_THE_SYSTEM.has(`/${folder.split('/')[1] ?? ''}`)) return [];
    return foldersIn(folder, within ? '' : basename(path));
  },
};

/** File names that mark the root of a software project. */
const PROJECT_FILE =
  /^(package\.json|pyproject\.toml|setup\.py|requirements\.txt|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?|CMakeLists\.txt|Makefile|Gemfile|composer\.json|mix\.exs|deno\.json|Package\.swift|.+\.(sln|csproj|cabal))$/;
const SOURCE_FILE =
  /\.(c|cc|clj|cpp|cs|dart|ex|go|h|hpp|hs|java|jl|js|jsx|kt|lua|m|mjs|php|pl|py|r|rb|rs|scala|sh|svelte|swift|ts|tsx|vue|zig)$/i;
const SOURCE_FOLDER = /^(src|lib|app|cmd|pkg|crates|packages)$/;
const TEST_ENTRY = /^(tests?|spec|__tests__|e2e)$|[._-](test|spec)\.\w+$|^test_.+\.py$|_test\.(go|py|rb)$/i;

async function inspectFolder(path: string): Promise<FolderKind> {
  const folder = path.replace(/^~(?=$|[/\\])/, homedir());
  const entries = isAbsolute(folder) ? await readdir(folder, { withFileTypes: true }).catch(() => null) : null;
  if (entries === null)
    throw new TriadError('not_found', `${path} is not a folder that can be read: choose another one`);
  const visible = entries.slice(0, LOOKED_AT).filter(({ name }) => !name.startsWith('.'));
  const isSource = (entry: Dirent): boolean =>
    entry.isDirectory()
      ? SOURCE_FOLDER.test(entry.name)
      : PROJECT_FILE.test(entry.name) || SOURCE_FILE.test(entry.name);
  return {
    kind: visible.length === 0 ? 'empty' : visible.some(isSource) ? 'code' : 'documents',
    hasReadme: visible.some(({ name }) => /^readme(\.|$)/i.test(name)),
    hasTests: visible.some(({ name }) => TEST_ENTRY.test(name)),
  };
}

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
