/** What went between an agent and its coagent, told from the entries of the agent's run. Pure. */
import type { Entry, HandoffEntry, UserEntry } from '#contract/message.ts';

/** A file that a run changed: lines added and removed, null where nobody counted them. */
export interface ChangedFile {
  path: string;
  added: number | null;
  removed: number | null;
}

export interface Handoff {
  entry: HandoffEntry;
  /** The words that the agent got with it; null where it got none. */
  said: UserEntry | null;
  /** Those that the agent itself changed since the last one: what is handed over. */
  files: ChangedFile[];
}

/** Each handoff by the number of its entry. */
export function handoffsOf(entries: readonly Entry[]): Map<number, Handoff> {
  const found = new Map<number, Handoff>();
  let since = 0;
  entries.forEach((entry, index) => {
    if (entry.kind !== 'handoff') return;
    const next = entries[index + 1];
    const said = next?.kind === 'user' && isFrom(next, entry) ? next : null;
    found.set(entry.n, { entry, said, files: filesChanged(entries.slice(since, index)) });
    since = index;
  });
  return found;
}

/** Whether these are the words that go with it: they stand in its line, and nowhere else. */
function isFrom({ source }: UserEntry, { back, runId }: HandoffEntry): boolean {
  return back ? source === 'coagent' : runId === null && source === 'engine';
}

/** The files that were changed, by path, with all of the changes together. */
export function filesChanged(entries: readonly Entry[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const entry of entries) {
    if (entry.kind !== 'tool' || entry.metadata['undoable'] !== true) continue;
    const { path, also, added, removed } = entry.metadata;
    if (typeof path === 'string') put(files, { path, added: numberIn(added), removed: numberIn(removed) });
    for (const other of Array.isArray(also) ? also : [])
      if (typeof other === 'string') put(files, { path: other, added: null, removed: null });
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** All lines of some files; null where those of one are not known. */
export function linesOf(files: readonly ChangedFile[]): { added: number; removed: number } | null {
  return files.reduce<{ added: number; removed: number } | null>(
    (sum, { added, removed }) =>
      sum === null || added === null || removed === null
        ? null
        : { added: sum.added + added, removed: sum.removed + removed },
    { added: 0, removed: 0 },
  );
}

function put(files: Map<string, ChangedFile>, file: ChangedFile): void {
  const known = files.get(file.path);
  const lines = known ? linesOf([known, file]) : file;
  files.set(file.path, { path: file.path, added: lines?.added ?? null, removed: lines?.removed ?? null });
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
