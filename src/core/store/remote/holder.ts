/** Who takes the lease of a store: this installation, on this machine. */
import { randomBytes } from 'node:crypto';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import type { Holder } from './options.ts';

/** In the data folder; whoever owns that owns what the installation has on a server. */
const FILE = 'installation';

/** To be called by the owner of the data folder. A copy of the folder, here or on another machine, is another installation. */
export async function holderOf(dataFolder: string): Promise<Holder> {
  const path = join(dataFolder, FILE);
  const known = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  const id = known?.trim() || randomBytes(16).toString('hex');
  if (known?.trim() !== id) await writeFile(path, `${id}\n`, { mode: 0o600 });
  return { installation: `${id} ${hostname()} ${await realpath(dataFolder)}`, name: holderName() };
}

/** For people. */
export const holderName = (): string => `${userInfo().username} on ${hostname()} (pid ${process.pid})`;
