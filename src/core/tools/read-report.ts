/** The lead's tool for the rest of a long report: of its own sub-agents, and of earlier ones in the same folder. */
import { z } from 'zod';
import { MAX_REPORT_BYTES } from '#contract/limits.ts';
import { TriadError } from '../base/errors.ts';
import { cutAtBytes } from '../base/text.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool } from './tool.ts';
import { NO_PERMISSION } from './traits.ts';

const NAME = 'read_report';

const Input = z.strictObject({
  run_id: z
    .string()
    .min(1)
    .max(200)
    .describe('The id of the sub-agent, as its result (child_id) or a search names it.'),
  offset: z
    .int()
    .nonnegative()
    .optional()
    .describe('Where to begin, in characters from 0, as the end of the part before says. Default: the beginning.'),
});

export const readReport = defineTool<z.infer<typeof Input>>({
  ...NO_PERMISSION,
  name: NAME,
  describe: () =>
    `Reads a report of a sub-agent of yours that was too long to be handed over whole, or of an earlier one in this folder, at most ${MAX_REPORT_BYTES / 1024} KiB at a time.`,
  input: Input,
  // Who is told to read on here can do so, whatever tools it was given.
  baseline: true,
  primaryOnly: true,
  bounds: true,
  order: 'concurrent',
  execute: ({ run_id: runId, offset = 0 }, context) =>
    toToolResult(context, async () => {
      const text = await context.reports.read(runId);
      if (text === null)
        throw new TriadError('not_found', `There is no report of ${runId} that you can read: name the child_id of one`);
      if (text === '') throw new TriadError('not_found', `The sub-agent ${runId} has written no report`);
      if (offset >= text.length)
        throw new TriadError('bad_input', `The report of ${runId} has ${text.length} characters: begin before that`);
      return { status: 'completed', output: reportPage(text, runId, offset), metadata: { runId, offset } };
    }),
});

/** A report from the offset on, in code units, as much as is handed over at once (`most`: in bytes); where more follows, it says how to read on. */
export function reportPage(text: string, runId: string, offset = 0, most = MAX_REPORT_BYTES): string {
  const rest = text.slice(offset).toWellFormed();
  const page = cutAtBytes(rest, most);
  if (page.length === rest.length) return page;
  const end = offset + page.length;
  return `${page}\n\n[Cut off here, after ${end} of ${text.length} characters. Read on with ${NAME}: run_id "${runId}", offset ${end}]`;
}
