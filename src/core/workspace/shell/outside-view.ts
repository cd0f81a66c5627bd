/** The files that a command in the sandbox sees outside the workspace: the system, toolchains of the home folder, and caches. */
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../../base/child-environment.ts';
import { followLinks } from '../link-path.ts';
import { isInside, isOwn, type Workspace } from '../reach.ts';

export interface OutsideView {
  /** Canonical path of the home folder, which is empty but for `readable` and the caches. */
  home: string;
  /** Folders and files that can be read: the path in the sandbox, and the canonical path that is mounted there. */
  readable: readonly { path: string; source: string }[];
  /** Links at the root of the file system, such as `/bin`. */
  links: readonly { path: string; target: string }[];
  /** Folders and files of the system that are hidden although they are in a readable folder. */
  hidden: readonly { path: string; isFolder: boolean }[];
  /** The folder for caches of package managers; null if there is none. */
  caches: string | null;
  /** Variables with the paths of the caches. */
  env: Readonly<Record<string, string>>;
}

/** Folders of the system. A missing one is left out. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu', '/sys'];
const SYSTEM_BELOW = ['/run/current-system', '/var/lib/ca-certificates', '/home/linuxbrew/.linuxbrew'];
/** Folder with the addresses of name servers. */
const RESOLVER = '/run/systemd/resolve';

/** Toolchains in the home folder. Their credentials are in other files, which are not listed. */
const TOOLCHAINS = [
  ...['.nvm', '.volta', '.asdf', '.pyenv', '.rbenv', '.sdkman', '.bun', '.deno', '.rustup', 'miniconda3'],
  ...['.local/bin', '.local/lib', '.local/share/mise', '.local/share/pnpm', '.local/share/uv', '.local/share/fnm'],
  ...['.cargo/bin', '.cargo/git', '.cargo/registry', '.cargo/config.toml', 'go/bin', 'go/pkg', '.m2/repository'],
  ...['.gradle/caches', '.gradle/wrapper', '.nuget/packages', '.cache/ms-playwright'],
  ...['.dotnet/host', '.dotnet/packs', '.dotnet/sdk', '.dotnet/shared', '.dotnet/tools'],
];
/** Folders with libraries of a program, beside its `bin`. */
const BESIDE_BIN = ['lib', 'lib64', 'libexec', 'share', 'include'];
/** Maximum number of folders of `PATH` and of its programs. Bubblewrap takes 9000 arguments, of which a mount needs 3. */
const MAX_PROGRAM_FOLDERS = 1000;
/** Maximum number of entries of a folder in `PATH` whose links are followed. */
const MAX_PROGRAMS = 2000;

/** Variables of package managers, by the name of the folder in the caches. */
const CACHES: Readonly<Record<string, string>> = {
  npm: 'npm_config_cache',
  pip: 'PIP_CACHE_DIR',
  uv: 'UV_CACHE_DIR',
  'go-build': 'GOCACHE',
  'go-mod': 'GOMODCACHE',
  cargo: 'CARGO_HOME',
  gradle: 'GRADLE_USER_HOME',
  yarn: 'YARN_CACHE_FOLDER',
  pnpm: 'PNPM_HOME',
};

interface OutsideOptions {
  workspace: Workspace;
  env: Environment;
  home: string;
  network: boolean;
  /** The folder for caches of this workspace; null for none. */
  caches: string | null;
  /** Paths from the settings that can be read. */
  more: readonly string[];
}

export async function viewOutside({
  workspace,
  env,
  home,
  network,
  caches,
  more,
}: OutsideOptions): Promise<OutsideView> {
  const isExposable = (path: string): boolean =>
    !isInside(path, home) &&
    !isInside(path, workspace.folder) &&
    !isInside(workspace.folder, path) &&
    !isOwn(workspace, path) &&
    !workspace.own.some((folder) => isInside(path, folder));
  const readable = new Map<string, string>();
  /** Returns the canonical path; null for a missing file. A link in the workspace may have any target, so none is followed. */
  const resolveOutside = async (path: string): Promise<string | null> => {
    const followed = await followLinks(path, (at) => isInside(workspace.folder, at));
    return followed.end === 'found' ? followed.path : null;
  };
  const add = async (path: string): Promise<void> => {
    const source = await resolveOutside(path);
    if (source !== null && isExposable(source) && !isSystem(source)) readable.set(path, source);
  };
  const links: { path: string; target: string }[] = [];
  for (const path of SYSTEM) {
    const stats = await lstat(path).catch(() => null);
    if (stats?.isSymbolicLink()) links.push({ path, target: await readlink(path) });
    else if (stats) readable.set(path, path);
  }
  for (const path of [...SYSTEM_BELOW, ...(network ? [RESOLVER] : [])])
    if (await stat(path).catch(() => null)) readable.set(path, await realpath(path));
  await Promise.all(TOOLCHAINS.map((name) => add(join(home, name))));
  for (const folder of await findProgramFolders(env['PATH'] ?? '', resolveOutside)) await add(folder);
  await Promise.all(more.filter(isAbsolute).map(add));
  const variables = caches === null ? {} : await makeCaches(caches);
  return {
    home,
    links,
    caches,
    env: variables,
    hidden: [...(await findPrivate('/etc')), ...(await findOwn(workspace))],
    readable: [...readable].map(([path, source]) => ({ path, source })),
  };
}

/** Returns whether a folder of the system is below this one: such a home folder cannot be an empty one. */
export const hasSystem = (path: string): boolean => SYSTEM.some((folder) => isInside(path, folder));

const isSystem = (path: string): boolean => SYSTEM.some((folder) => isInside(folder, path));

/** Returns the folders of `PATH` outside the system, and those that programs in them need. */
async function findProgramFolders(
  path: string,
  resolveOutside: (path: string) => Promise<string | null>,
): Promise<Set<string>> {
  const folders = new Set<string>();
  for (const folder of path.split(':').filter(isAbsolute)) {
    const real = await resolveOutside(folder);
    if (real === null || isSystem(real)) continue;
    folders.add(folder).add(real);
    if (basename(real) === 'bin') for (const name of BESIDE_BIN) folders.add(join(dirname(real), name));
    const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
    const programs = entries.slice(0, MAX_PROGRAMS).filter((entry) => entry.isSymbolicLink());
    await Promise.all(
      programs.map(async ({ name }) => {
        const target = await resolveOutside(join(real, name));
        if (target === null || isInside(real, target)) return;
        // For instance the package of `node_modules/.bin/tsc`, whose program is `node_modules/typescript/bin/tsc`.
        const above = dirname(target);
        folders.add(basename(above) === 'bin' ? dirname(above) : above);
      }),
    );
  }
  return new Set([...folders].slice(0, MAX_PROGRAM_FOLDERS));
}

async function makeCaches(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const made = Object.entries(CACHES).map(async ([name, variable]) => {
    // A command may have made another entry there, which a later command can delete.
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 }).catch(() => undefined);
    return [variable, join(folder, name)] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}

/** Finds the folders of Triad that are in a folder of the system, such as `/opt`. */
async function findOwn({ own }: Workspace): Promise<{ path: string; isFolder: boolean }[]> {
  const found = await Promise.all(
    own.filter(isSystem).map(async (path) => {
      const stats = await lstat(path).catch((): Stats | null => null);
      return stats ? [{ path, isFolder: stats.isDirectory() }] : [];
    }),
  );
  return found.flat();
}

/** Finds the files in a folder of the system that other users cannot read. Root could read them without any capability. */
async function findPrivate(folder: string): Promise<{ path: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async ({ name }) => {
      const path = join(folder, name);
      const stats = await lstat(path).catch((): Stats | null => null);
      if (!stats || stats.isSymbolicLink()) return [];
      const isFolder = stats.isDirectory();
      const needed = isFolder ? 0o5 : 0o4;
      if ((stats.mode & needed) !== needed) return [{ path, isFolder }];
      return isFolder ? findPrivate(path) : [];
    }),
  );
  return found.flat();
}
