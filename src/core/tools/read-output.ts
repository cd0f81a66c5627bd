/** The tool that reads the rest of an output that was too long to be handed on whole. */
import { z } from 'zod';
import { MAX_OUTPUT_BYTES, READ_OUTPUT } from './long-output.ts';
import { TextFile } from './reading/encoding.ts';
import { MAX_LINES, readPage, render } from './reading/text-page.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const Input = z.strictObject({
  call: z.string().min(1).max(200).describe('Id of the call, from the note in its output.'),
  offset: z.int().min(1).optional().describe('First line, from 1.'),
  limit: z.int().min(1).max(MAX_LINES).optional().describe('Number of lines. Default: as many as fit.'),
});

export const readOutput = defineTool<z.infer<typeof Input>>({
  ...NO_PERMISSION,
  name: READ_OUTPUT,
  describe: () =>
    `Reads an output of yours that was longer than ${MAX_OUTPUT_BYTES / 1024} KiB and was shortened. A note at the end gives the next offset.`,
  input: Input,
  baseline: true,
  bounds: true,
  order: 'concurrent',
  execute: (input, context) =>
    toToolResult(context, async () => {
      const file = await context.outputs.open(input.call);
      try {
        const first = input.offset ?? 1;
        const [page, { size }] = await Promise.all([
          readPage(new TextFile(file, context.signal, 'utf-8'), first, input.limit ?? MAX_LINES),
          file.stat(),
        ]);
        const { lines, more: truncated } = page;
        return {
          status: 'completed',
          output: render(page, first, size),
          ...(page.before === '' ? {} : { before: page.before }),
          metadata: { call: input.call, from: first, lines, truncated },
        };
      } finally {
        await file.close();
      }
    }),
});
