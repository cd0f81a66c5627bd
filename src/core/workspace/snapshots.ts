/**
 * Finds what a command changed in a workspace, and what was there before: a shadow git repository of the program's own
 * knows each workspace as it was last seen. The workspace need not be a repository, and its own is never touched.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ChangeSet, type FileChange } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import type { Changes } from './changes.ts';
import { type FileNow, isSame, readState, stateOf } from './file-state.ts';
import type { Git } from './git.ts';
import { keeper, type Keeps, stampAt, statsAt } from './kept-files.ts';
import { nameWorkspace, type Workspace } from './reach.ts';
import { type Candidate, type Look, ShadowRepository } from './shadow-repository.ts';

/** Files read at a time. */
const AT_ONCE = 32;
/** After so many looks what is not needed any more is removed. */
const TIDIED = 200;

/** Which call changes something, before it is known what. */
const Call = ChangeSet.omit({ files: true, notKept: true });
export type Call = z.infer<typeof Call>;

export class Snapshots {
  readonly #folder: string;
  readonly #git: Git;
  readonly #changes: Changes;
  /** Calls that work now, by run and id. */
  readonly #live = new Set<string>();
  #taken = 0;

  /** `folder`: for the repositories; made when the first is. */
  constructor(folder: string, git: Git, changes: Changes) {
    this.#folder = folder;
    this.#git = git;
    this.#changes = changes;
  }

  /** Whether what a command changes can be kept at all: git is there. */
  async isAvailable(): Promise<boolean> {
    return (await this.#git.file()) !== null;
  }

  /** Whether the workspace was looked at before: else the first look may take seconds. */
  async isKnown(workspace: Workspace): Promise<boolean> {
    return this.#repository(workspace).isKnown();
  }

  /**
   * What of the workspace is not kept, as it is now, sorted: folders that git ignores or that are repositories,
   * each with a slash behind, and files that cannot be kept, such as large ones.
   */
  async notKept(workspace: Workspace): Promise<string[]> {
    const repository = this.#repository(workspace);
    await repository.prepare();
    const { candidates, folders } = await repository.look();
    const keeps = keeper(workspace);
    const isUnkept = async ({ path }: Candidate): Promise<string[]> => {
      const stats = await statsAt(workspace, path);
      return stats && !(await keeps(path, stats)) ? [path] : [];
    };
    const files: string[] = [];
    for (let at = 0; at < candidates.length; at += AT_ONCE)
      files.push(...(await Promise.all(candidates.slice(at, at + AT_ONCE).map(isUnkept))).flat());
    return [...folders, ...files].sort();
  }

  /** Brings the repository of a workspace up to now, and resolves with what `notKept` would say then. The caller holds the lock. */
  async begin(workspace: Workspace): Promise<string[]> {
    const { folders } = await this.#settle(workspace);
    const { unkept } = await this.#repository(workspace).seen();
    return [...folders, ...Object.keys(unkept)].sort();
  }

  /**
   * From now until `close` changes of the workspace are the call's; of several calls, those of the last that was opened.
   * What changed before belongs to nobody, or to a call that a killed program left open. The caller holds the lock.
   * Throws `limit_reached` where the workspace is too large.
   */
  async open(workspace: Workspace, call: Call): Promise<void> {
    await this.settle(workspace);
    this.#live.add(call.runId + call.toolCallId);
    await this.#writeCalls(workspace, [...(await this.#calls(workspace)), call]);
  }

  /** Resolves with what the call has changed, which is kept; null where it changed nothing. The caller holds the lock. */
  async close(workspace: Workspace, call: Call): Promise<ChangeSet | null> {
    this.abandon(call);
    return this.settle(workspace);
  }

  /** What it changes is kept as if the program had been killed: with the next look at the workspace. */
  abandon(call: Call): void {
    this.#live.delete(call.runId + call.toolCallId);
  }

  /** Brings the repository up to now, and keeps what changed for the call that it belongs to. The caller holds the lock. */
  async settle(workspace: Workspace): Promise<ChangeSet | null> {
    return (await this.#settle(workspace)).set;
  }

  async #settle(workspace: Workspace): Promise<{ set: ChangeSet | null; folders: string[] }> {
    const repository = this.#repository(workspace);
    await repository.prepare();
    const calls = await this.#calls(workspace);
    const call = calls.at(-1);
    const look = await repository.look();
    const set = call ? await this.#setOf(workspace, call, look) : null;
    const isEmpty = !set || set.files.length + set.notKept.length === 0;
    if (!isEmpty) await this.#changes.add(set);
    // Only now: a kill before this line makes the next one find the same once more.
    await repository.take(look, { strict: call === undefined });
    this.#taken += 1;
    if (this.#taken % TIDIED === 0) await repository.tidy();
    const live = calls.filter((one) => this.#live.has(one.runId + one.toolCallId));
    if (live.length < calls.length) await this.#writeCalls(workspace, live);
    return { set: isEmpty ? null : set, folders: look.folders };
  }

  async #calls(workspace: Workspace): Promise<Call[]> {
    const text = await readFile(join(this.#place(workspace), 'calls.json'), 'utf8').catch(() => '[]');
    return z.array(Call).parse(JSON.parse(text));
  }

  async #writeCalls(workspace: Workspace, calls: readonly Call[]): Promise<void> {
    await writeAtomically(join(this.#place(workspace), 'calls.json'), JSON.stringify(calls), { sync: false });
  }

  async #setOf(workspace: Workspace, call: Call, { candidates, folders }: Look): Promise<ChangeSet> {
    const repository = this.#repository(workspace);
    const seen = await repository.seen();
    const { modes, unkept } = seen;
    const keeps = keeper(workspace);
    const files: FileChange[] = [];
    const paths = new Set(candidates.map(({ path }) => path));
    const known = seen.folders ?? folders;
    const notKept = [
      ...Object.keys(unkept).filter((path) => !paths.has(path)),
      // Folders that are not kept, and were not there before, or are not any more.
      ...[...folders.filter((one) => !known.includes(one)), ...known.filter((one) => !folders.includes(one))],
    ];
    for (let at = 0; at < candidates.length; at += AT_ONCE) {
      const some = candidates.slice(at, at + AT_ONCE);
      const before = await repository.before(some, modes);
      const after = await Promise.all(some.map(({ path }) => this.#after(workspace, path, keeps)));
      for (const [index, { path }] of some.entries()) {
        const [was, is] = [before[index] ?? null, after[index]];
        const isUnknown = is === undefined || before[index] === undefined || unkept[path] !== undefined;
        if (isUnknown && unkept[path] !== (await stampAt(workspace, path))) notKept.push(path);
        // Of what cannot be kept now what it was is kept all the same: to undo it, what is in the way has to go.
        const now = is ?? null;
        if ((isUnknown && was === null) || isSame(stateOf(was), stateOf(now))) continue;
        const bytes = [was, now].flatMap((side) => (side === null ? [] : [side.bytes]));
        await this.#changes.keepBytes(call.conversationId, bytes);
        files.push({ path, before: stateOf(was), after: stateOf(now) });
      }
    }
    return { ...call, files, notKept };
  }

  /** What is there now; undefined where it is not kept. */
  async #after(workspace: Workspace, path: string, keeps: Keeps): Promise<FileNow | null | undefined> {
    const stats = await statsAt(workspace, path);
    if (stats === null) return null;
    if (!(await keeps(path, stats))) return undefined;
    const file = await readState(workspace, path).catch((error: unknown) => {
      if (error instanceof TriadError) return undefined;
      throw error;
    });
    // Of folders git knows only what is in them.
    return file?.kind === 'folder' ? null : file;
  }

  #repository(workspace: Workspace): ShadowRepository {
    return new ShadowRepository(this.#place(workspace), this.#git, workspace);
  }

  #place(workspace: Workspace): string {
    return join(this.#folder, nameWorkspace(workspace));
  }
}
