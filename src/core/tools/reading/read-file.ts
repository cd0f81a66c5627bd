/** The tool that reads a file of the workspace: text page by page, and pictures as they are. */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { TriadError } from '../../base/errors.ts';
import { HEAD_BYTES, imageTypeOf, readImage } from './image.ts';
import { MAX_BYTES, MAX_LINES, readPage, render } from './text-page.ts';
import { READ_ONLY } from '../traits.ts';
import { toToolResult } from '../to-tool-result.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { fileTargets, openInside, shownPath } from '../../workspace/places.ts';
import { stampOf } from '../../workspace/stamp.ts';

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe('The file, relative to the workspace folder.'),
  offset: z.int().min(1).optional().describe('First line to return, counted from 1. Default: 1.'),
  limit: z
    .int()
    .min(1)
    .max(MAX_LINES)
    .optional()
    .describe(`How many lines to return. Default: as many as fit, at most ${MAX_LINES}.`),
});
type Input = z.infer<typeof Input>;

export function readFileTool(): Tool {
  return defineTool<Input>({
    ...READ_ONLY,
    name: 'read_file',
    describe: () =>
      'Reads a file of the workspace. Of a text it returns the lines as they are, without numbers: ' +
      `at most ${MAX_LINES} lines and ${MAX_BYTES / 1024} KiB; a note at the end says where to go on with offset. ` +
      'Text may be in UTF-8, UTF-16 or Windows-1252. Images (PNG, JPEG, GIF, WebP) are shown to you. ' +
      'Other binary files, and files that hold keys or passwords, are refused.',
    input: Input,
    targets: (input, workspace) => fileTargets(workspace, input.path),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const file = await openInside(context.workspace, input.path);
        try {
          const path = await shownPath(context.workspace.folder, file.path);
          const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
          const mediaType = imageTypeOf(buffer.subarray(0, bytesRead));
          if (mediaType === null) return await textOf(file.handle, { ...input, path }, context);
          const { image, bytes } = await readImage(file.handle, mediaType, path);
          await context.keepImage(bytes);
          const { width, height } = image;
          return {
            status: 'completed',
            output: `[The image ${path}: ${mediaType}, ${width} × ${height} pixels, ${bytes.length} bytes.]`,
            metadata: { path, stamp: stampOf(bytes) },
            image,
          };
        } finally {
          await file.handle.close();
        }
      }),
  });
}

async function textOf(
  handle: FileHandle,
  { path, offset, limit }: Input,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const first = offset ?? 1;
  // What changes while it is read is not what was seen.
  const stats = await handle.stat({ bigint: true });
  const page = await readPage(handle, { first, limit: limit ?? MAX_LINES, signal });
  if (page.binary) throw new TriadError('bad_input', `${path} is a binary file (${stats.size} bytes)`);
  const { encoding } = page;
  const isWhole = first === 1 && !page.more && encoding === 'utf-8';
  return {
    status: 'completed',
    output: render(page, first, Number(stats.size)),
    metadata: {
      path,
      from: first,
      lines: page.lines,
      bytes: page.bytes.length,
      truncated: page.more,
      ...(encoding === 'utf-8' ? {} : { encoding }),
      stamp: stampOf(isWhole ? page.bytes : stats),
    },
  };
}
