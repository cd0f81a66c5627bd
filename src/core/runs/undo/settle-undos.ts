/** Completes undos, also those that a kill or a full disk has cut off. */
import { phrase } from '#contract/approvals/phrases.ts';
import type { Undo } from '#contract/change.ts';
import type { EventDraft } from '#contract/event.ts';
import { saidError } from '../../base/errors.ts';
import type { StartedUndo } from '../../workspace/changes.ts';
import type { Lending } from '../../workspace/lent/lenders.ts';
import { settleFiles } from '../../workspace/settle-undo.ts';
import type { Engine } from '../engine.ts';
import { workspaceOf } from '../workspace-of.ts';
import { loadMissingEvents } from './undo-events.ts';

export type UndoParts = Pick<Engine, 'workspaces' | 'log' | 'own' | 'permissions' | 'store' | 'lenders'>;

/** Longest wait of an undo for the write of an agent, in milliseconds. */
const WAIT_MS = 5000;

/** Runs an undo as soon as nothing else changes the folder. Throws `conflict` if that takes too long. */
export async function runAlone<T>(
  { workspaces: { lock, runningUndos } }: UndoParts,
  folder: string,
  work: () => Promise<T>,
): Promise<T> {
  let isWaiting = true;
  const start = (): Promise<T> => {
    isWaiting = false;
    const undo = work().finally(() => runningUndos.delete(folder));
    runningUndos.set(folder, undo);
    return undo;
  };
  return lock.alone(folder, AbortSignal.timeout(WAIT_MS), start).catch((error: unknown) => {
    if (!isWaiting) throw error;
    throw saidError('conflict', [phrase('command_works', { folder })], { cause: error });
  });
}

/** Finishes or rolls back what was cut off in the process before. Call it once, at the start. */
export async function settleAllUndos(parts: UndoParts): Promise<void> {
  await parts.workspaces.changes.removeHalfRecords().catch(() => undefined);
  await settleUndos(parts);
}

/**
 * Finishes or rolls back what was cut off, in one conversation or in all. Waits for an undo that runs, but not for an
 * agent that works in the folder. An undo that cannot be settled now stays started: the next call tries it again.
 */
export async function settleUndos(parts: UndoParts, conversationId?: string): Promise<void> {
  const { changes, lock, runningUndos } = parts.workspaces;
  for (const { undo } of await changes.startedUndos(conversationId)) {
    await runningUndos.get(undo.folder)?.catch(() => undefined);
    if (lock.isTaken(undo.folder)) continue;
    await runAlone(parts, undo.folder, () => settleFolder(parts, undo.folder)).catch(() => undefined);
  }
}

/** Settles the undos of one folder. The caller has the lock of the folder. Throws if a disk fault prevents it. */
export async function settleFolder(parts: UndoParts, folder: string): Promise<void> {
  const startedUndos = await parts.workspaces.changes.startedUndos();
  const folderUndos = startedUndos
    .filter(({ undo }) => undo.folder === folder)
    .sort((a, b) => (a.undo.at < b.undo.at ? -1 : 1));
  for (const one of folderUndos) await settleUndo(parts, one);
}

async function settleUndo(parts: UndoParts, { undo, hasFiles }: StartedUndo): Promise<void> {
  const { log, store, workspaces } = parts;
  const { conversationId, folder, files } = undo;
  // Another store can be in the place of one that is missing for a while.
  if (!(await store.conversation(conversationId))) return;
  await log.open(conversationId);
  const { stored } = await log.exclusive(conversationId, async () => {
    const events = await loadMissingEvents(parts, undo);
    if (!hasFiles && files.length > 0) {
      await workspaces.roots.check(folder);
      const workspace = await workspaceOf(parts, folder, false);
      const lent: Lending = (kind) => parts.lenders.of(conversationId, kind);
      const end = await settleFiles(workspaces, workspace, undo, { canFinish: true, lent });
      if (end === 'rolled_back') return { stored: workspaces.changes.removeStarted(undo) };
    }
    return completeUndo(parts, undo, hasFiles ? { events, isFinished: true } : { events });
  });
  await stored;
}

/**
 * Records an undo whose files are all in place, and its events. Call it between two commits, so that no event comes after
 * the last one of a conversation that is purged. `stored` resolves when the events are stored.
 */
export async function completeUndo(
  { log, workspaces: { changes } }: UndoParts,
  undo: Undo,
  { events, isFinished = false }: { events: readonly EventDraft[]; isFinished?: boolean },
): Promise<{ stored: Promise<void> }> {
  if (!isFinished) await changes.finishUndo(undo);
  const appended = Promise.all(events.map((event) => log.append(event)));
  // A record that stays adds nothing later: its events are stored.
  return { stored: appended.then(() => changes.removeStarted(undo).catch(() => undefined)) };
}
