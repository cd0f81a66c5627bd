/**
 * The change sets of calls, what persons undid of them, and every byte that either replaced or made: kept until their
 * conversation is gone, so that all of it can be put back.
 */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ChangeSet, type FileState, Undo } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';

/** Bytes to be kept. */
export type Bytes = readonly Buffer[];

/** End of the name of a folder whose conversation is being deleted for good. */
const CONDEMNED = '.deleted';
const UNDO = 'undo-';
const KEPT = 'kept.json';
/** Folder with the records of undos that are not finished. */
const UNFINISHED = 'unfinished';
const CANNOT_STORE = 'The present files could not be stored, so nothing was changed';

/** An undo that a kill or a full disk has cut off. */
export interface StartedUndo {
  undo: Undo;
  /** Its files are in place. Only its events can be missing. */
  hasFiles: boolean;
}

export class Changes {
  /** Folder of the records and bytes. */
  get folder(): string {
    return this.#folder;
  }

  readonly #folder: string;
  readonly #undone = new Map<string, number>();

  /** `folder` is made when the first change is kept. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Resolves when the set and the bytes of its files are on disk; one of the same call is replaced. Rejects with
   * `internal` where they cannot be kept: nothing may be written then.
   */
  async keep(set: ChangeSet, bytes: Bytes): Promise<void> {
    const [file] = set.files;
    const what = `What ${file?.path ?? 'was there'} holds now could not be kept, so it was not replaced`;
    await this.#write(set.conversationId, `${placeOfCall(this.#folder, set)}.json`, ChangeSet.parse(set), bytes, what);
  }

  /** Keeps more of what a call has changed; the bytes are kept already. */
  async add(set: ChangeSet): Promise<void> {
    const kept = ChangeSet.safeParse(await readJson(`${placeOfCall(this.#folder, set)}.json`));
    const before = kept.success ? kept.data : null;
    const files = new Map((before?.files ?? []).map((file) => [file.path, file]));
    for (const file of set.files) files.set(file.path, { ...file, before: (files.get(file.path) ?? file).before });
    const notKept = [...new Set([...(before?.notKept ?? []), ...set.notKept])];
    await this.keep({ ...set, files: [...files.values()], notKept }, []);
  }

  /**
   * Stores the record of an undo and the bytes that finish it or roll it back. Call it before a file changes. The record
   * is `started` until `finishUndo`. Rejects with `internal` if something cannot be stored.
   */
  async startUndo(undo: Undo, bytes: Bytes): Promise<void> {
    await this.#write(undo.conversationId, this.#startedPath(undo), Undo.parse(undo), bytes, CANNOT_STORE);
  }

  /** Marks an undo as finished: all its files are in place. Its `started` record stays until `removeStarted`. */
  async finishUndo(undo: Undo): Promise<void> {
    if (undo.files.length > 0 || undo.takesBack.length > 0)
      await this.#write(undo.conversationId, this.#finishedPath(undo), Undo.parse(undo), [], CANNOT_STORE);
    this.#undone.set(undo.conversationId, this.undoCount(undo.conversationId) + 1);
  }

  /** Removes the `started` record, after the events of a finished undo or after a rollback. */
  async removeStarted(undo: Pick<Undo, 'conversationId' | 'id'>): Promise<void> {
    await rm(this.#startedPath(undo), { force: true });
  }

  /** Removes records that a kill has left half written. Call it only while no undo starts. */
  async removeHalfRecords(): Promise<void> {
    await this.#removeUnfinished((name) => !name.endsWith('.json'));
  }

  /** Returns the undos with a `started` record, of one conversation or of all. Other records are not read. */
  async startedUndos(conversationId?: string): Promise<StartedUndo[]> {
    const folder = join(this.#folder, UNFINISHED);
    const names = await readdir(folder).catch((): string[] => []);
    const wanted = names.filter((name) => name.endsWith('.json') && name.startsWith(conversationId ?? ''));
    const records = await Promise.all(
      wanted.map(async (name): Promise<StartedUndo[]> => {
        const { data: undo } = Undo.safeParse(await readJson(join(folder, name)));
        // Under another name it could not be removed, so each look would do it again.
        if (!undo || this.#startedPath(undo) !== join(folder, name)) return [];
        return [{ undo, hasFiles: (await stat(this.#finishedPath(undo)).catch(() => null)) !== null }];
      }),
    );
    return records.flat();
  }

  /** Grows with each undo that this program keeps: where it is the same, there is no new one. */
  undoCount(conversationId: string): number {
    return this.#undone.get(conversationId) ?? 0;
  }

  /** Rejects with `not_found` if the bytes are gone or were changed, and with `internal` if they cannot be read. */
  async bytes(conversationId: string, state: Pick<FileState, 'hash'>): Promise<Buffer> {
    const file = this.#file(conversationId, state.hash);
    const bytes = await readFile(file).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw new TriadError('internal', `${file} could not be read`, { cause: error, detail: String(error) });
    });
    if (bytes !== null && sha256(bytes) === state.hash) return bytes;
    throw new TriadError('not_found', `What was there is not kept any more, or was changed (${file})`);
  }

  /** Where the bytes are; null where they are not kept. */
  async keptAt(conversationId: string, state: Pick<FileState, 'hash'>): Promise<string | null> {
    const bytes = await this.bytes(conversationId, state).catch(() => null);
    return bytes === null ? null : this.#file(conversationId, state.hash);
  }

  /** In order of time. What cannot be read is left out. */
  async of(conversationId: string): Promise<{ sets: ChangeSet[]; undos: Undo[] }> {
    const isSet = (name: string): boolean => !name.startsWith(UNDO) && name !== KEPT;
    const [sets, undos] = await Promise.all([this.#read(conversationId, isSet, ChangeSet), this.undos(conversationId)]);
    return { sets, undos };
  }

  /** Returns the finished undos of a conversation, in order of time. */
  async undos(conversationId: string): Promise<Undo[]> {
    const undos = await this.#read(conversationId, (name) => name.startsWith(UNDO), Undo);
    const takenBack = new Set(undos.flatMap(({ takesBack }) => takesBack));
    return undos.map((undo) => (takenBack.has(undo.id) ? { ...undo, redone: true } : undo));
  }

  async #read<T extends { at: string }>(
    conversationId: string,
    isWanted: (name: string) => boolean,
    schema: z.ZodType<T>,
  ): Promise<T[]> {
    const folder = join(this.#folder, conversationId);
    const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.json'));
    const read = async (name: string): Promise<T[]> => {
      const parsed = schema.safeParse(await readJson(join(folder, name)));
      return parsed.success ? [parsed.data] : [];
    };
    const found = await Promise.all(names.filter(isWanted).map(read));
    return found.flat().sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  /** Marks of what the person has looked at and keeps. */
  async marks(conversationId: string): Promise<ReadonlySet<string>> {
    const kept = z.array(z.string()).safeParse(await readJson(join(this.#folder, conversationId, KEPT)));
    return new Set(kept.success ? kept.data : []);
  }

  async mark(conversationId: string, marks: ReadonlySet<string>): Promise<void> {
    await mkdir(join(this.#folder, conversationId), { recursive: true, mode: 0o700 });
    await writeAtomically(join(this.#folder, conversationId, KEPT), JSON.stringify([...marks]), { mode: 0o600 });
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
    await this.#removeUnfinished((name) => name.startsWith(`${conversationId}.`));
    await rm(join(this.#folder, `${conversationId}${CONDEMNED}`), { recursive: true, force: true });
  }

  /** Conversations that were condemned, and neither forgotten nor reprieved. */
  async condemned(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    return names.filter((name) => name.endsWith(CONDEMNED)).map((name) => name.slice(0, -CONDEMNED.length));
  }

  /** Keeps bytes for a set that comes; not waiting for the disk, because they are somewhere else, too, until it has come. */
  async keepBytes(conversationId: string, bytes: Bytes): Promise<void> {
    await mkdir(join(this.#folder, conversationId), { recursive: true, mode: 0o700 });
    await this.#addBytes(conversationId, bytes, false);
  }

  async #addBytes(conversationId: string, bytes: Bytes, sync: boolean): Promise<void> {
    for (const one of bytes) {
      const file = this.#file(conversationId, sha256(one));
      const there = await stat(file).catch(() => null);
      if (there?.size !== one.length) await writeAtomically(file, one, { mode: 0o600, sync });
    }
  }

  async #write(conversationId: string, place: string, kept: ChangeSet | Undo, bytes: Bytes, what: string) {
    try {
      await mkdir(join(this.#folder, conversationId), { recursive: true, mode: 0o700 });
      await this.#addBytes(conversationId, bytes, true);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await writeAtomically(place, JSON.stringify(kept), { mode: 0o600 });
    } catch (error) {
      throw new TriadError('internal', what, { cause: error, detail: String(error) });
    }
  }

  async #removeUnfinished(isRemoved: (name: string) => boolean): Promise<void> {
    const folder = join(this.#folder, UNFINISHED);
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter(isRemoved)) await rm(join(folder, name), { force: true });
  }

  #startedPath({ conversationId, id }: Pick<Undo, 'conversationId' | 'id'>): string {
    return join(this.#folder, UNFINISHED, `${conversationId}.${id}.json`);
  }

  #finishedPath({ conversationId, id }: Pick<Undo, 'conversationId' | 'id'>): string {
    return join(this.#folder, conversationId, `${UNDO}${id}.json`);
  }

  /** Bytes are kept once, by what they are. */
  #file(conversationId: string, hash: string): string {
    return join(this.#folder, conversationId, `${hash}.bytes`);
  }
}

/** Which call something is kept of. */
export type CallIds = Pick<ChangeSet, 'conversationId' | 'runId' | 'toolCallId'>;

/** Models choose the ids of their calls: none becomes a part of a path. */
export function placeOfCall(folder: string, { conversationId, runId, toolCallId }: CallIds): string {
  return join(folder, conversationId, `${runId}-${sha256(toolCallId).slice(0, 16)}`);
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
