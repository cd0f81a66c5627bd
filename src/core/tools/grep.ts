/** The tool that finds lines in files of the workspace by a regular expression. */
import { z } from 'zod';
import { INCLUDE_IGNORED, READ_ONLY } from './traits.ts';
import { IGNORED, MAX_LINE_CHARS, MAX_MATCHES, SEARCH_MS, searchFrom } from './search/search.ts';
import { toToolResult } from './to-tool-result.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';
import { openInside, pathTargets } from '../workspace/places.ts';
import { findPlaceholders, redactLines } from '../base/redact.ts';

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
          hidden: await context.search.hidden('grep', await pathTargets(workspace, input.path ?? '.')),
          ...where,
        } as const;
        const found = await context.search.run(job, timeoutMs);
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
          output: [...(await redactKeyLines(found.lines, context)), ...notes].join('\n'),
          metadata: { pattern: input.pattern, matches: found.lines.length, truncated: found.more, marks: found.marks },
        };
      }),
  });
}

/** A match that can be a line of a private key: only the lines around it tell. */
const KEY_LINE = /^(.+?):(\d+):[ \t]*[A-Za-z0-9+/=]{16,}\s*$/;
/** A larger file is not read for this. */
const MAX_BYTES = 1024 * 1024;

/** Replaces the lines that belong to a private key of their file. */
async function redactKeyLines(
  lines: readonly string[],
  context: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<string[]> {
  const files = new Map<string, readonly string[]>();
  const clean: string[] = [];
  for (const line of lines) {
    const [, path, number] = KEY_LINE.exec(line) ?? [];
    if (path !== undefined && !files.has(path)) files.set(path, await readClean(path, context));
    const own = path === undefined ? '' : (files.get(path)?.[Number(number) - 1] ?? '');
    clean.push(findPlaceholders(own).length > 0 ? `${path}:${number}:${own}` : line);
  }
  return clean;
}

/** Lines of a file without keys; none if it is too large or cannot be read any more. */
async function readClean(
  path: string,
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<string[]> {
  const file = await openInside(workspace, path).catch(() => null);
  if (file === null) return [];
  try {
    const { size } = await file.handle.stat();
    if (size > MAX_BYTES) return [];
    return redactLines((await file.handle.readFile({ encoding: 'utf8', signal })).split('\n')).lines;
  } finally {
    await file.handle.close();
  }
}
