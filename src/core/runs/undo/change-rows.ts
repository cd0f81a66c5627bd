/** Lists what the calls of a conversation changed, compared with the disk, and marks what the person keeps. */
import type {
  ChangeDiff,
  ChangeRow,
  ChangeSet,
  ChangeState,
  ChangeTarget,
  FileChange,
  FileState,
  Undo,
} from '#contract/change.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { isFolder } from '../../base/disk-lookups.ts';
import { saidError, TriadError } from '../../base/errors.ts';
import { isSame, mapFiles, readState, stateOf } from '../../workspace/file-state.ts';
import { redactPatch } from '../../workspace/preview.ts';
import type { Workspace } from '../../workspace/reach.ts';
import { hunkStep, reversed } from '../../workspace/reverse.ts';
import { canRunCode } from '../../workspace/steering-files.ts';
import { changesOf, hunksOf, stepOf } from '../../workspace/undo.ts';
import { workspaceOf } from '../workspace-of.ts';
import { settleUndos, type UndoParts } from './settle-undos.ts';

/**
 * Returns the change sets of a conversation, each file with its state on disk. Before that, finishes an undo that was cut
 * off, or rolls it back.
 */
export async function loadChangeRows(parts: UndoParts, conversationId: string): Promise<ChangeRow[]> {
  await settleUndos(parts, conversationId);
  const [{ sets, undos }, marks] = await Promise.all([
    parts.workspaces.changes.of(conversationId),
    parts.workspaces.changes.marks(conversationId),
  ]);
  const loadFolder = (folder: string) => Promise.all([isFolder(folder), workspaceOf(parts, folder, false)]);
  const folders = new Map([...new Set(sets.map(({ folder }) => folder))].map((folder) => [folder, loadFolder(folder)]));
  const paths = new Map(
    sets.flatMap(({ folder, files }) => files.map(({ path }) => [keyPath(folder, path), { folder, path }] as const)),
  );
  const states = new Map(
    await mapFiles([...paths], async ([key, { folder, path }]) => {
      const [, workspace] = await folders.get(folder)!;
      return [key, await readStateIfPossible(workspace, path)] as const;
    }),
  );
  const loadRow = async (set: ChangeSet): Promise<ChangeRow> => {
    const [isThere] = await folders.get(set.folder)!;
    const files = set.files.map((file) => {
      const now = states.get(keyPath(set.folder, file.path));
      const diskState = compareWithDisk(file, now);
      const isUndone = diskState === 'changed' && isMergedUndo(set, file, now, undos);
      const state = isThere ? (isUndone ? 'undone' : diskState) : 'gone';
      const runs = canRunCode(file) ? { canRunCode: true as const } : {};
      return { ...file, state, kept: marks.has(formatMark(set, file.path)), ...runs };
    });
    return { ...set, files };
  };
  return Promise.all(sets.map(loadRow));
}

const keyPath = (folder: string, path: string): string => JSON.stringify([folder, path]);

/** Returns undefined if the path cannot be read. */
export function readStateIfPossible(workspace: Workspace, path: string): Promise<FileState | null | undefined> {
  return readState(workspace, path).then(stateOf, () => undefined);
}

function compareWithDisk(file: FileChange, now: FileState | null | undefined): ChangeState {
  if (now === undefined) return 'changed';
  if (isSame(now, file.after)) return 'done';
  return isSame(now, file.before) ? 'undone' : 'changed';
}

/**
 * Returns whether the file is as an undo of the whole call left it, with the changes of others merged in. Later undos of
 * other calls are followed.
 */
function isMergedUndo(
  set: ChangeSet,
  { path }: FileChange,
  now: FileState | null | undefined,
  undos: readonly Undo[],
): boolean {
  const isOfCall = (call: Undo['calls'][number]): boolean =>
    call.runId === set.runId &&
    call.toolCallId === set.toolCallId &&
    (call.path ?? path) === path &&
    call.hunk === null;
  const here = undos.filter(({ folder }) => folder === set.folder);
  return here.some(({ redone, calls }, index) => {
    if (redone || !calls.some(isOfCall)) return false;
    const [own, ...later] = here.slice(index).map(({ files }) => files.find((file) => file.path === path));
    if (!own || now === undefined) return false;
    let state = own.after;
    for (const change of later) if (change && isSame(change.before, state)) state = change.after;
    return isSame(now, state);
  });
}

function formatMark(set: Pick<ChangeSet, 'runId' | 'toolCallId'>, path: string, hunk?: number): string {
  return JSON.stringify([set.runId, set.toolCallId, path, ...(hunk === undefined ? [] : [hunk])]);
}

/** Returns the hunks of a file that a call changed, each with its state on disk. Throws `not_found` if it did not change the file. */
export async function loadChangeDiff(
  parts: UndoParts,
  conversationId: string,
  target: ChangeTarget,
): Promise<ChangeDiff> {
  const [{ sets }, marks] = await Promise.all([
    parts.workspaces.changes.of(conversationId),
    parts.workspaces.changes.marks(conversationId),
  ]);
  const found = changesOf(sets, target).find(({ file }) => file.path === target.path);
  if (!found) throw createNotChangedError();
  const { set, file } = found;
  const step = await stepOf(parts.workspaces, conversationId, file);
  const patch = await hunksOf(step).catch((error: unknown) => {
    if (error instanceof TriadError && error.code === 'bad_input') return null;
    throw error;
  });
  if (patch === null) return { note: describeStates(file), hunks: [] };
  // `patch` is needed to undo hunks, so the copy for the screen is redacted.
  const shownPatch = structuredClone(patch);
  redactPatch(shownPatch, step.before?.bytes.toString('utf8') ?? '', step.after?.bytes.toString('utf8') ?? '');
  const workspace = await workspaceOf(parts, set.folder, false);
  const isThere = await isFolder(set.folder);
  const now = await readState(workspace, file.path).catch(() => undefined);
  const loadHunkState = async (index: number): Promise<ChangeState> => {
    if (!isThere) return 'gone';
    const state = compareWithDisk(file, now === undefined ? undefined : stateOf(now));
    if (now === undefined || state !== 'changed') return state;
    const { outcome } = await reversed(parts.workspaces.git, hunkStep(step, patch, index), now);
    return outcome === 'conflict' ? 'changed' : outcome === 'already' ? 'undone' : 'done';
  };
  const hunks = [];
  for (const [index, { oldStart, newStart, lines }] of shownPatch.hunks.entries())
    hunks.push({
      oldStart,
      newStart,
      lines,
      state: await loadHunkState(index),
      kept: marks.has(formatMark(set, file.path, index)) || marks.has(formatMark(set, file.path)),
    });
  return { note: null, hunks };
}

function describeStates({ before, after }: FileChange): string {
  const words = (state: FileState | null): string => (state ? `${state.kind}, ${state.bytes} bytes` : 'nothing');
  return `It has no lines to show: before ${words(before)}; after ${words(after)}`;
}

/** Marks a change as kept by the person, or removes the mark. A file whose hunks are all kept is kept. */
export async function keepChange(
  parts: UndoParts,
  conversationId: string,
  target: ChangeTarget,
  kept: boolean,
): Promise<void> {
  const { changes } = parts.workspaces;
  const [{ sets }, before] = await Promise.all([changes.of(conversationId), changes.marks(conversationId)]);
  const found = changesOf(sets, target);
  if (found.length === 0) throw createNotChangedError();
  const marks = new Set(before);
  for (const { set, file } of found) {
    const all = formatMark(set, file.path);
    if (target.hunk === undefined) {
      if (kept) marks.add(all);
      else marks.delete(all);
      continue;
    }
    const patch = await hunksOf(await stepOf(parts.workspaces, conversationId, file));
    const hunks = patch.hunks.map((_, index) => formatMark(set, file.path, index));
    const mine = new Set(marks.has(all) ? hunks : hunks.filter((mark) => marks.has(mark)));
    const mark = formatMark(set, file.path, target.hunk);
    if (kept) mine.add(mark);
    else mine.delete(mark);
    for (const one of [all, ...hunks]) marks.delete(one);
    for (const one of mine.size === hunks.length ? [all] : mine) marks.add(one);
  }
  await changes.mark(conversationId, marks);
}

/** Marks all changes of these files of a folder as kept. */
export async function keepFiles(
  { workspaces: { changes } }: UndoParts,
  { conversationId, folder, paths }: { conversationId: string; folder: string; paths: readonly string[] },
): Promise<void> {
  const [{ sets }, marks] = await Promise.all([changes.of(conversationId), changes.marks(conversationId)]);
  const kept = sets
    .filter((set) => set.folder === folder)
    .flatMap((set) => set.files.filter(({ path }) => paths.includes(path)).map(({ path }) => formatMark(set, path)));
  await changes.mark(conversationId, new Set([...marks, ...kept]));
}

export function createNotChangedError(): TriadError {
  return saidError('not_found', [phrase('nothing_kept_of_it')]);
}
