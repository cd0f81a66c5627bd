/** The notes of a session's folder that link to it. */
import type { ConversationRow } from '#contract/view.ts';
import { isNote } from '#domain/call-row.ts';
import type { Engine } from '#core/runs/engine.ts';
import { workspaceOf } from '#core/runs/workspace-of.ts';
import { search, searchFrom } from '#core/tools/search/search.ts';
import { folderNameOf } from './names.ts';

/** By path: those that name its id, or the folder of its Markdown, as its wikilinks and paths do; empty where they cannot be read. */
export async function linkingNotes(
  engine: Pick<Engine, 'own' | 'permissions' | 'workspaces'>,
  conversation: ConversationRow,
  signal: AbortSignal,
): Promise<string[]> {
  const workspace = await workspaceOf(engine, conversation.folder, false);
  const job = {
    kind: 'grep',
    pattern: `${folderNameOf(conversation)}|${conversation.id}`,
    ignoreCase: true,
    glob: '**/*.{md,markdown}',
    includeIgnored: false,
    hidden: [],
  } as const;
  // A session is shown also where its folder has gone, or cannot be looked through.
  const lines = await searchFrom(workspace, undefined, [])
    .then(async (where) => (await search({ ...job, ...where }, signal, { ripgrep: null })).lines)
    .catch(() => []);
  return [...new Set(lines.map((line) => line.replace(/:\d+:.*$/s, '')).filter(isNote))].sort();
}
