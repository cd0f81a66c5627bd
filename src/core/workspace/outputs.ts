/** Long outputs of calls, and pictures that they have shown, kept beside what calls replaced, until their conversation is gone. */
import { constants, copyFile, type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { type CallIds, placeOfCall } from './changes.ts';

export class Outputs {
  readonly #folder: string;

  /** `folder`: that of `Changes`, which is removed with the conversation. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when the text is on disk. NUL becomes a sign for it: what is read again is text. */
  async keep(ids: CallIds, text: string): Promise<void> {
    const path = this.path(ids);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(path, text.replaceAll('\0', '␀'), { mode: 0o600 });
  }

  /** The caller closes the handle. Rejects with `not_found` where none is kept of this call. */
  async open(ids: CallIds): Promise<FileHandle> {
    return open(this.path(ids), 'r').catch((error: unknown) => {
      throw new TriadError('not_found', `No long output is kept of the call ${ids.toolCallId}`, { cause: error });
    });
  }

  /** Keeps the output of a call for another one, too, where there is one. */
  async copy(from: CallIds, to: CallIds): Promise<void> {
    await mkdir(dirname(this.path(to)), { recursive: true, mode: 0o700 });
    await copyFile(this.path(from), this.path(to), constants.COPYFILE_FICLONE).catch(unlessGone);
  }

  /** Resolves when the bytes of a picture are on disk; the same ones are kept once. */
  async keepImage(conversationId: string, bytes: Buffer): Promise<void> {
    const hash = sha256(bytes);
    if ((await this.image(conversationId, hash)) !== null) return;
    const path = this.#imagePath(conversationId, hash);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(path, bytes, { mode: 0o600 });
  }

  /** Null where they are gone, or are not those that were kept. */
  async image(conversationId: string, hash: string): Promise<Buffer | null> {
    const bytes = await readFile(this.#imagePath(conversationId, hash)).catch(() => null);
    return bytes !== null && sha256(bytes) === hash ? bytes : null;
  }

  /** Keeps a picture of one conversation for another one, too; one that is gone stays so. */
  async copyImage(from: string, to: string, hash: string): Promise<void> {
    await mkdir(join(this.#folder, to), { recursive: true, mode: 0o700 });
    await copyFile(this.#imagePath(from, hash), this.#imagePath(to, hash), constants.COPYFILE_FICLONE).catch(
      unlessGone,
    );
  }

  /** Where those of commands go that a run has in the background. */
  background({ conversationId, runId }: Omit<CallIds, 'toolCallId'>): string {
    return join(this.#folder, conversationId, `${runId}.background`);
  }

  #imagePath(conversationId: string, hash: string): string {
    return join(this.#folder, conversationId, `${hash}.image`);
  }

  /** Where the output of a call is kept. */
  path(ids: CallIds): string {
    return `${placeOfCall(this.#folder, ids)}.output`;
  }
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
