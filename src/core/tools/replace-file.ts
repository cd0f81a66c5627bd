/** What the tools have in common that change a file: a person sees the difference first, and what was approved is written, or nothing. */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Approval } from '#contract/approval.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { temporaryName, writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash, sha256 } from '../base/hash.ts';
import { findPlaceholders } from '../base/redact.ts';
import { isEditable, isSameText, shownInEditor, writeInEditor } from '../workspace/lent/editor.ts';
import type { Lender } from '../workspace/lent/lenders.ts';
import { previewWrite, type WritePreview } from '../workspace/preview.ts';
import { isUnchanged, stampOf } from '../workspace/stamp.ts';
import { asked } from './asked.ts';
import { toToolResult } from './to-tool-result.ts';
import {
  defineTool,
  type Question,
  type QuestionContext,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts';
import {
  fileTargets,
  throwFileError,
  makeFolder,
  openIfThere,
  refuseSecret,
  resolveInside,
  shownPath,
  withFolder,
} from '../workspace/places.ts';

/** A larger file is not replaced: nobody could have looked at what is lost. */
const MAX_REPLACED_BYTES = 8 * 1024 * 1024;

/** A call that gives a file new content. */
export interface Replacement<Input extends { path: string }> {
  tool: string;
  input: Input;
  /** As in "Write a.txt", and as in "Wrote a.txt: 1 line added". */
  verb: readonly [ask: 'write' | 'edit', done: string];
  /** From the bytes that are there, or null where nothing is. Throws a TriadError where it cannot be made from them. */
  content: (before: Buffer | null) => Content;
}

interface Content {
  text: string;
  /** What the model is told behind the numbers of lines. */
  note?: string;
  /** Beside that of every such call. */
  metadata?: Record<string, unknown>;
}

interface Target {
  /** Canonical. */
  path: string;
  /** As people see it. */
  shown: string;
  before: Buffer | null;
  /** Permissions only: with the rights of its owner, or of its group, nothing new is to run. */
  mode: number | undefined;
  /** An editor could have it. */
  editable: boolean;
}

type Own<Input> = Pick<Tool<Input>, 'name' | 'describe' | 'input' | 'like' | 'knownAs' | 'single' | 'sample'>;

/** A tool that changes one file: its own words and names, and what it makes of a call. */
export function replacingTool<Input extends { path: string }>(
  own: Own<Input>,
  replacementOf: (input: Input) => Replacement<Input>,
): Tool {
  return defineTool<Input>({
    ...own,
    permissions: ['FilesystemWrite'],
    baseline: false,
    primaryOnly: false,
    order: 'serial',
    recovery: 'unknown',
    targets: (input, workspace) => fileTargets(workspace, input.path),
    question: (input, context) => askToReplace(replacementOf(input), context),
    execute: (input, context, approval) =>
      toToolResult(context, () => replaceFile(replacementOf(input), context, approval)),
    clear: (input, context) => clear(input.path, context),
  });
}

/** Throws `conflict` where the file has changed since the run has read it. */
async function askToReplace<Input extends { path: string }>(
  { tool, input, verb, content }: Replacement<Input>,
  context: QuestionContext,
): Promise<Question> {
  const target = await look(input.path, context);
  const { text } = composeContent(target, input, content);
  const { complete, ...shown } = await previewWrite(target.shown, target.before, text);
  const preview = { ...shown, ...(complete ? {} : { whole: false as const }) };
  const idle = isThere(target, text) ? thereWords(target) : undefined;
  const [path, folder] = [target.shown, context.workspace.folder];
  const change = complete ? ` (+${preview.added} −${preview.removed})` : '';
  const effect = preview.created
    ? phrase('makes_file', { path, folder })
    : phrase('replaces_content', { path, folder });
  return {
    ...asked(phrase(verb[0], { path, change }), [idle === undefined ? effect : isThereAlready(target)]),
    subject: {
      kind: 'tool',
      tool,
      input,
      folder,
      preview,
      hash: canonicalHash({ tool, input }),
    },
    // Nothing is lost where nothing was.
    risk: preview.created || idle !== undefined ? 'low' : 'medium',
    // What it replaces is kept, and can be put back.
    reversible: true,
    ...(idle === undefined ? {} : { idle }),
  };
}

/** Returns the new content. Throws `bad_input` for a placeholder of a key that the file does not contain. */
function composeContent<Input extends { path: string }>(
  { shown, before }: Target,
  input: Input,
  content: Replacement<Input>['content'],
): Content {
  const oldText = before?.toString('utf8') ?? '';
  const isNew = (placeholder: string, text: string): boolean =>
    text.split(placeholder).length > oldText.split(placeholder).length;
  const refuse = (placeholder: string): never => {
    throw new TriadError(
      'bad_input',
      `"${placeholder}" is a placeholder for a key, not text of ${shown}. Nothing was written. Leave the line with the key out of the edit, or read the file that has it with "unredacted": true`,
    );
  };
  for (const placeholder of findPlaceholders(JSON.stringify(input)))
    if (!oldText.includes(placeholder)) refuse(placeholder);
  const newContent = content(before);
  for (const placeholder of findPlaceholders(newContent.text))
    if (isNew(placeholder, newContent.text)) refuse(placeholder);
  return newContent;
}

/** Whether the file has exactly this content already. */
function isThere({ before }: Target, text: string): boolean {
  return before !== null && before.equals(Buffer.from(text));
}

const isThereAlready = ({ shown }: Target) => phrase('is_there', { path: shown });

function thereWords(target: Target): string {
  return sentenceOf(isThereAlready(target));
}

/** Throws like `askToReplace`, and `conflict` where the file is not what was approved. */
async function replaceFile<Input extends { path: string }>(
  { tool, input, verb, content }: Replacement<Input>,
  context: ToolContext,
  approval: Approval | null,
): Promise<ToolResult> {
  const target = await look(input.path, context);
  const { text, note = '', metadata } = composeContent(target, input, content);
  const preview = await previewWrite(target.shown, target.before, text);
  holdToApproval(tool, preview, approval);
  const { path, added, removed, created, diff } = preview;
  // Nothing to keep, nothing to undo.
  if (isThere(target, text))
    return {
      status: 'completed',
      output: thereWords(target),
      metadata: { path, added, removed, created, diff, stamp: stampOf(Buffer.from(text)), ...metadata },
    };
  const isSaved = await context.files.alone(() => put(target, Buffer.from(text), input.path, context));
  return {
    status: 'completed',
    output: `${created ? 'Made' : verb[1]} ${path}: ${lines(preview, text)}.${isSaved ? '' : UNSAVED}${note}`,
    metadata: {
      path,
      added,
      removed,
      created,
      diff,
      undoable: true,
      stamp: stampOf(Buffer.from(text)),
      ...metadata,
      ...(isSaved ? {} : { unsaved: true }),
    },
  };
}

/** An editor may keep what it is given. */
const UNSAVED = ' It stands in the editor and is not saved: commands and searches do not see it yet.';

/**
 * Writes what is meant for the file as it was looked at: where it is not that any more, nothing is written. Resolves with
 * whether it is on the disk.
 */
async function put(target: Target, after: Buffer, asked: string, context: ToolContext): Promise<boolean> {
  const { shown, before, mode } = target;
  const unchanged = async () => {
    context.signal.throwIfAborted();
    const now = await look(asked, context);
    if (now.path !== target.path || hashOf(now.before) !== hashOf(before)) throw changed(shown);
  };
  const file = (bytes: Buffer) => ({ kind: 'file' as const, bytes, mode: mode ?? 0o666 & ~process.umask() });
  const ready = async () => {
    await context.files.keep([{ path: shown, before: before && file(before), after: file(after) }]);
    await unchanged();
  };
  const parent = dirname(target.path);
  await makeFolder(context.workspace, parent, asked);
  const editor = target.editable && isEditable(after) ? context.files.lent('write') : null;
  if (editor !== null) return putInEditor(editor, { target, after, ready }, asked, context);
  await withFolder(context.workspace, parent, asked, (through) =>
    writeAtomically(join(through, basename(target.path)), after, {
      mode,
      temporary: temporaryOf(target.path, context),
      before: ready,
    }).catch((error: unknown) => throwFileError(error, asked)),
  );
  return true;
}

/** `ready`: keeps what was there, and throws where that is not there any more. */
async function putInEditor(
  editor: Lender,
  { target, after, ready }: { target: Target; after: Buffer; ready: () => Promise<void> },
  asked: string,
  { workspace }: ToolContext,
): Promise<boolean> {
  await ready();
  await writeInEditor(editor, target.path, after);
  const file = await openIfThere(workspace, asked);
  try {
    return file !== null && isSameText(await file.handle.readFile(), after);
  } finally {
    await file?.handle.close();
  }
}

/** One name for each call, so that it can be found after a kill, and nothing else be taken for it. */
function temporaryOf(canonical: string, { call: { runId, toolCallId } }: ToolContext): string {
  return temporaryName(canonical, sha256(`${runId} ${toolCallId}`).slice(0, 12));
}

/** Removes the new content that was never put in its place. Where the path leads elsewhere by now, nothing is touched. */
async function clear(path: string, context: ToolContext): Promise<void> {
  try {
    const canonical = await resolveInside(context.workspace, path);
    await withFolder(context.workspace, dirname(canonical), path, (through) =>
      rm(join(through, temporaryOf(canonical, context)), { force: true }),
    );
  } catch (error) {
    if (!(error instanceof TriadError)) throw error;
  }
}

/**
 * Resolves the path and reads what is there now. Throws `not_allowed` or `bad_input` where it may not or cannot be
 * written, and `conflict` where it is not what the run has read.
 */
async function look(path: string, context: QuestionContext): Promise<Target> {
  const { workspace } = context;
  const canonical = await resolveInside(workspace, path);
  refuseSecret(workspace, path, canonical);
  const shown = shownPath(workspace.folder, canonical);
  if (shown === '.' || /[/\\]$/.test(path)) throw new TriadError('bad_input', `${path} is a folder, not a file`);
  const file = await openIfThere(workspace, path);
  if (file === null) return { path: canonical, shown, before: null, mode: undefined, editable: true };
  try {
    if (file.stats.size > MAX_REPLACED_BYTES) {
      throw new TriadError('bad_input', `${path} is too large to be replaced (${file.stats.size} bytes)`);
    }
    const stats = await file.handle.stat({ bigint: true });
    const disk = await file.handle.readFile({ signal: context.signal });
    const before = await shownInEditor(context.files.lent, { path: file.path, disk }, context.signal);
    const seen = context.files.seen(shown);
    // What the system says of a file says nothing of what is not saved.
    if (seen !== null && !isUnchanged(seen, before, before === disk ? stats : null))
      throw conflict(`${shown} has changed since you read it: read it again`);
    return { path: file.path, shown, before, mode: file.stats.mode & 0o777, editable: isEditable(disk) };
  } finally {
    await file.handle.close();
  }
}

/** Throws `conflict` unless the file still has the content that the approved diff began with. An edited path may only make a new file. */
function holdToApproval(tool: string, now: WritePreview, approval: Approval | null): void {
  const subject = approval?.request.subject;
  if (!approval || subject?.kind !== 'tool' || !subject.preview) return;
  const { path, beforeHash } = subject.preview;
  if (path === now.path) {
    if (beforeHash !== undefined && beforeHash !== now.beforeHash) throw changed(path);
    return;
  }
  if (approval.decisions[0]?.outcome !== 'edited') throw changed(path);
  if (!now.created)
    throw conflict(`${now.path} exists and its change was not shown: call ${tool} with this path to ask for it`);
}

function changed(path: string): TriadError {
  return conflict(`${path} has changed on disk since the change was approved: read it and ask again`);
}

function conflict(message: string): TriadError {
  return new TriadError('conflict', message);
}

function hashOf(before: Buffer | null): string | null {
  return before === null ? null : sha256(before);
}

function lines({ complete, added, removed }: WritePreview, content: string): string {
  if (!complete) return `${Buffer.byteLength(content)} bytes`;
  return `${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`;
}
