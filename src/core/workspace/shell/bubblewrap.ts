/** The arguments of bubblewrap: namespaces for a command, and a file system that is an allowlist. */
import { TriadError } from '../../base/errors.ts';
import type { OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';
import type { OutsideView } from './outside-view.ts';
import type { WorkspaceMounts } from './mounts.ts';

/** Arguments for a user namespace in which no other can be made. Some kernels and containers offer none. */
export const USER_NAMESPACE: readonly string[] = ['--unshare-user', '--disable-userns'];

const NAMESPACES = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
/** Root keeps its capabilities otherwise, and could mount the file system writable again. */
const WITHOUT_RIGHTS = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Folders that are empty and writable, and are deleted with the command. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run'];
/** Maximum size of the files of a command in the home folder, in bytes. */
const HOME_BYTES = 1024 ** 3;

/** Descriptors of bubblewrap: where it reports the process, where it waits, the filter of system calls, and the mounts. */
export const STATUS_FD = 4;
export const GATE_FD = 5;
export const FIRST_FREE_FD = 6;

/**
 * Script for bash that closes every descriptor above its first argument, then starts the other arguments. A terminal, an
 * editor or a library may have left a folder open, which a command could read and write through `/proc/self/fd`.
 */
export const CLOSE_DESCRIPTORS =
  'for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -gt "$1" ] && eval "exec $fd>&-"; done; shift; exec "$@"';

/** A folder with what is mounted over its entries. */
export interface Layer {
  /** Null: only the entries are mounted. */
  root: OpenEntry | null;
  mounts: WorkspaceMounts;
  isWritable: boolean;
}

export interface Confinement {
  outside: OutsideView;
  /** From outside to inside: the last one is the workspace. */
  layers: readonly Layer[];
  network: boolean;
  /** The folder in which the command starts. */
  start: string;
  /** Path of the settings of git that are shown as those of the person; null for none. */
  gitSettings: string | null;
  /** Descriptor of a filter of system calls; null for none. */
  filterFd: number | null;
  /** Variables of the command alone: they are not in the environment of bubblewrap. */
  variables: Readonly<Record<string, string>>;
}

/** An entry that is mounted, which the caller compares with the mounted one before the command starts. */
export type Mounted =
  | { kind: 'entry'; path: string; entry: OpenEntry }
  | { kind: 'device'; path: string; entry: OpenEntry }
  | { kind: 'empty'; path: string; entry: OpenEntry | null };

export interface BubblewrapCommand {
  /** The arguments before the command. */
  args: string[];
  /** Descriptors from `FIRST_FREE_FD` on. */
  descriptors: number[];
  mounted: Mounted[];
}

export function composeBubblewrap(confinement: Confinement, user: readonly string[]): BubblewrapCommand {
  const { outside, layers, network, start, gitSettings, filterFd, variables } = confinement;
  const descriptors: number[] = [];
  const mounted: Mounted[] = [];
  const pass = (fd: number): string => String(FIRST_FREE_FD + descriptors.push(fd) - 1);
  const bind = (entry: OpenEntry, isWritable: boolean): string[] => {
    mounted.push({ kind: 'entry', path: entry.path, entry });
    return [isWritable ? '--bind-fd' : '--ro-bind-fd', pass(entry.fd), entry.path];
  };
  const hideFolder = (path: string, entry: OpenEntry | null): string[] => {
    mounted.push({ kind: 'empty', path, entry });
    return ['--tmpfs', path];
  };
  const hideFile = (entry: OpenEntry): string[] => {
    mounted.push({ kind: 'device', path: entry.path, entry });
    // A device cannot be opened there, since mounts from outside have no devices.
    return ['--ro-bind', '/dev/null', entry.path];
  };
  const composeLayer = ({ root, mounts, isWritable }: Layer): string[] => {
    // A mount hides what was mounted below it before, so folders come before what is in them.
    const within = byPath([
      ...mounts.unmovable.map((entry) => ({ path: entry.path, compose: () => bind(entry, isWritable) })),
      ...mounts.readOnly.map((entry) => ({ path: entry.path, compose: () => bind(entry, false) })),
      ...mounts.empty.map((path) => ({ path, compose: () => hideFolder(path, null) })),
      ...mounts.hiddenFolders.map((entry) => ({ path: entry.path, compose: () => hideFolder(entry.path, entry) })),
      ...mounts.hiddenFiles.map((entry) => ({ path: entry.path, compose: () => hideFile(entry) })),
    ]);
    return [...(root ? bind(root, isWritable) : []), ...within.flatMap(({ compose }) => compose())];
  };
  const emptyFolders = layers.flatMap(({ mounts }) => [
    ...mounts.hiddenFolders.map(({ path }) => path),
    ...mounts.empty,
  ]);
  const { inHome, outOfHome } = Object.groupBy(byPath(outside.readable), ({ path }) =>
    isInside(outside.home, path) ? 'inHome' : 'outOfHome',
  );
  const show = ({ path, source }: { path: string; source: string }): string[] => ['--ro-bind', source, path];
  const args = [
    ...[...user, ...NAMESPACES, ...(network ? [] : ['--unshare-net']), ...WITHOUT_RIGHTS],
    ...outside.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...['--dev', '/dev', '--proc', '/proc', ...TEMPORARY.flatMap((path) => ['--tmpfs', path])],
    ...['--symlink', '/run', '/var/run'],
    // The home folder may be in a readable one, such as `/opt`.
    ...(outOfHome ?? []).flatMap(show),
    ...['--perms', '0700', '--size', String(HOME_BYTES), '--tmpfs', outside.home],
    ...(inHome ?? []).flatMap(show),
    ...outside.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...(gitSettings === null ? [] : ['--ro-bind', gitSettings, `${outside.home}/.gitconfig`]),
    ...(outside.caches === null ? [] : ['--bind', outside.caches, outside.caches]),
    ...layers.flatMap(composeLayer),
    // Root can change the kernel by files that belong to it, also without capabilities.
    ...['/', '/proc', ...new Set(emptyFolders)].flatMap((path) => ['--remount-ro', path]),
    ...(filterFd === null ? [] : ['--seccomp', pass(filterFd)]),
    ...composeVariables(variables),
    ...['--json-status-fd', String(STATUS_FD), '--block-fd', String(GATE_FD), '--chdir', start],
  ];
  return { args, descriptors, mounted: lastByPath(mounted) };
}

/** Returns arguments that set variables for the command alone. Throws `bad_input` for a character that no variable can have. */
function composeVariables(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    // NUL would start another argument.
    if (/[\0=]/.test(name) || value.includes('\0'))
      throw new TriadError('bad_input', `The variable ${JSON.stringify(name)} has a character that none can have`);
    return ['--setenv', name, value];
  });
}

function byPath<T extends { path: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the mounts that can be seen: a later one at the same path is over the earlier ones. */
function lastByPath(mounted: readonly Mounted[]): Mounted[] {
  return [...new Map(mounted.map((one) => [one.path, one])).values()];
}
