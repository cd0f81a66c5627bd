/** The tool that lists the workspace's notes: its Markdown files, each with its title. */
import type { z } from 'zod';
import { linkedFrom } from './linked-from.ts';
import { FolderInput, READ_ONLY } from '../traits.ts';
import { MAX_FILES, searchFrom } from '../search/search.ts';
import { toToolResult } from '../to-tool-result.ts';
import { defineTool, type Tool } from '../tool.ts';
import { pathTargets } from '../../workspace/places.ts';

/** What stands behind the path of a note in a line. */
const NOTE_END = ' — ';

export function listNotesTool(): Tool {
  return defineTool<z.infer<typeof FolderInput>>({
    ...READ_ONLY,
    name: 'list_notes',
    describe: () =>
      `Lists the notes of the workspace, which are its Markdown files, as "path — title", sorted by path, at most ${MAX_FILES}. ` +
      'Folders that begin with a dot, node_modules, and what git ignores are passed over.',
    input: FolderInput,
    targets: (input, workspace) => pathTargets(workspace, input.path ?? '.'),
    execute: ({ path }, context) =>
      toToolResult(context, async () => {
        const { workspace } = context;
        const where = await searchFrom(workspace, path, []);
        const hidden = await context.search.hidden('list_notes', await pathTargets(workspace, path ?? '.'));
        const [found, sessions] = await Promise.all([
          context.search.run({ kind: 'notes', includeIgnored: false, hidden, ...where }),
          context.reports.noteSessions(),
        ]);
        const lines = found.lines.map((line) => {
          const linked = linkedFrom(sessions.get(line.slice(0, line.indexOf(NOTE_END))));
          return linked === null ? line : `${line} (${linked})`;
        });
        const note = found.more ? `\n[The first ${MAX_FILES} notes; there are more: name a folder.]` : '';
        return {
          status: 'completed',
          output: lines.length === 0 ? '[There are no notes.]' : lines.join('\n') + note,
          metadata: { notes: lines.length, truncated: found.more },
        };
      }),
  });
}
