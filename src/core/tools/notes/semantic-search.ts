/** The tool that finds what notes of the workspace, and reports that its agent may see, say about something. */
import { z } from 'zod';
import { READ_ONLY } from '../traits.ts';
import { searchFrom } from '../search/search.ts';
import { toToolResult } from '../to-tool-result.ts';
import { defineTool, type Tool } from '../tool.ts';
import { pathTargets } from '../../workspace/places.ts';

const MAX_RESULTS = 20;
const DEFAULT_RESULTS = 8;

const Input = z.strictObject({
  query: z.string().trim().min(1).max(1000).describe('Words to search for.'),
  limit: z.int().min(1).max(MAX_RESULTS).optional().describe(`At most ${MAX_RESULTS}. Default: ${DEFAULT_RESULTS}.`),
});

export function semanticSearchTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    permissions: ['FilesystemRead', 'SemanticSearch'],
    name: 'semantic_search',
    describe: () =>
      'Searches the notes of the workspace (sections of Markdown files) and the reports that you may see, best first. Use grep for exact text and code.',
    input: Input,
    targets: (_, workspace) => pathTargets(workspace, '.'),
    execute: ({ query, limit = DEFAULT_RESULTS }, context) =>
      toToolResult(context, async () => {
        const { workspace } = context;
        const targets = await pathTargets(workspace, '.');
        const where = await searchFrom(workspace, undefined, []);
        const [hidden, reports] = await Promise.all([
          context.search.hidden('semantic_search', targets),
          context.reports.past(),
        ]);
        const job = { kind: 'ranked', includeIgnored: false, query, limit, reports, hidden, ...where } as const;
        const found = await context.search.run(job);
        const looked = `${found.files ?? 0} notes and ${reports.length} reports`;
        const stopped = found.timedOut ? '\n[The search was stopped: there are too many notes.]' : '';
        const notice = found.notice === undefined ? '' : `\n[${found.notice}]`;
        return {
          status: found.timedOut ? 'error' : 'completed',
          output: (found.lines.join('\n') || `[Nothing was found in ${looked}.]`) + stopped + notice,
          metadata: { query, results: found.lines.length, notes: found.files, reports: reports.length },
        };
      }),
  });
}
