/** Marks of sessions whose files may be out of date, kept on disk so that the next process finds them after a kill. */
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SerialQueue } from '#core/base/serial-queue.ts';

const FOLDER = 'sessions-behind';

/** Write errors are ignored: the files can always be written again. */
export class StaleSessions {
  readonly #folder: string;
  readonly #marked = new Set<string>();
  #made: Promise<unknown> | null = null;
  /** Serializes all writes. */
  readonly #queue = new SerialQueue();

  constructor(data: string) {
    this.#folder = join(data, FOLDER);
  }

  mark(conversationId: string): void {
    if (this.#marked.has(conversationId)) return;
    this.#marked.add(conversationId);
    this.#then(async () => {
      await (this.#made ??= mkdir(this.#folder, { recursive: true, mode: 0o700 }));
      await writeFile(join(this.#folder, conversationId), '', { mode: 0o600 });
    });
  }

  clear(conversationId: string): void {
    if (!this.#marked.delete(conversationId)) return;
    this.#then(() => unlink(join(this.#folder, conversationId)));
  }

  /** Conversation ids that a previous process left marked. */
  async load(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) this.#marked.add(name);
    return names;
  }

  /** Resolves when all marks are written. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  #then(work: () => Promise<unknown>): void {
    this.#queue.add(work).catch(() => undefined);
  }
}
