/** Undoes what a call changed on disk, and takes that back, for a person; never over what was changed since. */
import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Change, ChangeState } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { openIfThere, resolveInside, throwFileError, withFolder } from '../workspace/places.ts';
import type { Workspace } from '../workspace/reach.ts';
import type { Engine } from './engine.ts';
import { workspaceOf } from './workspace-of.ts';

type Parts = Pick<Engine, 'changes' | 'log' | 'own' | 'permissions' | 'store'>;

/** No tool writes more: a larger file was changed since, and is not read. */
const MAX_BYTES = 32 * 1024 * 1024;

interface File {
  /** Null where there is none. */
  bytes: Buffer | null;
  mode: number | undefined;
}

/** How the file of a change is now; `changed` also where it cannot be read. */
export async function stateOf(parts: Parts, change: Change): Promise<ChangeState> {
  if (!(await isFolder(change.folder))) return 'gone';
  const workspace = await workspaceOf(parts, change.folder, false);
  const hash = await read(workspace, change).then(hashOf, () => undefined);
  if (hash === change.after) return 'done';
  return hash === change.before ? 'undone' : 'changed';
}

/**
 * Puts back what was there before a call, or with `redo` what the call had written, and records that. Resolves also
 * where it is so already. Throws `conflict` where the file was changed since (with the place of what is kept),
 * `not_found` where what it held is not kept, or its workspace folder is gone.
 */
export async function undo(parts: Parts, change: Change, redo: boolean): Promise<void> {
  const { changes } = parts;
  await undoUnlessChanged(parts, change, redo).catch(async (error: unknown) => {
    if (!(error instanceof TriadError) || error.code !== 'conflict') throw error;
    const kept = await changes.keptAt(change, redo ? 'after' : 'before');
    const what = redo ? 'What the call wrote' : 'What it held before the call';
    throw kept === null ? error : new TriadError('conflict', `${error.message}. ${what} is kept in ${kept}`);
  });
}

async function undoUnlessChanged(parts: Parts, change: Change, redo: boolean): Promise<void> {
  const { changes, log, store } = parts;
  const { conversationId, runId, path } = change;
  await log.open(conversationId);
  // Between two commits, so that no event comes after the last one of a conversation that is purged.
  const { recorded } = await log.exclusive(conversationId, async () => {
    const run = await mustExist(store.run(runId), `There is no run ${runId}`);
    if (!(await isFolder(change.folder)))
      throw new TriadError('not_found', `The folder ${change.folder} is not there any more`);
    const workspace = await workspaceOf(parts, change.folder, false);
    const [to, from] = redo ? (['after', 'before'] as const) : (['before', 'after'] as const);
    const file = await read(workspace, change);
    if (hashOf(file) !== change[to]) {
      if (hashOf(file) !== change[from]) throw changedSince(path, redo);
      const bytes = await changes.bytes(change, to);
      if (!redo) await changes.keepAfter(change, file.bytes);
      const mode = to === 'before' ? (change.mode ?? undefined) : file.mode;
      await put(workspace, change, { bytes, mode }, redo);
    }
    const [row] = (await store.callsOf([runId])).filter(({ toolCallId }) => toolCallId === change.toolCallId);
    if (!row || (row.undone ?? false) === !redo) return { recorded: null };
    const { workflowId, parentRunId, agent } = run;
    const ids = { conversationId, workflowId, runId, parentRunId, agent, at: new Date().toISOString() };
    return {
      recorded: log.append({ type: 'change-undo', toolCallId: change.toolCallId, path, undone: !redo, ...ids }),
    };
  });
  await recorded;
}

/** Without it a file would look as if it had been removed. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function read(workspace: Workspace, { path }: Change): Promise<File> {
  const file = await openIfThere(workspace, path);
  if (!file) return { bytes: null, mode: undefined };
  try {
    if (file.stats.size > MAX_BYTES) throw changedSince(path, false);
    return { bytes: await file.handle.readFile(), mode: file.stats.mode & 0o777 };
  } finally {
    await file.handle.close();
  }
}

/** Checks once more, right before it happens, that the file is what it was when that was decided. */
async function put(workspace: Workspace, change: Change, { bytes, mode }: File, redo: boolean): Promise<void> {
  const { folder, path } = change;
  const canonical = await resolveInside(workspace, path);
  if (canonical !== join(folder, path)) throw changedSince(path, redo);
  const before = async (): Promise<void> => {
    if (hashOf(await read(workspace, change)) !== (redo ? change.before : change.after)) throw changedSince(path, redo);
  };
  await withFolder(dirname(canonical), path, async (through) => {
    const file = join(through, basename(canonical));
    if (bytes !== null) return writeAtomically(file, bytes, { mode, before });
    await before();
    return rm(file);
  }).catch((error: unknown) => throwFileError(error, path));
}

function hashOf({ bytes }: File): string | null {
  return bytes === null ? null : sha256(bytes);
}

function changedSince(path: string, redo: boolean): TriadError {
  const what = redo ? 'nothing was done again' : 'nothing was undone';
  return new TriadError('conflict', `${path} was changed since: ${what}`);
}
