/** The tool that reads a file of the workspace: text, that of PDFs too, page by page, and pictures as they are. */
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Image } from '#contract/message.ts';
import type { Approval } from '#contract/approval.ts';
import { TriadError } from '../../base/errors.ts';
import { type Encoding, TextFile } from './encoding.ts';
import { HEAD_BYTES, imageTypeOf, readImage } from './image.ts';
import { isPdf, pdfText } from './pdf.ts';
import { MAX_BYTES, MAX_LINES, type Page, readPage, render } from './text-page.ts';
import { READ_ONLY } from '../traits.ts';
import { askForKeys, READ_FILE, readWithKeys } from './unredacted.ts';
import { toToolResult } from '../to-tool-result.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { MAX_LENT_BYTES, shownInEditor } from '../../workspace/lent/editor.ts';
import { fileTargets, openInside, shownPath } from '../../workspace/places.ts';
import { stampOf } from '../../workspace/stamp.ts';

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('File, relative to the workspace folder.'),
  offset: z.int().min(1).optional().describe('First line, from 1.'),
  limit: z.int().min(1).max(MAX_LINES).optional().describe('Number of lines. Default: as many as fit.'),
  unredacted: z.boolean().optional().describe('Show keys of a text file instead of placeholders. Requires approval.'),
});
type Input = z.infer<typeof Input>;

export function readFileTool(): Tool {
  return defineTool<Input>({
    ...READ_ONLY,
    name: READ_FILE,
    describe: () =>
      `Reads a file of the workspace. Returns at most ${MAX_LINES} lines and ${MAX_BYTES / 1024} KiB of text, without line numbers; a note at the end gives the next offset. ` +
      'Returns the text of a PDF, and shows images (PNG, JPEG, GIF, WebP). Keys in the text are redacted. Refuses other binary files and files that hold keys or passwords.',
    input: Input,
    targets: (input, workspace) => fileTargets(workspace, input.path),
    question: (input, context) => (input.unredacted ? askForKeys(input, context) : Promise.resolve(null)),
    execute: (input, context, approval) =>
      toToolResult(context, async () => {
        if (input.unredacted) return readUnredacted(input, context, approval);
        const { handle, path: canonical } = await openInside(context.workspace, input.path);
        try {
          const file = { handle, path: shownPath(context.workspace.folder, canonical) };
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
          const head = buffer.subarray(0, bytesRead);
          const mediaType = imageTypeOf(head);
          if (mediaType !== null) return await imageOf(file, mediaType, context);
          if (isPdf(head)) return await pdfOf(file, input, context);
          return (await unsavedOf(file, canonical, input, context)) ?? (await textOf(file, input, context));
        } finally {
          await handle.close();
        }
      }),
  });
}

async function readUnredacted(input: Input, context: ToolContext, approval: Approval | null): Promise<ToolResult> {
  const { path, bytes, encoding, stamp, keys } = await readWithKeys(input, context, approval);
  const { offset: first = 1, limit = MAX_LINES } = input;
  const page = await readPage(Readable.from([bytes]), first, limit);
  const result = resultOf({ path, first, page, size: bytes.length }, { encoding, stamp });
  // Without keys, the person was not asked.
  return keys.length > 0 ? { ...result, isUnredacted: true } : result;
}

interface File {
  handle: FileHandle;
  /** As it is shown. */
  path: string;
}

async function imageOf({ handle, path }: File, type: Image['mediaType'], context: ToolContext): Promise<ToolResult> {
  const { image, bytes } = await readImage(handle, type, path);
  await context.outputs.keepImage(bytes);
  const { mediaType, width, height } = image;
  return {
    status: 'completed',
    output: `[The image ${path}: ${mediaType}, ${width} × ${height} pixels, ${bytes.length} bytes.]`,
    metadata: { path, stamp: stampOf(bytes) },
    image,
  };
}

async function textOf(file: File, input: Input, { signal }: ToolContext): Promise<ToolResult> {
  const text = new TextFile(file.handle, signal);
  const read = await readFrom(text, file, input);
  if (text.isBinary) throw new TriadError('bad_input', `${file.path} is a binary file (${read.stats.size} bytes)`);
  const { encoding } = text;
  const { first, page, stats } = read;
  const isWhole = first === 1 && !page.more && encoding === 'utf-8';
  return resultOf(sized(read), { encoding, stamp: stampOf(isWhole ? page.bytes : stats) });
}

/** What stands unsaved in an editor that is lent, in place of what is on the disk; null where that is the same. */
async function unsavedOf(
  { handle, path }: File,
  canonical: string,
  { offset: first = 1, limit = MAX_LINES }: Input,
  { files, signal }: ToolContext,
): Promise<ToolResult | null> {
  if (files.lent('read') === null) return null;
  const { size } = await handle.stat();
  if (size > MAX_LENT_BYTES) return null;
  const disk = await handle.readFile({ signal });
  const shown = await shownInEditor(files.lent, { path: canonical, disk }, signal);
  if (shown === disk) return null;
  const text = new TextDecoder().decode(shown);
  const page = await readPage(Readable.from([Buffer.from(text)]), first, limit);
  const result = resultOf({ path, first, page, size: shown.length }, { encoding: 'utf-8', stamp: stampOf(shown) });
  return { ...result, metadata: { ...result.metadata, unsaved: true } };
}

async function pdfOf(file: File, input: Input, { signal, search }: ToolContext): Promise<ToolResult> {
  const release = await search.acquireThread();
  try {
    const read = await readFrom(pdfText(file.handle, { path: file.path, signal }), file, input);
    return resultOf(sized(read), { encoding: 'utf-8', stamp: stampOf(read.stats) });
  } finally {
    release();
  }
}

interface Read {
  path: string;
  first: number;
  page: Page;
  stats: BigIntStats;
}

async function readFrom(
  chunks: AsyncIterable<Buffer>,
  { handle, path }: File,
  { offset: first = 1, limit = MAX_LINES }: Input,
): Promise<Read> {
  // What changes while it is read is not what was seen.
  const stats = await handle.stat({ bigint: true });
  return { path, first, page: await readPage(chunks, first, limit), stats };
}

const sized = ({ stats, ...read }: Read) => ({ ...read, size: Number(stats.size) });

function resultOf(
  { path, first, page, size }: Pick<Read, 'path' | 'first' | 'page'> & { size: number },
  { encoding, stamp }: { encoding: Encoding; stamp: string },
): ToolResult {
  return {
    status: 'completed',
    output: render(page, first, size, encoding),
    ...(page.before === '' ? {} : { before: page.before }),
    metadata: {
      path,
      from: first,
      lines: page.lines,
      bytes: page.bytes.length,
      truncated: page.more,
      ...(encoding === 'utf-8' ? {} : { encoding }),
      stamp,
    },
  };
}
