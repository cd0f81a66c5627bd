/** Checks the folders of this installation, the settings in them and where keys lie. */
import { access, constants, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from '#core/settings/folders.ts';
import { chmodAdvice, writeFault } from '#core/base/write-fault.ts';
import { checkPrices } from '#core/model/prices.ts';
import {
  INSTANCE_FILE,
  KEY_FILES,
  KEY_MODE,
  pricesFile,
  settingsFile,
  TRUST_FILE,
} from '#core/settings/guarded-files.ts';
import { checkSettings } from '#core/settings/settings.ts';
import { sentenceOf } from '#core/settings/toml-file.ts';
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

export async function checkSettingsFile({ config }: Folders): Promise<Finding> {
  const none = 'no file: all settings have their defaults';
  return checkFile('settings', settingsFile(config), { none, check: checkSettings });
}

export async function checkPricesFile({ config }: Folders): Promise<Finding> {
  const none = 'those that come with the program; "triad config prices" shows them';
  return checkFile('prices', pricesFile(config), { none, check: checkPrices });
}

/** `none`: what holds where there is no such file. */
async function checkFile(
  name: string,
  file: string,
  { none, check }: { none: string; check: typeof checkSettings | typeof checkPrices },
): Promise<Finding> {
  try {
    const fault = await writeFault(file);
    if (fault !== null) return problem(name, fault.what, fault.remedy);
    const result = check(await readFile(file, 'utf8'));
    if (result.ok) return ok(name, file);
    const first = result.problems[0]!;
    const where = `${file}:${first.line}: ${sentenceOf(first)}`;
    return problem(name, where, 'correct this line; "triad config validate" lists all');
  } catch (error) {
    if (causeOf(error) === 'ENOENT') return ok(name, none);
    return problem(name, `${file} cannot be read (${causeOf(error)})`, 'check its owner and permissions');
  }
}

/** The files themselves; a key in the environment needs none. */
export async function checkKeyFiles({ config }: Folders): Promise<Finding> {
  const [plain, sealed] = await Promise.all(KEY_FILES.map((name) => checkKeyFile(join(config, name))));
  return plain!.state === 'ok' && sealed!.state !== 'ok' ? sealed! : plain!;
}

async function checkKeyFile(file: string): Promise<Finding> {
  try {
    const mode = (await stat(file)).mode & 0o777;
    const shown = `${file}, mode ${mode.toString(8).padStart(4, '0')}`;
    const fault = await writeFault(file, KEY_MODE);
    if (fault !== null) return problem('key storage', fault.what, fault.remedy);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return problem('key storage', `${shown}: others can read it`, chmodAdvice(file, KEY_MODE));
    return ok('key storage', `${shown}; not encrypted, only your account can read it`);
  } catch (error) {
    if (causeOf(error) === 'ENOENT') return ok('key storage', `${file}, not made yet`);
    return problem('key storage', `${file} cannot be read (${causeOf(error)})`, 'check its owner and permissions');
  }
}

export function size(bytes: number): string {
  if (bytes < MB) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 * MB ? `${Math.round(bytes / MB)} MB` : `${(bytes / 1024 / MB).toFixed(1)} GB`;
}
