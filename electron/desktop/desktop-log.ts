/** What the desktop reports, kept in two files of the data folder that never grow beyond a bound: for whoever looks for a fault. */
import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact } from '#core/base/redact.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';

/** Of each of the two files, in bytes. */
const MOST_BYTES = 512 * 1024;
/** Of one report, in characters. */
const MOST_CHARS = 4000;

export class DesktopLog {
  readonly #file: string;
  readonly #writes = new SerialQueue();
  #waiting: string[] = [];
  #size: number | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Secrets are left out. A log that cannot be written stops nothing. */
  note(line: string): void {
    this.#waiting.push(`${new Date().toISOString()} ${redact(line).slice(0, MOST_CHARS).replaceAll('\n', '\n  ')}\n`);
    if (this.#waiting.length === 1) this.#writes.add(() => this.#write()).catch(() => undefined);
  }

  /** All that is kept, the oldest first. */
  async read(): Promise<string> {
    await this.flush();
    const texts = await Promise.all([this.#older, this.#file].map((path) => readFile(path, 'utf8').catch(() => '')));
    // Some may be known as secret only since it was written.
    return redact(texts.join(''));
  }

  flush(): Promise<void> {
    return this.#writes.settled();
  }

  get #older(): string {
    return `${this.#file}.1`;
  }

  async #write(): Promise<void> {
    const text = this.#waiting.splice(0).join('');
    await mkdir(dirname(this.#file), { recursive: true });
    this.#size ??= await stat(this.#file).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#size > MOST_BYTES) {
      await rename(this.#file, this.#older);
      this.#size = 0;
    }
    await appendFile(this.#file, text, { mode: 0o600 });
    this.#size += Buffer.byteLength(text);
  }
}
