/** Finishes an undo that was cut off, or rolls it back, by comparing each file with its states before and after. */
import { dirname } from 'node:path';
import type { FileChange, FileState, Undo } from '#contract/change.ts';
import { findDiskFault } from '../base/errors.ts';
import { type FileNow, isSame, listFoldersAbove, removeEmpty, removeTemporaries, stateOf } from './file-state.ts';
import type { Workspace } from './reach.ts';
import { type CarryOptions, sortSteps, type Ports, putBack, shownState } from './undo.ts';

export type UndoEnd = 'finished' | 'rolled_back';

type UndoSide = 'before' | 'after';

/** A file of the undo as it is now. `side`: null if it is neither as before nor as after the undo. */
interface LocatedFile {
  change: FileChange;
  now: FileNow | null;
  side: UndoSide | 'between' | null;
}

/**
 * Finishes the undo if each file is as before or as after it. Otherwise, or if that fails, rolls it back: files that are
 * neither stay as they are. Afterwards no temporary file of the undo is left. Throws if a disk fault prevents both; the
 * next call goes on.
 */
export async function settleFiles(
  ports: Ports,
  workspace: Workspace,
  undo: Undo,
  { canFinish, lent }: { canFinish: boolean } & Pick<CarryOptions, 'lent'>,
): Promise<UndoEnd> {
  if (canFinish) {
    const isFinished = await moveFiles(ports, workspace, undo, { to: 'after', lent }).catch(() => false);
    if (isFinished) return 'finished';
  }
  await moveFiles(ports, workspace, undo, { to: 'before', lent });
  return 'rolled_back';
}

/** Puts each file into its state before or after the undo. Returns false if a file is neither and has to be as after it. */
async function moveFiles(
  ports: Ports,
  workspace: Workspace,
  undo: Undo,
  { to: target, lent }: { to: UndoSide } & Pick<CarryOptions, 'lent'>,
): Promise<boolean> {
  const { conversationId, id: mark, files, folders, madeFolders = {} } = undo;
  const isBack = target === 'before';
  const emptyFolders = new Set(files.filter((file) => file[target]?.kind === 'folder').map(({ path }) => path));
  const existingFolders = isBack ? folders : madeFolders;
  const isKept = (path: string): boolean => emptyFolders.has(path) || path in existingFolders;
  await removeTemporaries(
    workspace,
    files.map(({ path }) => path),
    mark,
  );
  await removeEmptyPlaces(workspace, undo);
  const locatedFiles = await locateFiles(workspace, undo, lent);
  if (!isBack && locatedFiles.some(({ side }) => side === null)) return false;
  const steps = locatedFiles.flatMap(({ change, now, side }) =>
    side === null || side === target ? [] : [{ path: change.path, now, to: change[target] }],
  );
  for (const { path, now, to: state } of sortSteps(steps)) {
    try {
      const to = await loadState(ports, conversationId, state);
      await putBack(workspace, { path, now, to }, { mark, folders: { ...madeFolders, ...folders }, isKept, lent });
    } catch (error) {
      // In a rollback, a file that cannot be restored stays as it is, and all others are restored.
      if (!isBack || findDiskFault(error) !== null) throw error;
    }
  }
  for (const { path, ...states } of files)
    if (states[target] === null) await removeEmpty(workspace, dirname(path), isKept);
  return true;
}

async function loadState({ changes }: Ports, conversationId: string, state: FileState | null): Promise<FileNow | null> {
  return state && { kind: state.kind, bytes: await changes.bytes(conversationId, state), mode: state.mode };
}

/**
 * Removes empty folders in the place of a file of the undo: the kill came between the removal of what was in the folder
 * and that of the folder, or before anything was put into it.
 */
async function removeEmptyPlaces(workspace: Workspace, { files }: Undo): Promise<void> {
  const isPlace = ({ before, after }: FileChange): boolean => before?.kind !== 'folder' && after?.kind !== 'folder';
  const places = new Set(files.filter(isPlace).map(({ path }) => path));
  for (const { path } of files)
    for (const top of listFoldersAbove(path))
      if (places.has(top)) await removeEmpty(workspace, dirname(path), (at) => at !== top && !at.startsWith(`${top}/`));
}

async function locateFiles(workspace: Workspace, { files }: Undo, lent: CarryOptions['lent']): Promise<LocatedFile[]> {
  const locatedFiles: LocatedFile[] = [];
  for (const change of files) {
    try {
      const now = await shownState(workspace, change.path, lent);
      locatedFiles.push({ change, now, side: findSide(change, stateOf(now)) });
    } catch (error) {
      if (findDiskFault(error) !== null) throw error;
      locatedFiles.push({ change, now: null, side: null });
    }
  }
  return locatedFiles;
}

function findSide({ before, after }: FileChange, now: FileState | null): LocatedFile['side'] {
  if (isSame(now, after)) return 'after';
  if (isSame(now, before)) return 'before';
  // A folder is replaced in two steps.
  const isOfFolder = before !== null && after !== null && (before.kind === 'folder') !== (after.kind === 'folder');
  return now === null && isOfFolder ? 'between' : null;
}
