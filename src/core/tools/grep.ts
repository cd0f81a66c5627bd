/** The tool that finds lines in files of the workspace by a regular expression. */
import { z } from 'zod';
import { INCLUDE_IGNORED, READ_ONLY } from './traits.ts';
import { IGNORED, MAX_LINE_CHARS, MAX_MATCHES, SEARCH_MS, searchFrom } from './search/search.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';
import { pathTargets } from '../workspace/places.ts';

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('A JavaScript regular expression, matched against each line.'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Folder or file, relative to the workspace folder. Default: all.'),
  glob: z.string().min(1).max(1000).optional().describe('Only files that match, such as "*.ts" or "src/**/*.md".'),
  ignore_case: z.boolean().optional().describe('Ignore the case.'),
  include_ignored: INCLUDE_IGNORED,
});

export function grepTool({ timeoutMs = SEARCH_MS }: { timeoutMs?: number } = {}): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    name: 'grep',
    describe: () =>
      `Searches text files of the workspace for lines that match a regular expression. Returns at most ${MAX_MATCHES} lines as path:line:text, sorted by path, each cut at ${MAX_LINE_CHARS} characters. ` +
      'Excludes binary files, files with keys or passwords, .git, node_modules, symbolic links and, unless the path leads into them, files that git ignores.',
    input: Input,
    targets: (input, workspace) => pathTargets(workspace, input.path ?? '.'),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const { workspace } = context;
        const where = await searchFrom(workspace, input.path, input.glob === undefined ? [] : [input.glob]);
        // A bare name pattern means files at any depth, as in other search programs.
        const glob = input.glob === undefined ? '**' : input.glob.includes('/') ? input.glob : `**/${input.glob}`;
        const job = {
          kind: 'grep',
          includeIgnored: input.include_ignored ?? false,
          pattern: input.pattern,
          ignoreCase: input.ignore_case ?? false,
          glob,
          hidden: await context.hidden('grep', await pathTargets(workspace, input.path ?? '.')),
          ...where,
        } as const;
        const found = await context.search(job, timeoutMs);
        const seconds = timeoutMs / 1000;
        const notes = [
          ...(found.timedOut
            ? [`[The search was stopped after ${seconds} s: use a simpler expression or a narrower path.]`]
            : []),
          ...(found.more && !found.timedOut
            ? [`[The first ${MAX_MATCHES} matches; there are more: narrow the search.]`]
            : []),
          ...(found.lines.length === 0 && !found.timedOut
            ? [`[No line matches, in ${found.files} files.${found.passedOver ? ` ${IGNORED}` : ''}]`]
            : []),
        ];
        return {
          status: found.timedOut ? 'error' : 'completed',
          output: [...found.lines, ...notes].join('\n'),
          metadata: { pattern: input.pattern, matches: found.lines.length, truncated: found.more, marks: found.marks },
        };
      }),
  });
}
