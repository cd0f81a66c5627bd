/** The files that decide what this program does and whom it believes: nobody else may write one of them. */
import { join } from 'node:path';
import { refuseWriteFault } from '../base/write-refusals.ts';
import type { Folders } from './folders.ts';

export const settingsFile = (configFolder: string): string => join(configFolder, 'config.toml');
export const pricesFile = (configFolder: string): string => join(configFolder, 'prices.toml');

/** In the configuration folder: as they are, and encrypted by the key store of the system. */
export const KEY_FILES = ['secrets.json', 'secrets.safe.json'] as const;
/** What "chmod" makes of a file with keys, which others may not even read. */
export const KEY_MODE = '600';

/** In the data folder: whose files count, and to whom prompts are sent. */
export const TRUST_FILE = 'trust.json';
export const INSTANCE_FILE = 'instance.json';

/**
 * To be called at the start of every host, also where it is not going to read them: the next one will. Throws
 * `not_allowed` for the first that others may write, with what to do. Each is looked at again where it is read.
 */
export async function refuseUnguarded({ config, data }: Folders): Promise<void> {
  await refuseWriteFault(settingsFile(config));
  await refuseWriteFault(pricesFile(config));
  for (const name of KEY_FILES) await refuseWriteFault(join(config, name), KEY_MODE);
  for (const name of [TRUST_FILE, INSTANCE_FILE]) await refuseWriteFault(join(data, name));
}
