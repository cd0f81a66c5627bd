/** Undoes what calls changed on disk, and takes that back, for a person; what was done since is never lost. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type {
  ChangeDiff,
  ChangeRow,
  ChangeSet,
  ChangeState,
  ChangeTarget,
  FileChange,
  FileState,
  Undo,
  UndoneFile,
} from '#contract/change.ts';
import { saidError, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { isSame, readState, stateOf } from '../workspace/file-state.ts';
import type { Lending } from '../workspace/lent/lenders.ts';
import type { Workspace } from '../workspace/reach.ts';
import { reversed, hunkStep } from '../workspace/reverse.ts';
import { redactPatch } from '../workspace/preview.ts';
import { carryOut, changesOf, hunksOf, type Plan, planUndo, stepOf, undoOf, undosOf } from '../workspace/undo.ts';
import type { Engine } from './engine.ts';
import { canRunCode } from '../workspace/steering-files.ts';
import { workspaceOf } from './workspace-of.ts';

type Parts = Pick<Engine, 'workspaces' | 'log' | 'own' | 'permissions' | 'store' | 'lenders'>;

/** How long an agent's write is waited for, in milliseconds. */
const WAIT_MS = 5000;

export interface Asked {
  conversationId: string;
  target: ChangeTarget;
  /** Takes back what was undone of the target. */
  redo: boolean;
  /** Says what would happen, and does nothing. */
  preview: boolean;
  /** Files in conflict are left as they are; without it, one of them keeps all from being undone. */
  leave: boolean;
}

/** The change sets of a conversation, each file as it is now. */
export async function changeRows(parts: Parts, conversationId: string): Promise<ChangeRow[]> {
  const [{ sets, undos }, marks] = await Promise.all([
    parts.workspaces.changes.of(conversationId),
    parts.workspaces.changes.marks(conversationId),
  ]);
  const seen = new Map<string, Promise<FileState | null | undefined>>();
  const active = undos.filter(({ redone }) => !redone);
  const look = (folder: string) => Promise.all([isFolder(folder), workspaceOf(parts, folder, false)]);
  const folders = new Map([...new Set(sets.map(({ folder }) => folder))].map((folder) => [folder, look(folder)]));
  const rowOf = async (set: ChangeSet): Promise<ChangeRow> => {
    const [isThere, workspace] = await folders.get(set.folder)!;
    const files = set.files.map(async (file) => {
      const key = JSON.stringify([set.folder, file.path]);
      const now = seen.get(key) ?? nowAt(workspace, file.path);
      seen.set(key, now);
      const state = isThere ? stateIn(set, file, await now, active) : 'gone';
      const runs = canRunCode(file) ? { canRunCode: true as const } : {};
      return { ...file, state, kept: marks.has(markOf(set, file.path)), ...runs };
    });
    return { ...set, files: await Promise.all(files) };
  };
  return Promise.all(sets.map(rowOf));
}

/** Undefined where it cannot be read. */
function nowAt(workspace: Workspace, path: string): Promise<FileState | null | undefined> {
  return readState(workspace, path).then(stateOf, () => undefined);
}

function stateIn(
  set: ChangeSet,
  file: FileChange,
  now: FileState | null | undefined,
  undos: readonly Undo[],
): ChangeState {
  if (now !== undefined && isSame(now, file.after)) return 'done';
  if (now !== undefined && isSame(now, file.before)) return 'undone';
  return isUndone(set, file, undos) ? 'undone' : 'changed';
}

/** Whether one of these undos, none of which was taken back, has undone all that a call did to a file. */
function isUndone(set: ChangeSet, file: FileChange, undos: readonly Undo[]): boolean {
  const isOf = (call: Undo['calls'][number]): boolean =>
    call.runId === set.runId &&
    call.toolCallId === set.toolCallId &&
    (call.path ?? file.path) === file.path &&
    call.hunk === null;
  return undos.some(({ calls, files }) => calls.some(isOf) && files.some(({ path }) => path === file.path));
}

/** What is undone already, of a target that names no file or call: what such a file holds now is others' work, and left alone. */
function undoneOf(taken: ReturnType<typeof changesOf>, undos: readonly Undo[], target: ChangeTarget): Set<FileChange> {
  if (target.path !== undefined || target.toolCallId !== undefined) return new Set();
  const active = undos.filter(({ redone }) => !redone);
  return new Set(taken.flatMap(({ set, file }) => (isUndone(set, file, active) ? [file] : [])));
}

function markOf(set: Pick<ChangeSet, 'runId' | 'toolCallId'>, path: string, hunk?: number): string {
  return JSON.stringify([set.runId, set.toolCallId, path, ...(hunk === undefined ? [] : [hunk])]);
}

/** The hunks of what a call did to a file, each as it is now. Throws `not_found` where the call did not change it. */
export async function changeDiff(parts: Parts, conversationId: string, target: ChangeTarget): Promise<ChangeDiff> {
  const [{ sets }, marks] = await Promise.all([
    parts.workspaces.changes.of(conversationId),
    parts.workspaces.changes.marks(conversationId),
  ]);
  const found = changesOf(sets, target).find(({ file }) => file.path === target.path);
  if (!found) throw nothingKept();
  const { set, file } = found;
  const step = await stepOf(parts.workspaces, conversationId, file);
  const patch = await hunksOf(step).catch((error: unknown) => {
    if (error instanceof TriadError && error.code === 'bad_input') return null;
    throw error;
  });
  if (patch === null) return { note: noteOn(file), hunks: [] };
  // `patch` is needed to undo hunks, so the copy for the screen is redacted.
  const shownPatch = structuredClone(patch);
  redactPatch(shownPatch, step.before?.bytes.toString('utf8') ?? '', step.after?.bytes.toString('utf8') ?? '');
  const workspace = await workspaceOf(parts, set.folder, false);
  const isThere = await isFolder(set.folder);
  const now = await readState(workspace, file.path).catch(() => undefined);
  const stateOfHunk = async (index: number): Promise<ChangeState> => {
    if (!isThere) return 'gone';
    if (now === undefined) return 'changed';
    if (isSame(stateOf(now), file.after)) return 'done';
    if (isSame(stateOf(now), file.before)) return 'undone';
    const { outcome } = await reversed(parts.workspaces.git, hunkStep(step, patch, index), now);
    return outcome === 'conflict' ? 'changed' : outcome === 'already' ? 'undone' : 'done';
  };
  const hunks = [];
  for (const [index, { oldStart, newStart, lines }] of shownPatch.hunks.entries())
    hunks.push({
      ...{ oldStart, newStart, lines },
      state: await stateOfHunk(index),
      kept: marks.has(markOf(set, file.path, index)) || marks.has(markOf(set, file.path)),
    });
  return { note: null, hunks };
}

function noteOn({ before, after }: FileChange): string {
  const words = (state: FileState | null): string => (state ? `${state.kind}, ${state.bytes} bytes` : 'nothing');
  return `It has no lines to show: before ${words(before)}; after ${words(after)}`;
}

/** Marks what the person has looked at and keeps, or takes the mark away. A file whose every hunk is kept is kept. */
export async function keepChange(
  parts: Parts,
  conversationId: string,
  target: ChangeTarget,
  kept: boolean,
): Promise<void> {
  const { changes } = parts.workspaces;
  const [{ sets }, before] = await Promise.all([changes.of(conversationId), changes.marks(conversationId)]);
  const found = changesOf(sets, target);
  if (found.length === 0) throw nothingKept();
  const marks = new Set(before);
  for (const { set, file } of found) {
    const all = markOf(set, file.path);
    if (target.hunk === undefined) {
      if (kept) marks.add(all);
      else marks.delete(all);
      continue;
    }
    const patch = await hunksOf(await stepOf(parts.workspaces, conversationId, file));
    const hunks = patch.hunks.map((_, index) => markOf(set, file.path, index));
    const mine = new Set(marks.has(all) ? hunks : hunks.filter((mark) => marks.has(mark)));
    const mark = markOf(set, file.path, target.hunk);
    if (kept) mine.add(mark);
    else mine.delete(mark);
    for (const one of [all, ...hunks]) marks.delete(one);
    for (const one of mine.size === hunks.length ? [all] : mine) marks.add(one);
  }
  await changes.mark(conversationId, marks);
}

/** Marks these files of a folder as kept, whoever changed them. */
export async function keepFiles(
  { workspaces: { changes } }: Parts,
  { conversationId, folder, paths }: { conversationId: string; folder: string; paths: readonly string[] },
): Promise<void> {
  const [{ sets }, marks] = await Promise.all([changes.of(conversationId), changes.marks(conversationId)]);
  const kept = sets
    .filter((set) => set.folder === folder)
    .flatMap((set) => set.files.filter(({ path }) => paths.includes(path)).map(({ path }) => markOf(set, path)));
  await changes.mark(conversationId, new Set([...marks, ...kept]));
}

/**
 * Undoes what the target changed, or takes that back, and records it. Throws `not_found` where nothing is kept of it or
 * its folder is gone, `conflict` where something is in the way (with the place of what is kept), or an agent works on
 * the folder.
 */
export async function undo(parts: Parts, asked: Asked): Promise<UndoneFile[]> {
  const { log, workspaces } = parts;
  const { changes } = workspaces;
  const { conversationId, target, redo } = asked;
  await log.open(conversationId);
  const { sets, undos } = await changes.of(conversationId);
  const all = changesOf(sets, target);
  const [first] = all;
  if (!first) throw nothingKept();
  const { folder } = first.set;
  const taken = all.filter(({ set }) => set.folder === folder);
  if (!(await isFolder(folder))) throw saidError('not_found', [phrase('folder_gone', { folder })]);
  await workspaces.roots.check(folder);
  const workspace = await workspaceOf(parts, folder, false);
  const here = undos.filter((one) => one.folder === folder);
  const back = redo ? undosOf(here, target, new Set(taken.map(({ file }) => file.path))) : [];
  const lent: Lending = (kind) => parts.lenders.of(conversationId, kind);
  const wanted = {
    conversationId,
    lent,
    ...(redo
      ? { changes: back.length > 0 ? back.flatMap(({ files }) => files) : await gone(workspace, asked, taken) }
      : { changes: taken.map(({ file }) => file), hunk: target.hunk, undone: undoneOf(taken, here, target) }),
  };
  const elsewhere = redo ? [] : inOtherFolders(all, folder);
  const look = async (): Promise<Plan> => ({
    files: [...(await planUndo(workspaces, workspace, wanted)).files, ...elsewhere],
  });
  if (asked.preview) return shown(await look());
  const { plan, recorded } = await alone(parts, folder, () =>
    // Between two commits, so that no event comes after the last one of a conversation that is purged.
    log.exclusive(conversationId, async () => {
      const plan = await look();
      await refuseConflicts(parts, plan, asked, wanted.changes);
      const calls = back.length > 0 ? back.flatMap((one) => one.calls) : callsOf(taken, target);
      const at = new Date().toISOString();
      const { files, bytes } = undoOf(plan);
      if (files.length > 0) {
        const takesBack = back.map(({ id }) => id);
        const from = target.fromWorkflowId === undefined ? {} : { fromWorkflowId: target.fromWorkflowId };
        const one = { id: newId(), conversationId, folder, at, calls, files, ...from, takesBack, redone: redo };
        await changes.keepUndo(one, bytes);
        await carryOut(workspace, plan, lent);
      }
      for (const one of back) await changes.keepUndo({ ...one, redone: true }, []);
      return { plan, recorded: record(parts, { sets, calls, plan, redo, at }) };
    }),
  );
  await recorded;
  return shown(plan);
}

/**
 * For files that something else put back, such as another program: one change of each that did so, to be taken back. Throws
 * `conflict` where one of them is neither as it was before nor as the target left it.
 */
function gone(workspace: Workspace, { target }: Asked, taken: ReturnType<typeof changesOf>): Promise<FileChange[]> {
  const steps = [...Map.groupBy(taken, ({ file }) => file.path)];
  return Promise.all(
    steps.map(async ([path, own]): Promise<FileChange> => {
      const [before, after] = [own.at(-1)?.file.before ?? null, own[0]?.file.after ?? null];
      const now = await nowAt(workspace, path);
      const isGone = now !== undefined && target.hunk === undefined && isSame(now, before);
      if (now === undefined || !(isGone || isSame(now, after))) throw saidError('conflict', [phrase('nothing_undone')]);
      return { path, before: after, after: before };
    }),
  );
}

/** One undo is of one folder: what was changed elsewhere is in conflict. */
function inOtherFolders(taken: ReturnType<typeof changesOf>, folder: string): Plan['files'] {
  const paths = taken.flatMap(({ set, file }) => (set.folder === folder ? [] : [join(set.folder, file.path)]));
  const why = phrase('other_folder');
  return [...new Set(paths)].map((path) => ({ path, outcome: 'conflict', why, now: null, to: null }));
}

/** Waits for an agent that writes something, and not for one whose command goes on. */
async function alone<T>({ workspaces: { lock } }: Parts, folder: string, work: () => Promise<T>): Promise<T> {
  let isWaiting = true;
  const started = (): Promise<T> => {
    isWaiting = false;
    return work();
  };
  return lock.alone(folder, AbortSignal.timeout(WAIT_MS), started).catch((error: unknown) => {
    if (!isWaiting) throw error;
    throw saidError('conflict', [phrase('command_works', { folder })], { cause: error });
  });
}

/** Throws `conflict` where something is in the way that may not be left, and names the first of it. */
async function refuseConflicts(
  { workspaces: { changes } }: Parts,
  { files }: Plan,
  { conversationId, redo, leave }: Asked,
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

function callsOf(taken: ReturnType<typeof changesOf>, { path, hunk }: ChangeTarget): Undo['calls'] {
  return [...Map.groupBy(taken, ({ set }) => set)].map(([{ runId, toolCallId, agent, files }, own]) => {
    const isAll = hunk === undefined && own.length === files.length;
    return { runId, toolCallId, agent, path: isAll ? null : (path ?? null), hunk: hunk ?? null };
  });
}

interface Done {
  sets: readonly ChangeSet[];
  calls: Undo['calls'];
  plan: Plan;
  redo: boolean;
  at: string;
}

/** One event for each call of which something was undone, or already was. */
async function record({ log, store }: Parts, { sets, calls, plan, redo, at }: Done): Promise<void> {
  const done = new Set(plan.files.filter(({ outcome }) => outcome !== 'conflict').map(({ path }) => path));
  const rows = await store.callsOf([...new Set(calls.map(({ runId }) => runId))]);
  const events = [];
  for (const { runId, toolCallId, ...part } of calls) {
    const whole = part.path === null && part.hunk === null;
    const set = sets.find((one) => one.runId === runId && one.toolCallId === toolCallId);
    const [path, ...also] = (set?.files ?? []).map((file) => file.path).filter((one) => done.has(one));
    const row = rows.find((one) => one.runId === runId && one.toolCallId === toolCallId);
    const run = await store.run(runId);
    if (!set || !run || !row || path === undefined) continue;
    // It is so already, and was told.
    if (whole && (row.undone ?? false) === !redo) continue;
    const { conversationId, workflowId } = set;
    const { parentRunId, agent } = run;
    log.chains.keep(runId, run.parentChain);
    events.push(
      log.append({
        ...{ type: 'change-undo' as const, conversationId, workflowId, runId, parentRunId, agent, at },
        ...{ toolCallId, path, ...(also.length > 0 ? { also } : {}), ...(whole ? {} : { part: true as const }) },
        undone: !redo,
      }),
    );
  }
  await Promise.all(events);
}

function shown({ files }: Plan): UndoneFile[] {
  return files.map(({ path, outcome, why }) => ({
    path,
    outcome,
    ...(why === null ? {} : { why: sentenceOf(why), says: why }),
  }));
}

function nothingKept(): TriadError {
  return saidError('not_found', [phrase('nothing_kept_of_it')]);
}

/** Without it a file would look as if it had been removed. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
