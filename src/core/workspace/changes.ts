/** What calls replaced in workspaces: the bytes before, kept until their conversation is gone, so that each write can be undone. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Change } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';

/** A side of a change: the file's bytes, or null where there is no file. */
type Side = Buffer | null;

/** End of the name of a folder whose conversation is being deleted for good. */
const CONDEMNED = '.deleted';

export class Changes {
  readonly #folder: string;

  /** `folder` is made when the first change is kept. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when the bytes before are on disk. Rejects with `internal` where they cannot be kept: nothing may be written then. */
  async keep(change: Change, before: Side): Promise<void> {
    const place = this.#place(change);
    try {
      await mkdir(join(this.#folder, change.conversationId), { recursive: true, mode: 0o700 });
      if (before !== null) await writeAtomically(this.#file(change, 'before'), before, { mode: 0o600 });
      await writeAtomically(`${place}.json`, JSON.stringify(Change.parse(change)), { mode: 0o600 });
    } catch (error) {
      const message = `What ${change.path} holds now could not be kept, so it was not replaced`;
      throw new TriadError('internal', message, { cause: error, detail: String(error) });
    }
  }

  /** Keeps the bytes after the call too, when it is undone: undoing can be taken back. */
  async keepAfter(change: Change, after: Side): Promise<void> {
    if (after !== null) await writeAtomically(this.#file(change, 'after'), after, { mode: 0o600 });
  }

  /** Rejects with `not_found` where the bytes are gone, or are not those that were kept. */
  async bytes(change: Change, side: 'before' | 'after'): Promise<Side> {
    const hash = change[side];
    if (hash === null) return null;
    const file = this.#file(change, side);
    const bytes = await readFile(file).catch(() => null);
    if (bytes !== null && sha256(bytes) === hash) return bytes;
    throw new TriadError('not_found', `What ${change.path} held is not kept any more, or was changed (${file})`);
  }

  /** The path of the file that has the bytes; null where there was no file, or they are not kept. */
  async keptAt(change: Change, side: 'before' | 'after'): Promise<string | null> {
    const bytes = await this.bytes(change, side).catch(() => null);
    return bytes === null ? null : this.#file(change, side);
  }

  /** The changes of a conversation, in order of time. One that cannot be read is left out. */
  async of(conversationId: string): Promise<Change[]> {
    const folder = join(this.#folder, conversationId);
    const names = await readdir(folder).catch((): string[] => []);
    const read = async (name: string): Promise<Change[]> => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '');
      const parsed = Kept.safeParse(text);
      return parsed.success ? [parsed.data] : [];
    };
    const found = await Promise.all(names.filter((name) => name.endsWith('.json')).map(read));
    return found.flat().sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  /** To be called before a conversation is deleted for good: what a kill leaves behind then is told from what must stay. */
  async condemn(conversationId: string): Promise<void> {
    const folder = join(this.#folder, conversationId);
    await rename(folder, `${folder}${CONDEMNED}`).catch(unlessMissing);
  }

  /** It was not deleted. */
  async reprieve(conversationId: string): Promise<void> {
    const folder = join(this.#folder, conversationId);
    await rename(`${folder}${CONDEMNED}`, folder).catch(unlessMissing);
  }

  /** It was deleted: removes what was condemned of it. */
  async forget(conversationId: string): Promise<void> {
    await rm(join(this.#folder, `${conversationId}${CONDEMNED}`), { recursive: true, force: true });
  }

  /** Conversations that were condemned, and neither forgotten nor reprieved. */
  async condemned(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    return names.filter((name) => name.endsWith(CONDEMNED)).map((name) => name.slice(0, -CONDEMNED.length));
  }

  #file(change: Change, side: 'before' | 'after'): string {
    return `${this.#place(change)}.${side}`;
  }

  #place(change: Change): string {
    return placeOfCall(this.#folder, change);
  }
}

/** Which call something is kept of. */
export type CallIds = Pick<Change, 'conversationId' | 'runId' | 'toolCallId'>;

/** Models choose the ids of their calls: none becomes a part of a path. */
export function placeOfCall(folder: string, { conversationId, runId, toolCallId }: CallIds): string {
  return join(folder, conversationId, `${runId}-${sha256(toolCallId).slice(0, 16)}`);
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

const Kept = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(Change);
