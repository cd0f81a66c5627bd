/** The addresses of endpoints that have answered this installation, stored in the data folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file.ts';
import { SerialQueue } from '../base/serial-queue.ts';

const FILE = 'answered-hosts.json';
/** Number of stored addresses; the oldest are dropped first. */
const MAX_ADDRESSES = 100;

const StoredAddresses = z.array(z.string()).max(MAX_ADDRESSES);

export class AnsweredHosts {
  readonly #file: string | null;
  readonly #addresses: Set<string>;
  readonly #saves = new SerialQueue();

  /** With `file` null, nothing is stored. */
  constructor(file: string | null = null, addresses: readonly string[] = []) {
    this.#file = file;
    this.#addresses = new Set(addresses);
  }

  /** Reads the stored addresses. An unreadable file counts as empty: the addresses are stored again with their next answer. */
  static async load(dataFolder: string): Promise<AnsweredHosts> {
    const file = join(dataFolder, FILE);
    return new AnsweredHosts(file, parseAddresses(await readFile(file, 'utf8').catch(() => '[]')));
  }

  has(address: string): boolean {
    return this.#addresses.has(address);
  }

  /** Adds an address. Resolves when it is stored, also where the file cannot be written. */
  async add(address: string): Promise<void> {
    if (this.#addresses.has(address)) return;
    this.#addresses.add(address);
    const [oldest] = this.#addresses;
    if (this.#addresses.size > MAX_ADDRESSES && oldest !== undefined) this.#addresses.delete(oldest);
    const file = this.#file;
    if (file === null) return;
    const write = () => writeAtomically(file, JSON.stringify([...this.#addresses]), { mode: 0o600, sync: false });
    await this.#saves.add(write).catch(() => undefined);
  }
}

function parseAddresses(text: string): string[] {
  try {
    return StoredAddresses.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}
