/** Undoes what calls changed on disk, and redoes it, for a person. Later changes are never lost. */
import { join } from 'node:path';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { ChangeSet, ChangeTarget, FileChange, Undo, UndoneFile } from '#contract/change.ts';
import type { EventDraft } from '#contract/event.ts';
import { isFolder } from '../../base/disk-lookups.ts';
import { findDiskFault, saidError, TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { isSame, mapFiles, readFolders, stateOf } from '../../workspace/file-state.ts';
import type { Lending } from '../../workspace/lent/lenders.ts';
import type { Workspace } from '../../workspace/reach.ts';
import { settleFiles } from '../../workspace/settle-undo.ts';
import { carryOut, changesOf, type Plan, planUndo, shownState, undoOf, undosOf } from '../../workspace/undo.ts';
import { workspaceOf } from '../workspace-of.ts';
import { createNotChangedError, readStateIfPossible } from './change-rows.ts';
import { completeUndo, runAlone, settleFolder, settleUndos, type UndoParts } from './settle-undos.ts';
import { loadMissingEvents } from './undo-events.ts';

export interface UndoRequest {
  conversationId: string;
  target: ChangeTarget;
  /** Takes back the undos of the target. */
  redo: boolean;
  /** Returns the outcomes without changing anything. */
  preview: boolean;
  /** Files in conflict stay as they are. Without it, a file in conflict rejects the whole request. */
  leave: boolean;
}

/** Runs work between two commits, then waits until its events are stored. */
export type RunExclusively = (
  conversationId: string,
  work: () => Promise<{ stored: Promise<unknown> }>,
) => Promise<unknown>;

/** An undo that is carried out: its record, plan and events. */
interface UndoAttempt {
  undo: Undo;
  plan: Plan;
  workspace: Workspace;
  lent: Lending;
  events: readonly EventDraft[];
}

/**
 * Undoes what the target changed, or takes that back, and records it. Throws `not_found` if nothing is stored of it or
 * its folder is missing. Throws `conflict` if a file is in conflict, or an agent works in the folder. After any error, the
 * files are as before; if even that fails, the next look at the changes completes the undo.
 */
export async function undo(
  parts: UndoParts,
  request: UndoRequest,
  exclusively: RunExclusively = async (id, work) => (await parts.log.exclusive(id, work)).stored,
): Promise<UndoneFile[]> {
  const { log, workspaces } = parts;
  const { conversationId, target } = request;
  await log.open(conversationId);
  await settleUndos(parts, conversationId);
  const { sets } = await workspaces.changes.of(conversationId);
  const all = changesOf(sets, target);
  const [first] = all;
  if (!first) throw (await findCopied(parts.store, request)) ?? createNotChangedError();
  const { folder } = first.set;
  if (!(await isFolder(folder))) throw saidError('not_found', [phrase('folder_gone', { folder })]);
  await workspaces.roots.check(folder);
  const workspace = await workspaceOf(parts, folder, false);
  const planning = { request, workspace, all };
  if (request.preview) return toOutcomes((await planRequest(parts, planning)).plan);
  return runAlone(parts, folder, async () => {
    await settleFolder(parts, folder).catch((error: unknown) => {
      throw describeFailure(error, { folder, redo: request.redo, isRolledBack: false });
    });
    let plan: Plan = { files: [] };
    await exclusively(conversationId, async () => {
      const planned = await planRequest(parts, planning);
      ({ plan } = planned);
      await refuseConflicts(parts, plan, request, planned.changes);
      const { files, bytes } = undoOf(plan);
      const folders = await readFolders(
        workspace,
        files.map(({ path }) => path),
      );
      const record = { ...createUndo(planned, request, folder), files, folders };
      const events = await loadMissingEvents(parts, record);
      const attempt = { undo: record, plan, workspace, lent: planned.lent, events };
      const isNothing = files.length + events.length + record.takesBack.length === 0;
      if (isNothing) return { stored: Promise.resolve() };
      return carryThrough(parts, attempt, bytes);
    });
    return toOutcomes(plan);
  });
}

/** The error for what a fork has copied; null for anything else. */
async function findCopied(
  store: UndoParts['store'],
  { conversationId, target: { runId, fromWorkflowId, toolCallId } }: UndoRequest,
): Promise<TriadError | null> {
  const named = runId === undefined ? null : await store.run(runId);
  const workflow = await store.workflow(named?.workflowId ?? fromWorkflowId ?? '');
  const runs = named ? [named] : await store.runsOf(workflow ? [workflow.id] : []);
  const { entries } = await store.recordsOf(runs, ['entries']);
  const copies = [...entries.values()].flat().flatMap((entry) => {
    const isMeant = entry.kind === 'tool' && (toolCallId ?? entry.toolCallId) === entry.toolCallId;
    return isMeant ? (entry.copiedFrom ?? []) : [];
  });
  // The sub-agents of what was taken over are those of the first conversation.
  const isThere = named !== null && named.conversationId !== conversationId;
  const first = isThere ? named : (workflow?.copiedFrom ?? copies[0]);
  return first ? saidError('conflict', [phrase('copied_from', { session: first.conversationId })]) : null;
}

interface UndoPlanInput {
  request: UndoRequest;
  workspace: Workspace;
  /** Changes of the target, newest first. */
  all: ReturnType<typeof changesOf>;
}

interface PlannedUndo {
  plan: Plan;
  /** Changes that the plan takes back, newest first. */
  changes: readonly FileChange[];
  /** Changes of the target, without those that an earlier undo has taken back. */
  taken: ReturnType<typeof changesOf>;
  /** The undos that a redo takes back. */
  undos: readonly Undo[];
  /** Time of the newest undo; null if there is none. */
  lastAt: string | null;
  lent: Lending;
}

async function planRequest(parts: UndoParts, { request, workspace, all }: UndoPlanInput): Promise<PlannedUndo> {
  const { conversationId, target, redo } = request;
  const { folder } = workspace;
  const taken = all.filter(({ set }) => set.folder === folder);
  const recordedUndos = await parts.workspaces.changes.undos(conversationId);
  const here = recordedUndos.filter((one) => one.folder === folder);
  const undos = redo ? undosOf(here, target, new Set(taken.map(({ file }) => file.path))) : [];
  const lent: Lending = (kind) => parts.lenders.of(conversationId, kind);
  const undone = redo ? null : await findUndone(workspace, taken, lent);
  const changes = redo
    ? undos.length > 0
      ? undos.flatMap(({ files }) => files)
      : await findRevertedElsewhere(workspace, target, taken)
    : taken.map(({ file }) => file).filter((file) => undone?.get(file) !== 'earlier');
  const hunk = redo ? undefined : target.hunk;
  const { files } = await planUndo(parts.workspaces, workspace, { conversationId, lent, changes, hunk });
  const elsewhere = redo ? [] : listOtherFolders(all, folder);
  const lastAt = recordedUndos.at(-1)?.at ?? null;
  const isRecorded = ({ runId, toolCallId }: ChangeSet): boolean =>
    here.some((one) => !one.redone && one.calls.some((call) => call.runId === runId && call.toolCallId === toolCallId));
  const open = taken.filter(({ set, file }) => !(undone?.has(file) && isRecorded(set)));
  return { plan: { files: [...files, ...elsewhere] }, changes, taken: open, undos, lastAt, lent };
}

/**
 * Returns the changes that are undone already, for instance by an undo of a later message. `last`: the file is exactly as
 * it was before this change. `earlier`: a change of the same file that came after that one.
 */
async function findUndone(
  workspace: Workspace,
  taken: PlannedUndo['taken'],
  lent: Lending,
): Promise<ReadonlyMap<FileChange, 'earlier' | 'last'>> {
  const steps = [...Map.groupBy(taken, ({ file }) => file.path)];
  const found = await mapFiles(steps, async ([path, own]) => {
    const now = await shownState(workspace, path, lent).then(stateOf, () => undefined);
    if (now === undefined || isSame(now, own[0]?.file.after ?? null)) return [];
    const last = own.findIndex(({ file }) => isSame(now, file.before));
    return own.slice(0, last + 1).map(({ file }, at) => [file, at === last ? 'last' : 'earlier'] as const);
  });
  return new Map(found.flat());
}

type UndoneCall = Omit<Undo['calls'][number], 'paths'>;

function createUndo(
  { plan, taken, undos, lastAt }: PlannedUndo,
  { conversationId, target, redo }: UndoRequest,
  folder: string,
): Omit<Undo, 'files' | 'folders'> {
  const donePaths = new Set(plan.files.filter(({ outcome }) => outcome !== 'conflict').map(({ path }) => path));
  const calls: UndoneCall[] = undos.length > 0 ? undos.flatMap((one) => one.calls) : listCalls(taken, target);
  const listFiles = ({ runId, toolCallId }: UndoneCall) =>
    taken.find(({ set }) => set.runId === runId && set.toolCallId === toolCallId)?.set.files ?? [];
  return {
    id: newId(),
    conversationId,
    folder,
    at: nextTime(lastAt),
    calls: calls.map((call) => ({
      ...call,
      paths: listFiles(call)
        .map(({ path }) => path)
        .filter((path) => donePaths.has(path)),
    })),
    ...(target.fromWorkflowId === undefined ? {} : { fromWorkflowId: target.fromWorkflowId }),
    ...(redo ? { madeFolders: Object.assign({}, ...undos.map(({ folders }) => folders)) as Undo['folders'] } : {}),
    takesBack: undos.map(({ id }) => id),
    redone: redo,
  };
}

/** Returns the current time, but later than the last undo: the time identifies the events of an undo. */
function nextTime(lastAt: string | null): string {
  return new Date(Math.max(Date.now(), lastAt === null ? 0 : Date.parse(lastAt) + 1)).toISOString();
}

/** Changes the files and records that. If something fails, restores them as they were before. */
async function carryThrough(
  parts: UndoParts,
  { undo: record, plan, workspace, lent, events }: UndoAttempt,
  bytes: readonly Buffer[],
): Promise<{ stored: Promise<void> }> {
  const { changes } = parts.workspaces;
  const { folder, folders, madeFolders = {}, id, redone: redo } = record;
  let disk = changes.folder;
  await changes.startUndo(record, bytes).catch((error: unknown) => {
    throw describeFailure(error, { folder: disk, redo, isRolledBack: true });
  });
  try {
    disk = folder;
    const isKept = (path: string): boolean => path in madeFolders;
    await carryOut(workspace, plan, { mark: id, folders: { ...madeFolders, ...folders }, isKept, lent });
    disk = changes.folder;
    return await completeUndo(parts, record, { events });
  } catch (error) {
    const isRolledBack = await settleFiles(parts.workspaces, workspace, record, { canFinish: false, lent })
      .then(() => changes.removeStarted(record))
      .then(
        () => true,
        () => false,
      );
    throw describeFailure(error, { folder: disk, redo, isRolledBack });
  }
}

/** Returns the error for the person: what failed, how the files are now, and what to do. */
function describeFailure(
  error: unknown,
  { folder, redo, isRolledBack }: { folder: string; redo: boolean; isRolledBack: boolean },
): unknown {
  const code = findDiskFault(error);
  const says = code === null ? error instanceof TriadError && error.says : [phrase('disk_fault', { folder, code })];
  if (!says) return error;
  const noneDone =
    code === null ? phrase('none_done', { more: 0, redo, kept: null }) : phrase('none_done_disk', { redo });
  const end = isRolledBack ? noneDone : phrase('undo_incomplete', { redo });
  return saidError(code === null && error instanceof TriadError ? error.code : 'internal', [...says, end], {
    cause: error,
  });
}

/**
 * Returns one change for each file that something else put back, such as another program, to take that back. Throws
 * `conflict` if one of them is neither as before nor as the target left it.
 */
function findRevertedElsewhere(
  workspace: Workspace,
  target: ChangeTarget,
  taken: PlannedUndo['taken'],
): Promise<FileChange[]> {
  const steps = [...Map.groupBy(taken, ({ file }) => file.path)];
  return mapFiles(steps, async ([path, own]): Promise<FileChange> => {
    const [before, after] = [own.at(-1)?.file.before ?? null, own[0]?.file.after ?? null];
    const now = await readStateIfPossible(workspace, path);
    const isReverted = now !== undefined && target.hunk === undefined && isSame(now, before);
    if (now === undefined || !(isReverted || isSame(now, after)))
      throw saidError('conflict', [phrase('nothing_undone')]);
    return { path, before: after, after: before };
  });
}

/** Returns the files in other folders as conflicts: an undo has one folder. */
function listOtherFolders(all: UndoPlanInput['all'], folder: string): Plan['files'] {
  const paths = all.flatMap(({ set, file }) => (set.folder === folder ? [] : [join(set.folder, file.path)]));
  const why = phrase('other_folder');
  return [...new Set(paths)].map((path) => ({ path, outcome: 'conflict', why, now: null, to: null }));
}

/** Throws `conflict` if a file is in conflict and may not be left, and names the first. */
async function refuseConflicts(
  { workspaces: { changes } }: UndoParts,
  { files }: Plan,
  { conversationId, redo, leave }: UndoRequest,
  wanted: readonly FileChange[],
): Promise<void> {
  const [first, ...others] = files.filter(({ outcome }) => outcome === 'conflict');
  if (!first || leave) return;
  const before = wanted.findLast(({ path }) => path === first.path)?.before ?? null;
  const kept = before && (await changes.keptAt(conversationId, before));
  throw saidError('conflict', [
    phrase('in_the_way', { path: first.path }),
    first.why ?? phrase('change_in_the_way'),
    phrase('none_done', { more: others.length, redo, kept }),
  ]);
}

function listCalls(taken: PlannedUndo['taken'], { path, hunk }: ChangeTarget): UndoneCall[] {
  return [...Map.groupBy<ChangeSet, PlannedUndo['taken'][number]>(taken, ({ set }) => set)].map(([set, own]) => {
    const { runId, toolCallId, agent, files } = set;
    const isAll = hunk === undefined && own.length === files.length;
    return { runId, toolCallId, agent, path: isAll ? null : (path ?? null), hunk: hunk ?? null };
  });
}

function toOutcomes({ files }: Plan): UndoneFile[] {
  return files.map(({ path, outcome, why }) => ({
    path,
    outcome,
    ...(why === null ? {} : { why: sentenceOf(why), says: why }),
  }));
}
