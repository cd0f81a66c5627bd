/** Checks the folders of this installation, the settings in them and where keys lie. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeFault } from '#core/base/write-fault.ts';
import type { Checked } from '#core/host/checks/check-configuration.ts';
import type { Finding as CheckFinding } from '#core/host/checks/finding.ts';
import type { Folders } from '#core/settings/folders.ts';
import { INSTANCE_FILE, KEY_FILES, pricesFile, settingsFile, TRUST_FILE } from '#core/settings/guarded-files.ts';
import { causeOf, type Finding, ok, problem, warning } from './finding.ts';

const MB = 1024 * 1024;
const SCARCE_BYTES = 500 * MB;
const FULL_BYTES = 32 * MB;

export async function checkFolders({ config, data }: Folders): Promise<Finding[]> {
  const found = [await checkFolder('data folder', data, [INSTANCE_FILE, TRUST_FILE])];
  if (config !== data) found.push(await checkFolder('config folder', config, ['agents']));
  return found;
}

/** `within`: what only this user may write of it, too. */
async function checkFolder(name: string, folder: string, within: string[]): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const text = `${folder}, ${size(free)} free`;
    for (const one of within) {
      const fault = await writeFault(join(folder, one));
      if (fault !== null) return problem(name, fault.what, fault.remedy);
    }
    if (free < FULL_BYTES) return problem(name, text, 'free some space on this disk');
    if (free < SCARCE_BYTES) return warning(name, text, 'free some space on this disk');
    return ok(name, text);
  } catch (error) {
    const advice = 'check its owner and permissions, or set TRIAD_HOME to another folder';
    return problem(name, `${folder} cannot be used (${causeOf(error)})`, advice);
  }
}

/** The files of this installation that the check of the configuration reads: one line each. */
export async function checkConfigFiles({ config }: Folders, { findings, files }: Checked) {
  const errorIn = (file: string) => findings.find((one) => one.file === file && one.level === 'error');
  const plain = (name: string, file: string, none: string): Finding =>
    fault(name, errorIn(file)) ?? ok(name, files.includes(file) ? file : none);
  const keys = KEY_FILES.map((name) => join(config, name));
  return {
    settings: plain('settings', settingsFile(config), 'no file: all settings have their defaults'),
    prices: plain('prices', pricesFile(config), 'those that come with the program; "triad config prices" shows them'),
    keys: fault('key storage', keys.map(errorIn).find(Boolean)) ?? (await describeKeyFile(keys[0]!)),
  };
}

function fault(name: string, finding: CheckFinding | undefined): Finding | null {
  if (finding === undefined) return null;
  const { file, line, what, todo } = finding;
  if (what.includes(file)) return problem(name, what, todo);
  if (KEY_FILES.some((one) => one === basename(file))) return problem(name, `${file}: ${what}`, todo);
  return problem(name, `${file}:${line}: ${what}`, `${todo}; "triad check" lists all`);
}

/** A key in the environment needs none. */
async function describeKeyFile(file: string): Promise<Finding> {
  const found = await stat(file).catch(() => null);
  if (found === null) return ok('key storage', `${file}, not made yet`);
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return ok('key storage', `${file}, mode ${mode}; not encrypted, only your account can read it`);
}

export function size(bytes: number): string {
  if (bytes < MB) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 * MB ? `${Math.round(bytes / MB)} MB` : `${(bytes / 1024 / MB).toFixed(1)} GB`;
}
