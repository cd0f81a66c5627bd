/** The tool that reads a text file of the workspace, page by page. */
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import { MAX_BYTES, MAX_LINES, readPage, render } from './text-page.ts';
import { READ_ONLY } from './traits.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';
import { fileTargets, openInside, shownPath } from '../workspace/places.ts';
import { stampOf } from '../workspace/stamp.ts';

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

export function readFileTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    name: 'read_file',
    describe: () =>
      'Reads a text file of the workspace and returns its lines as they are, without numbers. ' +
      `Returns at most ${MAX_LINES} lines and ${MAX_BYTES / 1024} KiB; a note at the end says where to go on with offset. ` +
      'Binary files, and files that hold keys or passwords, are refused.',
    input: Input,
    targets: (input, workspace) => fileTargets(workspace, input.path),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const file = await openInside(context.workspace, input.path);
        try {
          const first = input.offset ?? 1;
          // What changes while it is read is not what was seen.
          const stats = await file.handle.stat({ bigint: true });
          const page = await readPage(file.handle, first, input.limit ?? MAX_LINES, context.signal);
          if (page.binary)
            throw new TriadError('bad_input', `${input.path} is a binary file (${file.stats.size} bytes)`);
          const path = await shownPath(context.workspace.folder, file.path);
          return {
            status: 'completed',
            output: render(page, first, file.stats.size),
            metadata: {
              path,
              from: first,
              lines: page.lines,
              bytes: page.bytes.length,
              truncated: page.more,
              stamp: stampOf(first === 1 && !page.more ? page.bytes : stats),
            },
          };
        } finally {
          await file.handle.close();
        }
      }),
  });
}
