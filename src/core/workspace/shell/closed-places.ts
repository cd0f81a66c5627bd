/** What a command in a sandbox must not see, or not change, although it lies where it may read and write. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { protectedFiles } from '../hard-links.ts';
import { isInside, isOwn, type Workspace } from '../reach.ts';
import { isSecret, SECRET_FOLDERS } from '../secret-names.ts';

/** Canonical paths of what exists. */
export interface ClosedPlaces {
  /** Seen as empty folders. */
  folders: Set<string>;
  /** Files and sockets that cannot be opened. */
  files: Set<string>;
  /** Read only: what git runs or reads for whoever uses the repository later. */
  fixed: Set<string>;
  /** Folders that cannot be moved away, since what is in them is fixed, or is closed because of where it lies. */
  held: Set<string>;
  /** Folders that are read only and empty where they are missing. */
  missing: Set<string>;
}

/** Most entries of the workspace's folders that are looked through. */
const MAX_ENTRIES = 200_000;
/** Folders read at a time. */
const AT_ONCE = 32;
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Folders of a home whose entries are looked at. */
const IN_HOME = [/^\.[^/]+$/, /^\.config\/[^/]+$/, /^\.local\/share(\/[^/]+)?$/, /^Library$/];
const HOME_TOO = new Set(['.xauthority', '.iceauthority']);
const SYSTEM_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/krb5.keytab'];
const SYSTEM_FOLDERS = [
  '/etc/ssl/private',
  '/etc/sudoers.d',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
];

/** `git`: what git stores of the workspace may be written. Throws `limit_reached` where the workspace is too large to be looked through, `not_allowed` where it is the program's own. */
export async function closedPlaces(workspace: Workspace, home: string, git: boolean): Promise<ClosedPlaces> {
  const { folder, own, secrets } = workspace;
  if (isOwn(workspace, folder)) throw new TriadError('not_allowed', `${folder} belongs to Triad itself`);
  const places: ClosedPlaces = {
    folders: new Set(),
    files: new Set(),
    fixed: new Set(),
    held: new Set(),
    missing: new Set(),
  };
  const close = async (path: string): Promise<void> => {
    const real = await realpath(path).catch(() => null);
    const stats = real === null ? null : await stat(real).catch(() => null);
    if (real !== null && stats) (stats.isDirectory() ? places.folders : places.files).add(real);
  };
  const hold = (path: string): void => {
    for (let at = dirname(path); at !== folder && isInside(folder, at); at = dirname(at)) places.held.add(at);
  };
  const inWorkspace = async (path: string, entry: Dirent): Promise<boolean> => {
    const name = relative(folder, path);
    const { patterns } = secrets;
    if (entry.name === '.git' && git) await fixGit(path, places);
    else if (entry.name === '.git' && (await stat(path).catch(() => null))) places.fixed.add(path);
    const isClosed = isSecretFolder(name) || (!entry.isDirectory() && isSecret(name, patterns));
    if (entry.name.toLowerCase() === '.triad' || isClosed) await close(path);
    // In another folder the next command would read it.
    if (isClosed && !isSecretFolder(entry.name) && !isSecret(entry.name, patterns)) hold(path);
    return !PASSED_OVER.has(entry.name);
  };
  const inHome = async (path: string, entry: Dirent): Promise<boolean> => {
    const name = relative(home, path);
    if (isSecretFolder(name) || HOME_TOO.has(name.toLowerCase())) await close(path);
    else if (!entry.isDirectory() && isSecret(name, secrets.patterns)) await close(path);
    return IN_HOME.some((one) => one.test(name));
  };
  for (const path of own) if (await lstat(path).catch(() => null)) hold(path);
  await Promise.all([
    ...[...own, ...SYSTEM_FILES, ...SYSTEM_FOLDERS].map(close),
    lookThrough(folder, inWorkspace),
    lookThrough(home, inHome),
    hostKeys().then((paths) => Promise.all(paths.map(close))),
    sockets().then((paths) => Promise.all(paths.map(close))),
    otherNames(workspace).then((paths) => Promise.all(paths.map(close))),
  ]);
  return places;
}

/** Looks at every entry below a folder; `look` says whether to go on into it. Links are looked at and not followed. */
async function lookThrough(root: string, look: (path: string, entry: Dirent) => Promise<boolean>): Promise<void> {
  let left = MAX_ENTRIES;
  let level = [root];
  while (level.length > 0) {
    const next = level.splice(AT_ONCE);
    const below = await Promise.all(
      level.map(async (folder) => {
        const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
        left -= entries.length;
        if (left < 0)
          throw new TriadError(
            'limit_reached',
            `${root} has more than ${MAX_ENTRIES} entries: too many to be sure that no command reads a secret there`,
          );
        const folders: string[] = [];
        for (const entry of entries) {
          const path = join(folder, entry.name);
          if ((await look(path, entry)) && entry.isDirectory()) folders.push(path);
        }
        return folders;
      }),
    );
    level = [...next, ...below.flat()];
  }
}

/** Hooks and settings of a repository and of its submodules name programs that git starts. */
async function fixGit(path: string, places: ClosedPlaces): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats?.isFile()) places.fixed.add(path);
  if (!stats?.isDirectory()) return;
  places.held.add(path);
  const modules = await readdir(join(path, 'modules')).catch((): string[] => []);
  for (const folder of [path, ...modules.map((name) => join(path, 'modules', name))]) {
    for (const name of ['config', 'config.worktree', 'hooks']) {
      const there = await lstat(join(folder, name)).catch(() => null);
      if (there?.isFile() || there?.isDirectory()) places.fixed.add(join(folder, name));
      else if (name === 'hooks' && !there && folder === path) places.missing.add(join(folder, name));
    }
  }
}

function isSecretFolder(name: string): boolean {
  const whole = `/${name.normalize('NFC').toLowerCase()}`;
  return SECRET_FOLDERS.some((folder) => whole.endsWith(`/${folder}`));
}

async function hostKeys(): Promise<string[]> {
  const names = await readdir('/etc/ssh').catch((): string[] => []);
  return names.filter((name) => /^ssh_host_.*_key$/.test(name)).map((name) => join('/etc/ssh', name));
}

/** Sockets by which other programs of the machine can be reached; what has no name there, a network of its own keeps out. */
async function sockets(): Promise<string[]> {
  const text = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const named = text.split('\n').flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
  const found = await Promise.all(
    [...new Set(named)].map(async (path) => {
      const stats = await stat(path).catch(() => null);
      return stats?.isSocket() && basename(path) !== '' ? [path] : [];
    }),
  );
  return found.flat();
}

/** Other names in the workspace (hard links) of files that may not be read; they are looked for only where one has several. */
async function otherNames(workspace: Workspace): Promise<string[]> {
  const files = await protectedFiles(workspace);
  if (files === null)
    throw new TriadError('limit_reached', 'There are too many files to be sure that no command reads a secret');
  if (files.size === 0) return [];
  const found: string[] = [];
  await lookThrough(workspace.folder, async (path, entry) => {
    if (!entry.isFile()) return true;
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    if (stats && stats.nlink > 1n && files.has(`${stats.dev}:${stats.ino}`)) found.push(path);
    return true;
  });
  return found;
}
