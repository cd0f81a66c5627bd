/** The tool that reads a note of the workspace by its path, its name or a link to it. */
import { z } from 'zod';
import { matches } from '../../base/pattern.ts';
import { TriadError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { linkedFrom } from './linked-from.ts';
import { sectionNamed, sectionsOf } from './note-sections.ts';
import { READ_ONLY } from '../traits.ts';
import { search, searchFrom, type SearchJob, type SearchResult } from '../search/search.ts';
import { toToolResult } from '../to-tool-result.ts';
import { defineTool, type Tool } from '../tool.ts';
import { fileTargets, openIfThere, openInside, pathTargets, resolveInside, shownPath } from '../../workspace/places.ts';
import { withSessions, type Workspace } from '../../workspace/reach.ts';

const MAX_BYTES = 256 * 1024;
const NOTES = '**/*.{md,markdown}';

const Input = z.strictObject({
  note: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .describe('The path of the note, or its name without folder and ending; also as a link such as [[name]].'),
  section: z.string().trim().min(1).max(1000).optional().describe('Only the section with this heading.'),
});

export function readNoteTool(): Tool {
  return defineTool<z.infer<typeof Input>>({
    ...READ_ONLY,
    name: 'read_note',
    describe: () =>
      `Reads a note of the workspace, or one section of it, at most ${MAX_BYTES / 1024} KiB. Longer ones, and files that are no Markdown, are for read_file.`,
    input: Input,
    like: 'read_file',
    targets: async ({ note }, place) => {
      const workspace = withSessions(place);
      const { found } = await lookFor(workspace, note, (job) =>
        search(job, AbortSignal.timeout(LOOK_MS), { ripgrep: null }),
      );
      const each = await Promise.all(found.map((path) => fileTargets(workspace, path)));
      return { values: each.flatMap(({ values }) => values), path: true };
    },
    execute: ({ note, section }, context) =>
      toToolResult(context, async () => {
        const workspace = withSessions(context.workspace);
        const { found, all } = await lookFor(workspace, note, context.search.run);
        const [path, ...others] = found;
        if (path === undefined) {
          const targets = await pathTargets(workspace, '.');
          throw noNote(note, all, await context.search.hidden('read_note', targets));
        }
        if (others.length > 0)
          throw new TriadError('bad_input', `Several notes have the name ${note}: ${[path, ...others].join(', ')}`);
        const text = await textOf(workspace, path);
        const part = section === undefined ? text : sectionNamed(text, section);
        if (part === null) throw noSection(path, section ?? '', text);
        const linked = linkedFrom((await context.reports.noteSessions()).get(path));
        const output = linked === null ? part : `${part.trimEnd()}\n\n[${linked}]`;
        return { status: 'completed', output, metadata: { path, section: section ?? null } };
      }),
  });
}

const LOOK_MS = 20_000;

/** `found`: the note at the path, or else all notes of that name. `all`: every note that was searched, for suggestions. */
async function lookFor(
  workspace: Workspace,
  note: string,
  searching: (job: SearchJob) => Promise<SearchResult>,
): Promise<{ found: string[]; all: readonly string[] }> {
  const wanted = wantedIn(note);
  for (const path of [wanted, `${wanted}.md`]) {
    const canonical = await resolveInside(workspace, path);
    if (/\.(md|markdown)$/i.test(path) && (await isThere(workspace, path)))
      return { found: [shownPath(workspace.folder, canonical)], all: [] };
  }
  const job = {
    kind: 'glob',
    includeIgnored: true,
    pattern: NOTES,
    hidden: [],
    ...(await searchFrom(workspace, undefined, [])),
  } as const;
  const { lines } = await searching(job);
  return { found: lines.filter((path) => nameOf(path) === nameOf(wanted)), all: lines };
}

/** The name in a wiki link, without its heading and its label. */
function wantedIn(note: string): string {
  return note
    .replace(/^\[\[(.*)\]\]$/, '$1')
    .replace(/[#|].*$/, '')
    .trim();
}

/** Suggests the nearest name among the notes that no rule hides. */
function noNote(note: string, all: readonly string[], hidden: readonly string[]): TriadError {
  const shown = all.filter((path) => !hidden.some((pattern) => matches(pattern, path, LOOSELY)));
  const near = nearest(nameOf(wantedIn(note)), shown.map(nameOf));
  const hint = near === null ? 'see list_notes' : `did you mean ${shown.find((path) => nameOf(path) === near)}?`;
  return new TriadError('not_found', `There is no note ${note}: ${hint}`);
}

/** How rules that deny match a path. */
const LOOSELY = { path: true, loose: true };

async function isThere(workspace: Workspace, path: string): Promise<boolean> {
  const file = await openIfThere(workspace, path);
  await file?.handle.close();
  return file !== null;
}

async function textOf(workspace: Workspace, path: string): Promise<string> {
  const { handle, stats } = await openInside(workspace, path);
  try {
    if (stats.size > MAX_BYTES)
      throw new TriadError('limit_reached', `${path} has ${stats.size} bytes: read it page by page with read_file`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function nameOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.(md|markdown)$/i, '')
    .toLowerCase();
}

function noSection(path: string, section: string, text: string): TriadError {
  const headings = sectionsOf(text).flatMap(({ heading }) => (heading === '' ? [] : [heading]));
  return new TriadError('not_found', `${path} has no section "${section}". It has: ${headings.join(', ') || 'none'}`);
}
