/** What the tools have in common that move or delete files and folders: all is kept first, and what was approved is done, or nothing. */
import { lstat, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Approval, Preview } from '#contract/approval.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { isSame, readState, stateOf } from '../workspace/file-state.ts';
import { makeFolder, throwFileError, withFolder } from '../workspace/places.ts';
import { previewWrite } from '../workspace/preview.ts';
import type { Workspace } from '../workspace/reach.ts';
import { isBelow, placeOf, type Tree, treeAt } from '../workspace/tree.ts';
import type { Targets } from './targets.ts';
import type { Question, QuestionContext, Tool, ToolContext, ToolResult } from './tool.ts';
import { asked } from './asked.ts';

/** So many files of a folder are named in the question. */
const MAX_NAMES = 20;

/** `to`: null where it is deleted. */
export interface Relocation {
  tool: string;
  input: { from: string; to: string | null };
  asked: unknown;
}

/** What such tools declare. */
export const RELOCATES = {
  permissions: ['FilesystemWrite'],
  baseline: false,
  primaryOnly: false,
  order: 'serial',
  recovery: 'unknown',
} as const satisfies Partial<Tool>;

/** Every path that something is taken from or put to: rules about a file hold where its folder is moved. */
export async function relocationTargets(workspace: Workspace, { from, to }: Relocation['input']): Promise<Targets> {
  const tree = await treeAt(workspace, from);
  const target = to === null ? null : await placeOf(workspace, to);
  const paths = tree.entries.flatMap(({ path }) => (target === null ? [path] : [path, movedTo(tree, path, target)]));
  return { values: [...new Set([tree.path, ...(target === null ? [] : [target]), ...paths])], path: true };
}

export async function askToRelocate(
  { tool, input, asked: call }: Relocation,
  context: QuestionContext,
): Promise<Question> {
  const { workspace } = context;
  const { folder } = workspace;
  const tree = await treeAt(workspace, input.from);
  const to = input.to === null ? null : await freePlace(workspace, tree, input.to);
  const preview = to === null ? await previewOf(tree) : null;
  return {
    ...asked(
      to === null
        ? phrase('delete', { path: `${tree.path}${tree.isFolder ? '/' : ''}` })
        : phrase('move', { path: tree.path, to }),
      [
        phrase(to === null ? 'deletes' : 'moves', { ...sizeOf(tree), folder }),
        ...(tree.isFolder && filesOf(tree).length > 0 ? [phrase('in_it', namesIn(tree))] : []),
        // With a preview the question says so by itself.
        ...(preview === null ? [phrase('undoable')] : []),
      ],
    ),
    subject: {
      kind: 'tool',
      tool,
      input: call,
      folder,
      preview,
      hash: canonicalHash({ tool, input: call }),
    },
    risk: 'medium',
    reversible: true,
  };
}

function sizeOf(tree: Tree) {
  const bytes = tree.entries.reduce((sum, { file }) => sum + file.bytes.length, 0);
  return { path: tree.path, files: tree.isFolder ? filesOf(tree).length : null, bytes };
}

function countText(tree: Tree): string {
  const count = filesOf(tree).length;
  return count === 1 ? ' with 1 file' : ` with ${count} files`;
}

function namesIn(tree: Tree) {
  const files = filesOf(tree);
  const names = files.slice(0, MAX_NAMES).map(({ path }) => path.slice(tree.path.length + 1));
  return { names: names.join(', '), more: files.length - names.length };
}

/** Without folders that are empty. */
function filesOf({ entries }: Tree): Tree['entries'] {
  return entries.filter(({ file }) => file.kind !== 'folder');
}

/** What is lost, of a single text file. */
async function previewOf({ path, entries: [entry, ...others] }: Tree): Promise<Preview | null> {
  if (!entry || others.length > 0 || entry.file.kind !== 'file') return null;
  const { complete, ...preview } = await previewWrite(path, entry.file.bytes, '');
  return complete ? { ...preview, deleted: true } : null;
}

/** Throws like `treeAt`, and `conflict` where something is not as it was approved, or something is in the way. */
export async function relocate(
  { input }: Relocation,
  context: ToolContext,
  approval: Approval | null,
): Promise<ToolResult> {
  const { workspace } = context;
  const tree = await treeAt(workspace, input.from);
  refuseOther(tree, approval);
  const to = input.to === null ? null : await freePlace(workspace, tree, input.to);
  await context.files.alone(() => carryOut(tree, to, context));
  const [first, ...also] = tree.entries.map(({ path }) => (to === null ? path : movedTo(tree, path, to)));
  const count = tree.isFolder ? countText(tree) : '';
  return {
    status: 'completed',
    output: to === null ? `Deleted ${tree.path}${count}.` : `Moved ${tree.path}${count} to ${to}.`,
    metadata: { path: first ?? tree.path, also, files: also.length + 1, undoable: true },
  };
}

async function carryOut(tree: Tree, to: string | null, context: ToolContext): Promise<void> {
  const { workspace, signal } = context;
  await context.files.keep(
    tree.entries.flatMap(({ path, file }) => [
      { path, before: file, after: null },
      ...(to === null ? [] : [{ path: movedTo(tree, path, to), before: null, after: file, from: path }]),
    ]),
  );
  for (const { path, file } of tree.entries)
    if (!isSame(stateOf(await readState(workspace, path)), stateOf(file))) throw changed(path);
  signal.throwIfAborted();
  if (to !== null) return move(workspace, tree.path, to);
  return remove(workspace, tree);
}

async function move(workspace: Workspace, from: string, to: string): Promise<void> {
  const [source, target] = [join(workspace.folder, from), join(workspace.folder, to)];
  await makeFolder(workspace, dirname(target), to);
  await withFolder(workspace, dirname(source), from, (out) =>
    withFolder(workspace, dirname(target), to, async (into) => {
      const place = join(into, basename(target));
      if (await lstat(place).catch(() => null)) throw new TriadError('conflict', `${to} is there already`);
      await rename(join(out, basename(source)), place);
    }),
  ).catch((error: unknown) => throwFileError(error, from));
}

/** File by file, so that nothing goes that came since it was looked at. */
async function remove(workspace: Workspace, { path: top, isFolder, entries }: Tree): Promise<void> {
  const folders = new Set<string>();
  for (const { path, file } of entries) {
    const full = join(workspace.folder, path);
    await withFolder(workspace, dirname(full), path, (through) => {
      const place = join(through, basename(full));
      return file.kind === 'folder' ? rmdir(place) : rm(place);
    }).catch((error: unknown) => throwFileError(error, path));
    for (let at = dirname(path); isFolder && isBelow(at, top); at = dirname(at)) folders.add(at);
  }
  const deepestFirst = [...folders].sort((a, b) => b.length - a.length);
  for (const path of deepestFirst)
    await withFolder(workspace, dirname(join(workspace.folder, path)), path, (through) =>
      rmdir(join(through, basename(path))),
    ).catch((error: unknown) => throwFileError(error, path));
}

async function freePlace(workspace: Workspace, tree: Tree, asked: string): Promise<string> {
  const to = await placeOf(workspace, asked);
  if (/[/\\]$/.test(asked) && !tree.isFolder)
    throw new TriadError('bad_input', `${asked} is a folder: name the file in it`);
  if (isBelow(to, tree.path)) throw new TriadError('bad_input', `${tree.path} cannot be moved into itself`);
  if (await lstat(join(workspace.folder, to)).catch(() => null))
    throw new TriadError('conflict', `${to} is there already: delete it first, or choose another name`);
  return to;
}

function movedTo(tree: Tree, path: string, to: string): string {
  return to + path.slice(tree.path.length);
}

/** Of a single file it was shown what it holds. */
function refuseOther({ path, entries: [entry] }: Tree, approval: Approval | null): void {
  const subject = approval?.request.subject;
  if (subject?.kind !== 'tool' || !subject.preview || subject.preview.path !== path) return;
  if (entry && stateOf(entry.file)?.hash !== subject.preview.beforeHash) throw changed(path);
}

function changed(path: string): TriadError {
  return new TriadError('conflict', `${path} has changed on disk since: look at it and ask again`);
}
