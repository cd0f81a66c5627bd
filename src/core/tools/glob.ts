/** The tool that finds files of the workspace by their path. */
import { z } from 'zod';
import { INCLUDE_IGNORED, READ_ONLY } from './traits.ts';
import { IGNORED, MAX_FILES, searchFrom } from './search/search.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool } from './tool.ts';
import { pathTargets } from '../workspace/places.ts';

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('A glob pattern such as "**/*.ts" or "src/{a,b}/*.md".'),
  path: z.string().min(1).max(4096).optional().describe('Folder, relative to the workspace folder. Default: all.'),
  include_ignored: INCLUDE_IGNORED,
});

export function globTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    name: 'glob',
    describe: () =>
      `Finds files by a glob pattern. Returns at most ${MAX_FILES} paths, relative to the workspace folder, sorted. ` +
      'Includes hidden files; excludes .git, node_modules, symbolic links and, unless the path leads into them, files that git ignores.',
    input: Input,
    targets: (input, workspace) => pathTargets(workspace, input.path ?? '.'),
    execute: (input, context) =>
      toToolResult(context, async () => {
        const { workspace } = context;
        const where = await searchFrom(workspace, input.path, [input.pattern]);
        const hidden = await context.search.hidden('glob', await pathTargets(workspace, input.path ?? '.'));
        const found = await context.search.run({
          kind: 'glob',
          pattern: input.pattern,
          includeIgnored: input.include_ignored ?? false,
          hidden,
          ...where,
        });
        const notes = [
          ...(found.timedOut ? ['[The search took too long and was stopped: narrow the path or the pattern.]'] : []),
          ...(found.more && !found.timedOut
            ? [`[The first ${MAX_FILES} of ${found.files} files; narrow the pattern.]`]
            : []),
          ...(found.lines.length === 0 && !found.timedOut
            ? [`[No file matches ${input.pattern}.${found.passedOver ? ` ${IGNORED}` : ''}]`]
            : []),
        ];
        return {
          status: found.timedOut ? 'error' : 'completed',
          output: [...found.lines, ...notes].join('\n'),
          metadata: { pattern: input.pattern, files: found.lines.length, truncated: found.more },
        };
      }),
  });
}
