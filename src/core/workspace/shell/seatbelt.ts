/** The profile of macOS's sandbox-exec: the same bounds as far as its language says them. */
import type { ClosedPlaces } from './closed-places.ts';

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
  /** Nothing in the folder can be written. */
  readOnly?: boolean;
}

/** `temporary`: canonical, a folder of the command's own. The last rule that fits decides. */
export function seatbeltProfile(
  { folder, temporary, network, readOnly = false }: Bounds,
  { folders, files, fixed, held, missing }: ClosedPlaces,
): string {
  const below = (paths: Iterable<string>): string => [...paths].map((path) => `(subpath ${quoted(path)})`).join(' ');
  const exactly = (paths: Iterable<string>): string => [...paths].map((path) => `(literal ${quoted(path)})`).join(' ');
  const rule = (head: string, places: string): string[] => (places === '' ? [] : [`(${head} ${places})`]);
  return [
    '(version 1)',
    '(allow default)',
    '(deny appleevent-send)',
    `(deny mach-lookup ${SERVICES.map((name) => `(global-name ${quoted(name)})`).join(' ')})`,
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny process-info* (target others))',
    // Sockets by path count as network too.
    ...(network
      ? ['(deny network-outbound (subpath "/private/var/run") (subpath "/private/tmp"))']
      : ['(deny network*)']),
    '(deny file-write*)',
    `(allow file-write* ${below(readOnly ? [temporary] : [folder, temporary])} ${exactly(DEVICES)})`,
    ...rule('deny file-write*', below([...fixed, ...missing])),
    ...rule('deny file-write-unlink', exactly(held)),
    ...rule('deny file-read* file-write*', below([...folders, ...files])),
  ].join('\n');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
