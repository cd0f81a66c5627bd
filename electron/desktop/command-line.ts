/** The command `triad` on the person's path: a link to the packaged command line, taken back in the same place. */
import { constants, existsSync } from 'node:fs';
import { access, lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { codeOf, errorInfo } from '#core/base/errors.ts';
import { text } from '../text.ts';

export interface CommandPlace {
  /** Of the packaged app. */
  resources: string;
  /** The person's. */
  home: string;
  platform: NodeJS.Platform;
  /** Of which PATH, LOCALAPPDATA and APPIMAGE are looked at. */
  env: Readonly<Record<string, string | undefined>>;
  /** Where every shell looks, and most people may not write. */
  shared?: string;
}

const nameOn = (platform: NodeJS.Platform) => (platform === 'win32' ? 'triad.cmd' : 'triad');
/** What it leads to. */
const launcherOf = ({ resources, platform }: CommandPlace) => join(resources, 'bin', nameOn(platform));
const shimOf = (launcher: string) => `@"${launcher}" %*\r\n`;

/** Where it may be, the best place first. */
function placesOf({ home, platform, env, shared = '/usr/local/bin' }: CommandPlace): string[] {
  const folders =
    platform === 'win32'
      ? [join(env['LOCALAPPDATA'] ?? join(home, 'AppData/Local'), 'Microsoft/WindowsApps')]
      : [join(home, '.local/bin'), shared];
  return folders.map((folder) => join(folder, nameOn(platform)));
}

const isOnPath = ({ env }: CommandPlace, path: string) => (env['PATH'] ?? '').split(delimiter).includes(dirname(path));

/** Whether it leads to the launcher of this package, as it lies now; what cannot be read does not. */
async function isOurs(path: string, place: CommandPlace): Promise<boolean> {
  const launcher = launcherOf(place);
  if (place.platform !== 'win32') return (await readlink(path).catch(() => null)) === launcher;
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size >= 4096) return false;
  return (await readFile(path, 'utf8').catch(() => null)) === shimOf(launcher);
}

/** Where it is; null where it is not. */
async function installedAt(place: CommandPlace): Promise<string | null> {
  for (const path of placesOf(place)) if (await isOurs(path, place)) return path;
  return null;
}

/** The folder on the path that can be written to; else the person's own, which is made. */
async function bestPlace(place: CommandPlace): Promise<string> {
  const paths = placesOf(place);
  for (const path of paths) {
    const isWritable = await access(dirname(path), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable && isOnPath(place, path)) return path;
  }
  return paths[0]!;
}

/** Puts it there, or takes it away where it is; what was done, in words. Anything else in its place stays. */
export async function toggleCommand(place: CommandPlace): Promise<string> {
  const words = text().commandLine;
  const installed = await installedAt(place);
  const path = installed ?? (await bestPlace(place));
  try {
    if (installed !== null) {
      await rm(installed);
      return words.removed(installed);
    }
    if (place.env['APPIMAGE']) return words.moves;
    const launcher = launcherOf(place);
    await mkdir(dirname(path), { recursive: true });
    // Neither replaces what is there.
    if (place.platform === 'win32') await writeFile(path, shimOf(launcher), { flag: 'wx' });
    else await symlink(launcher, path);
    const installedSo = words.installed(path);
    return isOnPath(place, path) ? installedSo : `${installedSo}\n${words.offPath(dirname(path))}`;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return words.taken(path);
    return words.failed(path, errorInfo(error).message);
  }
}

/** For the menu; null where no command line was packed. `say`: shows what was done. */
export async function commandItem(
  place: CommandPlace,
  say: (message: string) => void,
): Promise<MenuItemConstructorOptions | null> {
  if (!existsSync(launcherOf(place))) return null;
  const words = text().commandLine;
  const label = (await installedAt(place)) === null ? words.install : words.remove;
  return { label, click: () => void toggleCommand(place).then(say) };
}
