/** The tool that writes a whole text file in the workspace, after a person saw the difference. */
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Approval } from '#contract/approval.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash, sha256 } from '../base/hash.ts';
import { previewWrite, type WritePreview } from '../workspace/preview.ts';
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
  throwFileError,
  fileTargets,
  makeFolder,
  openIfThere,
  refuseSecret,
  resolveInside,
  shownPath,
  withFolder,
} from '../workspace/places.ts';

const NAME = 'write_file';
const MAX_CHARS = 4_000_000;
/** A larger file is not replaced: nobody could have looked at what is lost. */
const MAX_REPLACED_BYTES = 8 * 1024 * 1024;

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace folder. Missing folders are made.'),
  content: z.string().max(MAX_CHARS).describe('The whole new content of the file, exactly as it is to be written.'),
});
type Input = z.infer<typeof Input>;

export function writeFileTool(): Tool {
  return defineTool<Input>({
    name: NAME,
    describe: () =>
      'Writes a text file of the workspace: makes it, or replaces all of its content. A person is shown the difference and must agree. ' +
      'Read an existing file first and give its complete new content. Returns the numbers of added and removed lines. ' +
      'Files that hold keys or passwords are refused.',
    input: Input,
    permissions: ['FilesystemWrite'],
    baseline: false,
    primaryOnly: false,
    order: 'serial',
    recovery: 'unknown',
    targets: (input, workspace) => fileTargets(workspace, input.path),
    question: (input, context) => ask(input, context),
    execute: (input, context, approval) => toToolResult(context, () => write(input, context, approval)),
  });
}

interface Target {
  /** Canonical. */
  path: string;
  /** As people see it. */
  shown: string;
  before: Buffer | null;
  /** Permissions only: with the rights of its owner, or of its group, nothing new is to run. */
  mode: number | undefined;
}

async function ask(input: Input, context: QuestionContext): Promise<Question> {
  const target = await look(input.path, context);
  const { complete, ...shown } = await previewWrite(target.shown, target.before, input.content);
  const preview = { ...shown, ...(complete ? {} : { whole: false as const }) };
  const what = preview.created ? 'Makes the file' : 'Replaces the content of';
  return {
    title: `Write ${target.shown}${complete ? ` (+${preview.added} −${preview.removed})` : ''}`,
    description: `${what} ${target.shown} in ${context.workspace.folder}`,
    subject: {
      kind: 'tool',
      tool: NAME,
      input,
      folder: context.workspace.folder,
      preview,
      hash: canonicalHash({ tool: NAME, input }),
    },
    // Nothing is lost where nothing was.
    risk: preview.created ? 'low' : 'medium',
    // What it replaces is kept, and can be put back.
    reversible: true,
  };
}

async function write(input: Input, context: ToolContext, approval: Approval | null): Promise<ToolResult> {
  const target = await look(input.path, context);
  const preview = await previewWrite(target.shown, target.before, input.content);
  holdToApproval(preview, approval);
  const unchanged = async () => {
    context.signal.throwIfAborted();
    const now = await look(input.path, context);
    if (now.path !== target.path || hashOf(now.before) !== preview.beforeHash) throw changed(target.shown);
  };
  const parent = dirname(target.path);
  await makeFolder(parent, input.path);
  await withFolder(parent, input.path, (through) =>
    writeAtomically(join(through, basename(target.path)), input.content, {
      mode: target.mode,
      before: async () => {
        await context.keep({
          path: target.shown,
          before: target.before,
          after: input.content,
          mode: target.mode ?? null,
        });
        await unchanged();
      },
    }).catch((error: unknown) => throwFileError(error, input.path)),
  );
  return { status: 'completed', output: summary(preview, input.content), metadata: metadata(preview) };
}

/** Resolves the path and reads what is there now. Throws `not_allowed` or `bad_input` where it may not or cannot be written. */
async function look(path: string, context: QuestionContext): Promise<Target> {
  const { workspace } = context;
  const canonical = await resolveInside(workspace, path);
  await refuseSecret(workspace, path, canonical);
  const shown = await shownPath(workspace.folder, canonical);
  if (shown === '.' || /[/\\]$/.test(path)) throw new TriadError('bad_input', `${path} is a folder, not a file`);
  const file = await openIfThere(workspace, path);
  if (file === null) return { path: canonical, shown, before: null, mode: undefined };
  try {
    if (file.stats.size > MAX_REPLACED_BYTES) {
      throw new TriadError('bad_input', `${path} is too large to be replaced (${file.stats.size} bytes)`);
    }
    const before = await file.handle.readFile({ signal: context.signal });
    return { path: file.path, shown, before, mode: file.stats.mode & 0o777 };
  } finally {
    await file.handle.close();
  }
}

/** Throws `conflict` unless the file still has the content that the approved diff began with. An edited path may only make a new file. */
function holdToApproval(now: WritePreview, approval: Approval | null): void {
  const subject = approval?.request.subject;
  if (!approval || subject?.kind !== 'tool' || !subject.preview) return;
  const { path, beforeHash } = subject.preview;
  if (path === now.path) {
    if (beforeHash !== undefined && beforeHash !== now.beforeHash) throw changed(path);
    return;
  }
  if (approval.decisions[0]?.outcome !== 'edited') throw changed(path);
  if (!now.created) {
    throw new TriadError(
      'conflict',
      `${now.path} exists and its change was not shown: call ${NAME} with this path to ask for it`,
    );
  }
}

function changed(path: string): TriadError {
  return new TriadError('conflict', `${path} has changed on disk since the change was approved: read it and ask again`);
}

function hashOf(before: Buffer | null): string | null {
  return before === null ? null : sha256(before);
}

function summary(preview: WritePreview, content: string): string {
  const done = preview.created ? 'Made' : 'Wrote';
  const lines = preview.complete
    ? `${preview.added} ${preview.added === 1 ? 'line' : 'lines'} added, ${preview.removed} removed`
    : `${Buffer.byteLength(content)} bytes`;
  return `${done} ${preview.path}: ${lines}.`;
}

function metadata({ path, added, removed, created, diff }: WritePreview): Record<string, unknown> {
  return { path, added, removed, created, diff, undoable: true };
}
