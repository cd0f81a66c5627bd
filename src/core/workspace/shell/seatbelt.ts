/** The profile of macOS's sandbox-exec: the rules of bubblewrap, as far as its language expresses them. */
import { dirname } from 'node:path';
import type { OutsideView } from './outside-view.ts';
import type { WorkspaceMounts } from './mounts.ts';

/** Services that would do something outside for whoever asks: open programs, send them events, give out keys. */
const SERVICES = [
  'com.apple.SecurityServer',
  'com.apple.securityd.xpc',
  'com.apple.coreservices.launchservicesd',
  'com.apple.coreservices.appleevents',
  'com.apple.coreservices.quarantine-resolver',
  'com.apple.lsd.open',
  'com.apple.pasteboard.1',
  'com.apple.windowserver.active',
  'com.apple.tccd',
];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/tty'];

interface Bounds {
  folder: string;
  temporary: string;
  network: boolean;
  /** Sockets by path can be reached with the network. */
  unixSockets?: boolean;
  /** Nothing in the folder can be written. */
  readOnly?: boolean;
}

/** Folders of people and of other volumes. Only the listed folders in them can be read. */
const PRIVATE = ['/Users', '/Volumes', '/private/var/root'];

/** `temporary`: canonical path of a folder that only the command uses. The last rule that matches decides. */
export function seatbeltProfile(
  { folder, temporary, network, unixSockets = false, readOnly = false }: Bounds,
  { home, readable, caches }: Pick<OutsideView, 'home' | 'readable' | 'caches'>,
  mounts: WorkspaceMounts,
): string {
  const below = (paths: Iterable<string>): string => [...paths].map((path) => `(subpath ${quoted(path)})`).join(' ');
  const exactly = (paths: Iterable<string>): string => [...paths].map((path) => `(literal ${quoted(path)})`).join(' ');
  const rule = (head: string, places: string): string[] => (places === '' ? [] : [`(${head} ${places})`]);
  const listPaths = (entries: readonly { path: string }[]): string[] => entries.map(({ path }) => path);
  const cacheFolders = caches === null ? [] : [caches];
  const shown = [folder, temporary, ...cacheFolders, ...readable.flatMap(({ path, source }) => [path, source])];
  return [
    '(version 1)',
    '(allow default)',
    '(deny appleevent-send)',
    `(deny mach-lookup ${SERVICES.map((name) => `(global-name ${quoted(name)})`).join(' ')})`,
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny process-info* (target others))',
    ...networkRules(network, unixSockets),
    `(deny file-read* ${below([...PRIVATE, home])})`,
    // Programs resolve their paths through the folders above.
    `(allow file-read-metadata ${exactly(new Set(shown.flatMap(foldersAbove)))})`,
    `(allow file-read* ${below(new Set(shown))})`,
    '(deny file-write*)',
    `(allow file-write* ${below([...(readOnly ? [] : [folder]), ...cacheFolders, temporary])} ${exactly(DEVICES)})`,
    ...rule(
      'deny file-write*',
      below([
        ...listPaths(mounts.readOnly),
        ...mounts.empty,
        ...mounts.selfContained.map(({ path }) => `${path}/commondir`),
      ]),
    ),
    ...rule('deny file-write-unlink', exactly(listPaths(mounts.unmovable))),
    ...rule('deny file-read* file-write*', below(listPaths([...mounts.hiddenFolders, ...mounts.hiddenFiles]))),
  ].join('\n');
}

/** Other programs of this machine listen on sockets by path. The system finds addresses of hosts through one of them. */
function networkRules(network: boolean, unixSockets: boolean): string[] {
  if (!network) return ['(deny network*)'];
  if (unixSockets) return [];
  return [
    '(deny network-outbound (remote unix-socket))',
    '(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))',
  ];
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
