/**
 * Keeps beside the engine's log how long it was and what its checksum was, and holds the log against that before the
 * next opening. What was committed last stands in the log alone, and the engine takes the end of one that was cut off,
 * or in which a byte changed, for what a crash left unfinished: it goes on without it and says nothing.
 */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeAtomically } from '../../base/atomic-file.ts';

/** In the folder of the store, so that a copy of the one is a copy of both. */
export const WITNESS = 'log-witness.json';
const LOG = /^(\d+)\.log$/;
/** Delay, in milliseconds, in which commits are gathered: it costs a read of what they wrote. */
const GATHER_MS = 500;
const CHUNK = 1024 * 1024;

interface Witnessed {
  name: string;
  size: number;
  /** CRC-32 of that many bytes from the start. */
  crc: number;
}

/**
 * What the log of a store lacks that it had, as a clause; null where it is whole. A log that is gone was put into tables,
 * which is so where a newer one is there.
 */
export async function logFault(folder: string): Promise<string | null> {
  const names = (await readdir(folder)).filter((name) => LOG.test(name));
  const newest = Math.max(0, ...names.map(numberOf));
  for (const { name, size, crc } of await witnessed(folder)) {
    if (!names.includes(name) && numberOf(name) < newest) continue;
    const now = await extended(folder, { name, size: 0, crc: 0 }, size).catch(() => null);
    if (now?.size === size && now.crc === crc) continue;
    const what = now === null ? 'is gone' : now.size < size ? 'is cut off' : 'was changed';
    return `its log ${name} ${what}: it had ${size} bytes, ${now?.size ?? 0} are there`;
  }
  return null;
}

async function witnessed(folder: string): Promise<Witnessed[]> {
  try {
    const { logs } = JSON.parse(await readFile(join(folder, WITNESS), 'utf8')) as { logs: Witnessed[] };
    return logs.filter(({ name, size }) => LOG.test(name) && size > 0);
  } catch {
    // None yet, or one that was being written when the power went.
    return [];
  }
}

function numberOf(name: string): number {
  return Number(LOG.exec(name)?.[1] ?? 0);
}

/** What is known of a log, with the bytes since then, at most up to `to`. */
async function extended(folder: string, known: Witnessed, to: number): Promise<Witnessed> {
  const file = await open(join(folder, known.name), 'r');
  try {
    let { size, crc } = known;
    while (size < to) {
      const bytes = Buffer.allocUnsafe(Math.min(CHUNK, to - size));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, size);
      if (bytesRead === 0) break;
      crc = crc32(bytes.subarray(0, bytesRead), crc);
      size += bytesRead;
    }
    return { name: known.name, size, crc };
  } finally {
    await file.close();
  }
}

/** Write errors are ignored: what is not witnessed is not held against anything. */
export class LogWitness {
  readonly #folder: string;
  #seen: Witnessed[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #touched = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** To be called after each commit. */
  touch(): void {
    this.#touched = true;
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#tick().finally(() => {
        this.#timer = null;
        if (this.#touched) this.touch();
      });
    }, GATHER_MS).unref();
  }

  /** Witnesses the whole log; to be called when nothing writes any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    await this.#writing;
    await this.#look().then(
      () => this.#write(this.#seen),
      () => undefined,
    );
  }

  /** Writes what was seen the time before: by now the disk has it too, so that a loss of power cannot take it back. */
  async #tick(): Promise<void> {
    const before = this.#seen;
    const more = this.#touched;
    this.#touched = false;
    try {
      await this.#look();
      await this.#write(before);
    } catch {
      return;
    }
    // Once more, for what was seen now.
    this.#touched ||= more;
  }

  async #look(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => LOG.test(name));
    this.#seen = await Promise.all(
      names.map(async (name) => {
        const known = this.#seen.find((log) => log.name === name) ?? { name, size: 0, crc: 0 };
        return extended(this.#folder, known, (await stat(join(this.#folder, name))).size);
      }),
    );
  }

  async #write(logs: readonly Witnessed[]): Promise<void> {
    if (logs.length === 0) return;
    const text = `${JSON.stringify({ logs })}\n`;
    await writeAtomically(join(this.#folder, WITNESS), Buffer.from(text), { mode: 0o600, sync: false });
  }
}
