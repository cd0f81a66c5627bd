/** Keys and tokens of this installation: a port, and its form as one file that only its owner can read. */
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PLAIN_KEYS } from '#contract/settings/plain-keys.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { refuseWriteFault } from '../base/write-refusals.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { tellKept } from './known-secrets.ts';
import { type KEY_FILES, KEY_MODE } from './guarded-files.ts';

export interface Secrets {
  /** Where they are kept, for the person; `warning` says what is not safe about it. */
  readonly place: { backend: string; warning: string | null };
  get(name: string): Promise<string | null>;
  /** Null removes it. */
  set(name: string, value: string | null): Promise<void>;
}

const SecretFile = z.record(z.string(), z.string());

/** `secrets.json` in the configuration folder, mode 0600; one that others can read is tightened, one that they can write is refused. */
export function fileSecrets(configFolder: string, file: (typeof KEY_FILES)[number] = 'secrets.json'): Secrets {
  const path = join(configFolder, file);
  const writes = new SerialQueue();

  const write = async (name: string, value: string | null) => {
    const { [name]: _old, ...rest } = await read(path);
    await mkdir(configFolder, { recursive: true, mode: 0o700 });
    const next = value === null ? rest : { ...rest, [name]: value };
    if (value !== null) tellKept(`${path} ${name}`, [value]);
    await writeAtomically(path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
  };
  return {
    place: {
      backend: path,
      warning: PLAIN_KEYS,
    },
    get: async (name) => {
      const all = await read(path);
      return Object.hasOwn(all, name) ? all[name]! : null;
    },
    // One after the other: each writes what it has just read plus its own change.
    set: (name, value) => writes.add(() => write(name, value)),
  };
}

async function read(path: string): Promise<Record<string, string>> {
  await refuseWriteFault(path, KEY_MODE);
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, 0o600);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new TriadError('not_allowed', `${path} cannot be read`, { cause: error, detail: String(error) });
  }
  try {
    const all = SecretFile.parse(JSON.parse(text));
    tellKept(path, Object.values(all));
    return all;
  } catch {
    // No detail: a parser's message could quote the content.
    throw new TriadError('bad_input', `${path} is not a JSON object of names and texts: repair or remove it`);
  }
}
