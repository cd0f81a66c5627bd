/** Plans and does the undoing of change sets: the newest change first, each file once, and nothing where something is in the way. */
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { ChangeSet, ChangeTarget, FileChange, FileState, Undo, UndoneFile } from '#contract/change.ts';
import { errorInfo, saidError, TriadError } from '../base/errors.ts';
import type { Changes } from './changes.ts';
import {
  type FileNow,
  isSame,
  linkAbove,
  mapFiles,
  type PutOptions,
  putState,
  readState,
  stateOf,
} from './file-state.ts';
import type { Git } from './git.ts';
import { isEditable, shownInEditor, writeInEditor } from './lent/editor.ts';
import type { Lending } from './lent/lenders.ts';
import { isShownByLine, patchOf } from './preview.ts';
import type { Workspace } from './reach.ts';
import { withFolder } from './places.ts';
import { hunkStep, reversed, type Step } from './reverse.ts';

export interface Ports {
  changes: Changes;
  git: Git;
}

/** What undoing does, file by file, before it is done. */
export interface Plan {
  files: PlannedFile[];
}

interface PlannedFile {
  path: string;
  outcome: UndoneFile['outcome'];
  why: Phrase | null;
  now: FileNow | null;
  to: FileNow | null;
}

/** Changes to be taken back, newest first. `hunk`: only this part of the first one's file. */
export interface Wanted {
  conversationId: string;
  changes: readonly FileChange[];
  hunk?: number | undefined;
  /** Left out: files are only on the disk. */
  lent?: Lending;
}

/** Ids sort by the time at which a workflow began. */
function isOf(set: ChangeSet, { runId, fromWorkflowId, toolCallId }: ChangeTarget): boolean {
  const isMeant = fromWorkflowId === undefined ? set.runId === runId : set.workflowId >= fromWorkflowId;
  return isMeant && (toolCallId ?? set.toolCallId) === set.toolCallId;
}

/** Those of the target's change sets, newest first. */
export function changesOf(sets: readonly ChangeSet[], target: ChangeTarget): { set: ChangeSet; file: FileChange }[] {
  return sets
    .toReversed()
    .filter((set) => isOf(set, target))
    .flatMap((set) => set.files.filter((file) => isWanted(set, file, target.path)).map((file) => ({ set, file })));
}

/** The file itself, or the other end where it was moved. */
function isWanted({ files }: ChangeSet, { path, from }: FileChange, wanted: string | undefined): boolean {
  if (wanted === undefined || path === wanted || from === wanted) return true;
  return files.some((other) => other.from === path && other.path === wanted);
}

/** Looks at every file, and changes nothing. */
export async function planUndo(ports: Ports, workspace: Workspace, wanted: Wanted): Promise<Plan> {
  const planned = new Map<string, PlannedFile>();
  for (const change of wanted.changes) {
    const before = planned.get(change.path) ?? (await lookedAt(workspace, change.path, wanted.lent));
    planned.set(change.path, await takenBack(ports, wanted, change, before));
  }
  const files = [...planned.values()];
  const removed = new Set(files.filter(({ to }) => to === null).map(({ path }) => path));
  return { files: await mapFiles(files, (file) => roomFor(workspace, file, removed)) };
}

/** Where a folder is in the place of a file now, all that is in it must be what is removed; so must a link in the place of a folder. */
async function roomFor(workspace: Workspace, file: PlannedFile, removed: ReadonlySet<string>): Promise<PlannedFile> {
  if (file.to === null || file.now !== null || !isTouched(file)) return file;
  const link = await linkAbove(workspace, file.path);
  if (link !== null && !removed.has(link))
    return { ...file, outcome: 'conflict', why: phrase('folder_is_link', { folder: link }), to: null };
  const listFiles = async (through: string): Promise<string[]> => {
    const entries = await readdir(through, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(through, join(entry.parentPath, entry.name)).split(sep).join('/'));
  };
  const below = await withFolder(workspace, join(workspace.folder, file.path), file.path, listFiles).catch(() => []);
  const left = below.map((path) => `${file.path}/${path}`).find((path) => !removed.has(path));
  if (left === undefined) return file;
  return { ...file, outcome: 'conflict', why: phrase('folder_is_there', { path: left }), to: null };
}

async function lookedAt(workspace: Workspace, path: string, lent?: Lending): Promise<PlannedFile> {
  try {
    const now = await shownState(workspace, path, lent);
    return { path, outcome: 'already', why: null, now, to: now };
  } catch (error) {
    return {
      path,
      outcome: 'conflict',
      why: phrase('as_it_is', { words: errorInfo(error).message }),
      now: null,
      to: null,
    };
  }
}

/** Throws what `readState` and `shownInEditor` throw. */
export async function shownState(workspace: Workspace, path: string, lent?: Lending): Promise<FileNow | null> {
  const now = await readState(workspace, path);
  if (!lent || now?.kind !== 'file') return now;
  const place = { path: join(workspace.folder, path), disk: now.bytes };
  return { ...now, bytes: await shownInEditor(lent, place, new AbortController().signal) };
}

const OUTCOMES = ['already', 'put_back', 'merged'] as const;

async function takenBack(ports: Ports, wanted: Wanted, change: FileChange, file: PlannedFile): Promise<PlannedFile> {
  if (file.outcome === 'conflict') return file;
  try {
    const { conversationId, hunk } = wanted;
    const all = await stepOf(ports, conversationId, change);
    const step = hunk === undefined ? all : hunkStep(all, await hunksOf(all), hunk);
    const next = await reversed(ports.git, step, file.to);
    if (next.outcome === 'conflict') return { ...file, outcome: 'conflict', why: next.why };
    // What is merged once is not exactly what it was, whatever comes before it.
    const rank = Math.max(OUTCOMES.indexOf(next.outcome), OUTCOMES.indexOf(file.outcome));
    return { ...file, outcome: OUTCOMES[rank]!, to: next.file };
  } catch (error) {
    if (!(error instanceof TriadError)) throw error;
    return { ...file, outcome: 'conflict', why: phrase('as_it_is', { words: error.message }) };
  }
}

/** A change with its bytes. Throws `not_found` where they are not kept. */
export async function stepOf({ changes }: Ports, conversationId: string, change: FileChange): Promise<Step> {
  const side = async (state: FileState | null): Promise<FileNow | null> =>
    state && { kind: state.kind, bytes: await changes.bytes(conversationId, state), mode: state.mode };
  const [before, after] = await Promise.all([side(change.before), side(change.after)]);
  return { path: change.path, before, after };
}

/** Throws `bad_input` where the change cannot be shown by line. */
export async function hunksOf({ path, before, after }: Step) {
  const sides = [before, after].filter((side) => side !== null);
  if (!sides.every(({ kind, bytes }) => kind === 'file' && isShownByLine(bytes)))
    throw new TriadError('bad_input', `${path} has no lines that could be shown one by one`);
  return patchOf(path, before?.bytes.toString('utf8') ?? null, after?.bytes.toString('utf8') ?? '');
}

/** Returns what the plan changes, as the files of an undo, and all bytes that can restore either side. */
export function undoOf(plan: Plan): { files: FileChange[]; bytes: Buffer[] } {
  const touched = plan.files.filter(isTouched);
  return {
    files: touched.map(({ path, now, to }) => ({ path, before: stateOf(now), after: stateOf(to) })),
    bytes: touched.flatMap(({ now, to }) => [now, to].flatMap((side) => (side ? [side.bytes] : []))),
  };
}

/** Options of `carryOut`. `lent`: the same as for the plan. */
export interface CarryOptions extends PutOptions {
  lent?: Lending | undefined;
}

/** Changes the files. Throws `conflict` at a file that has changed since the plan was made: later files stay as they are. */
export async function carryOut(workspace: Workspace, plan: Plan, options: CarryOptions): Promise<void> {
  for (const file of sortSteps(plan.files.filter(isTouched))) await putBack(workspace, file, options);
}

/** Sorts removals first, from below, then the rest from above: a file can replace a folder. */
export function sortSteps<T extends { path: string; to: unknown }>(files: readonly T[]): T[] {
  const depth = ({ path }: T): number => path.split('/').length;
  const removed = files.filter(({ to }) => to === null).sort((a, b) => depth(b) - depth(a));
  const put = files.filter(({ to }) => to !== null).sort((a, b) => depth(a) - depth(b));
  return [...removed, ...put];
}

/** Changes one file. If only its text differs, it goes through the editor that a client lends. */
export async function putBack(
  workspace: Workspace,
  { path, to, now }: Pick<PlannedFile, 'path' | 'to' | 'now'>,
  { lent, ...options }: CarryOptions,
): Promise<void> {
  const isText = [to, now].every((side) => side?.kind === 'file' && isEditable(side.bytes)) && to?.mode === now?.mode;
  const editor = isText && lent ? lent('write') : null;
  if (editor === null || to === null) return putState(workspace, path, to, stateOf(now), options);
  if (!isSame(stateOf(await shownState(workspace, path, lent)), stateOf(now)))
    throw saidError('conflict', [phrase('changed_meanwhile', { path })]);
  await writeInEditor(editor, join(workspace.folder, path), to.bytes);
}

/**
 * The undos that are taken back by taking back the target, newest first: of a workflow on only the last one of that
 * very target. `paths`: of the target's files. Throws `conflict` where one has undone more.
 */
export function undosOf(undos: readonly Undo[], target: ChangeTarget, paths: ReadonlySet<string>): Undo[] {
  const { fromWorkflowId } = target;
  const active = undos.filter(({ redone }) => !redone).reverse();
  if (fromWorkflowId !== undefined) return active.filter((undo) => undo.fromWorkflowId === fromWorkflowId).slice(0, 1);
  const isOf = (call: Undo['calls'][number]): boolean =>
    call.runId === target.runId && (target.toolCallId ?? call.toolCallId) === call.toolCallId;
  // A hunk that was undone by itself is taken back by itself.
  const isPart = (call: Undo['calls'][number]): boolean =>
    isOf(call) && (target.hunk === undefined || (call.hunk ?? target.hunk) === target.hunk);
  const isIn = (path: string): boolean => paths.has(path);
  const found = active.filter(({ calls, files }) => calls.some(isPart) && files.some(({ path }) => isIn(path)));
  for (const { calls, files } of found) {
    const isWhole =
      calls.every((call) => isOf(call) && (target.hunk === undefined || call.hunk === target.hunk)) &&
      files.every(({ path }) => isIn(path));
    if (!isWhole) throw saidError('conflict', [phrase('undone_together')]);
  }
  return found;
}

function isTouched({ outcome }: PlannedFile): boolean {
  return outcome === 'put_back' || outcome === 'merged';
}
