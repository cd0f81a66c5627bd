/** The arguments of bubblewrap: namespaces of their own for a command, and a file system in which little can be written. */
import { dirname } from 'node:path';
import type { ClosedPlaces } from './closed-places.ts';

/** A user namespace in which no other can be made; kernels and containers that offer none go without. */
export const USER_NAMESPACE: readonly string[] = ['--unshare-user', '--disable-userns'];

const ALONE = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
/** Root keeps its capabilities otherwise, and could mount the file system writable again. */
const WEAK = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Where sockets of other programs lie, and what they leave for themselves. */
const EMPTY = ['/tmp', '/run', '/var/run'];

export interface Confinement {
  /** Canonical; all that can be written, unless it is `readOnly`, too. */
  folder: string;
  readOnly?: boolean;
  /** Where the command begins. */
  start: string;
  network: boolean;
  places: ClosedPlaces;
  /** Of `/var/run` and the like: those that are folders and no links. */
  empty?: readonly string[];
}

/** The arguments before the command. */
export function bubblewrapArguments(
  confinement: Confinement,
  user: readonly string[],
  infoFd: number | null,
): string[] {
  const { start, network } = confinement;
  const { mounts, locked } = mountsOf(confinement);
  const info = infoFd === null ? [] : ['--info-fd', String(infoFd)];
  return [
    ...user,
    ...ALONE,
    ...(network ? [] : ['--unshare-net']),
    ...WEAK,
    ...mounts,
    ...locked,
    ...info,
    '--chdir',
    start,
    '--',
  ];
}

/** Each place is mounted once, those above first. `locked`: comes when all are mounted. */
function mountsOf({ folder, readOnly, network, places, empty = EMPTY }: Confinement): {
  mounts: string[];
  locked: string[];
} {
  const bare = new Set<string>([...empty, '/dev', '/proc']);
  const mounts = new Map<string, readonly string[]>([['/', ['--ro-bind', '/', '/']]]);
  for (const path of empty) mounts.set(path, ['--tmpfs', path]);
  mounts.set('/dev', ['--dev', '/dev']).set('/proc', ['--proc', '/proc']);
  mounts.set('/run/current-system', ['--ro-bind-try', '/run/current-system', '/run/current-system']);
  if (network) mounts.set('/run/systemd/resolve', ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve']);
  const bind = readOnly ? '--ro-bind' : '--bind';
  mounts.set(folder, [bind, folder, folder]);
  bare.delete(folder);
  const hidden = new Set([...places.folders].filter((path) => path !== folder));
  const isSeen = (path: string): boolean => {
    for (let above = dirname(path); ; above = dirname(above)) {
      if (hidden.has(above) || bare.has(above)) return false;
      if (above === folder || above === '/') return true;
    }
  };
  const add = (paths: Iterable<string>, how: (path: string) => readonly string[]): void => {
    for (const path of paths) if (path !== folder && isSeen(path) && !bare.has(path)) mounts.set(path, how(path));
  };
  add(places.held, (path) => [bind, path, path]);
  add(places.fixed, (path) => ['--ro-bind', path, path]);
  add(places.missing, (path) => ['--tmpfs', path]);
  // A device that cannot be opened, since mounts from outside have no devices.
  add(places.files, (path) => ['--ro-bind', '/dev/null', path]);
  add(hidden, (path) => ['--tmpfs', path]);
  const inOrder = [...mounts].sort(([a], [b]) => (a < b ? -1 : 1));
  const closed = [...hidden, ...places.missing].filter((path) => mounts.has(path));
  // Root may set the kernel by files that belong to it, also without capabilities.
  const remounted = ['/proc', ...closed];
  return { mounts: inOrder.flatMap(([, how]) => how), locked: remounted.flatMap((path) => ['--remount-ro', path]) };
}
