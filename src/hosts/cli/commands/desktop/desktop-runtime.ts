/** The Electron runtime of this machine: where it is, or how it can be had, or why not. */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, withoutSecrets } from '#core/base/child-environment.ts';

const PACKAGE = fileURLToPath(new URL('../../../../../node_modules/electron', import.meta.url));
const EXECUTABLES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};
/** Of the packed app, from its resources. */
const PACKED: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '../MacOS/Triad',
  win32: '../Triad.exe',
};
/** The folder of this program; in a packed app it is among its resources. */
const HOME = fileURLToPath(new URL('../../../../..', import.meta.url));
/** About 110 MB have to come. */
const INSTALL_MS = 180_000;

/** `packed`: the app itself, which needs no program; `missing`: nothing speaks against getting one. */
export type Desktop = { ok: true; path: string; packed?: true } | { ok: false; reason: string; missing: boolean };

export async function findDesktop(env: Environment, platform: NodeJS.Platform, electron = PACKAGE): Promise<Desktop> {
  const packed = await packedDesktop(platform);
  if (packed !== null) return { ok: true, path: packed, packed: true };
  const executable = EXECUTABLES[platform] ?? 'electron';
  const given = env['ELECTRON_OVERRIDE_DIST_PATH'];
  const path = join(given || join(electron, 'dist'), executable);
  if (await exists(path)) return { ok: true, path };
  if (given) return { ok: false, missing: false, reason: `ELECTRON_OVERRIDE_DIST_PATH says ${given}, where none is` };
  if (!(await exists(join(electron, 'install.js'))))
    return { ok: false, missing: false, reason: 'the package electron is not installed' };
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'])
    return { ok: false, missing: false, reason: 'it was not fetched, because this system has no display' };
  return { ok: false, missing: true, reason: 'it was not fetched yet' };
}

/** The app that this command line came with; null where it came alone. */
export async function packedDesktop(platform: NodeJS.Platform, home = HOME): Promise<string | null> {
  const [resources, ...rest] = home.split(`${sep}app.asar.unpacked${sep}`);
  if (resources === undefined || rest.join('').replaceAll(sep, '') !== 'cli') return null;
  const path = join(resources, PACKED[platform] ?? '../triad-desktop');
  return (await exists(path)) ? path : null;
}

/** Fetches the one that fits the installed package. */
export async function fetchDesktop(
  env: Environment,
  platform: NodeJS.Platform,
  signal: AbortSignal,
  electron = PACKAGE,
): Promise<Desktop> {
  const failure = await new Promise<string | null>((resolve) => {
    const options = { env: withoutSecrets(env), signal, timeout: INSTALL_MS };
    execFile(process.execPath, [join(electron, 'install.js')], options, (error, _out, complaint) =>
      resolve(error === null ? null : firstLine(complaint) || error.message),
    );
  });
  signal.throwIfAborted();
  if (failure === null) return findDesktop(env, platform, electron);
  return { ok: false, missing: true, reason: `it could not be fetched (${failure})` };
}

function firstLine(complaint: string): string {
  return (complaint.split('\n', 1)[0] ?? '').replace(/^\w*Error: /, '').trim();
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
