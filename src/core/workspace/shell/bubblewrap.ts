/** The arguments of bubblewrap: namespaces for a command, and a file system that is an allowlist. */
import type { OpenEntry } from '../open-entry.ts';
import type { OutsideView } from './outside-view.ts';
import type { WorkspaceMounts } from './workspace-scan.ts';

/** A user namespace in which no other can be made; kernels and containers that offer none go without. */
export const USER_NAMESPACE: readonly string[] = ['--unshare-user', '--disable-userns'];

const NAMESPACES = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
/** Root keeps its capabilities otherwise, and could mount the file system writable again. */
const WITHOUT_RIGHTS = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Folders that are empty and writable, and end with the command. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run'];
/** Maximum size of what a command leaves in the home folder, in bytes. */
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

export interface Confinement {
  outside: OutsideView;
  /** The workspace folder. */
  root: OpenEntry;
  mounts: WorkspaceMounts;
  /** Git directories outside the workspace that belong to it. */
  repositories: readonly OpenEntry[];
  isReadOnly: boolean;
  writesGit: boolean;
  network: boolean;
  /** The folder in which the command starts. */
  start: string;
  /** Path of the settings of git that are shown as those of the person; null for none. */
  gitSettings: string | null;
  /** A descriptor with a filter of system calls; null for none. */
  filterFd: number | null;
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
  const { outside, root, mounts, repositories, isReadOnly, writesGit, network, start, gitSettings, filterFd } =
    confinement;
  const descriptors: number[] = [];
  const mounted: Mounted[] = [];
  const pass = (fd: number): string => String(FIRST_FREE_FD + descriptors.push(fd) - 1);
  const bind = (entry: OpenEntry, isWritable: boolean): string[] => {
    mounted.push({ kind: 'entry', path: entry.path, entry });
    return [isWritable ? '--bind-fd' : '--ro-bind-fd', pass(entry.fd), entry.path];
  };
  const byPath = <T extends { path: string }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const isWritable = !isReadOnly;
  const empty = (path: string, entry: OpenEntry | null): string[] => {
    mounted.push({ kind: 'empty', path, entry });
    return ['--tmpfs', path];
  };
  // A mount hides what was mounted below it before, so folders come before what is in them.
  const within = byPath([
    ...mounts.unmovable.map((entry) => ({ path: entry.path, args: () => bind(entry, isWritable) })),
    ...mounts.readOnly.map((entry) => ({ path: entry.path, args: () => bind(entry, false) })),
    ...mounts.empty.map((path) => ({ path, args: () => empty(path, null) })),
    ...mounts.hiddenFolders.map((entry) => ({ path: entry.path, args: () => empty(entry.path, entry) })),
    ...mounts.hiddenFiles.map((entry) => ({
      path: entry.path,
      args: () => {
        mounted.push({ kind: 'device', path: entry.path, entry });
        // A device cannot be opened there, since mounts from outside have no devices.
        return ['--ro-bind', '/dev/null', entry.path];
      },
    })),
  ]);
  const readOnly = ['/', '/proc', ...mounts.hiddenFolders.map(({ path }) => path), ...mounts.empty];
  const args = [
    ...[...user, ...NAMESPACES, ...(network ? [] : ['--unshare-net']), ...WITHOUT_RIGHTS],
    ...outside.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...['--dev', '/dev', '--proc', '/proc', ...TEMPORARY.flatMap((path) => ['--tmpfs', path])],
    ...['--symlink', '/run', '/var/run', '--perms', '0700', '--size', String(HOME_BYTES), '--tmpfs', outside.home],
    ...byPath(outside.readable).flatMap(({ path, source }) => ['--ro-bind', source, path]),
    ...(gitSettings === null ? [] : ['--ro-bind', gitSettings, `${outside.home}/.gitconfig`]),
    ...(outside.caches === null ? [] : ['--bind', outside.caches, outside.caches]),
    ...outside.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...repositories.flatMap((entry) => bind(entry, isWritable && writesGit)),
    ...bind(root, isWritable),
    ...within.flatMap((one) => one.args()),
    // Root can change the kernel by files that belong to it, also without capabilities.
    ...readOnly.flatMap((path) => ['--remount-ro', path]),
    ...(filterFd === null ? [] : ['--seccomp', pass(filterFd)]),
    ...['--json-status-fd', String(STATUS_FD), '--block-fd', String(GATE_FD), '--chdir', start, '--'],
  ];
  return { args, descriptors, mounted };
}
