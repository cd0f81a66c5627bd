/** What agents changed, by agent and by file. Pure. */
import type { ChangeRow, ChangeState, ChangeTarget } from '#contract/change.ts';

type RowFile = ChangeRow['files'][number];

/** What one call did to one file. */
export interface Part extends RowFile, Pick<ChangeRow, 'runId' | 'toolCallId' | 'agent' | 'tool' | 'at' | 'folder'> {
  /** The path from which, or to which, the same call moved it. */
  moved: { from: string } | { to: string } | null;
}

/** A file with what was done to it, in order of time. */
export interface ChangedFile {
  key: string;
  path: string;
  folder: string;
  parts: readonly Part[];
}

export interface AgentChanges {
  runId: string;
  agent: string;
  files: readonly ChangedFile[];
  /** Paths that changed, too, and cannot be put back. */
  notKept: readonly string[];
}

export type ChangeKind = 'made' | 'changed' | 'removed' | 'passing';

/** Each run that changed something, by its first change; its files by path. */
export function byAgent(rows: readonly ChangeRow[]): AgentChanges[] {
  return [...Map.groupBy(rows, ({ runId }) => runId)].map(([runId, own]) => ({
    runId,
    agent: own[0]?.agent ?? '',
    files: byFile(own),
    notKept: [...new Set(own.flatMap(({ notKept }) => notKept))],
  }));
}

/** Each file that was changed, by path; one that was moved is where it is. */
export function byFile(rows: readonly ChangeRow[]): ChangedFile[] {
  return filesOf(
    rows.flatMap((row) => partsOf(row).filter(({ path }) => !row.files.some(({ from }) => from === path))),
  );
}

function filesOf(all: readonly Part[]): ChangedFile[] {
  const parts = Map.groupBy(all, ({ folder, path }) => JSON.stringify([folder, path]));
  return [...parts]
    .map(([key, own]) => ({ key, path: own[0]?.path ?? '', folder: own[0]?.folder ?? '', parts: own }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** What was done to a file, by each run that did something to it. */
export function byRun({ parts }: ChangedFile): (readonly Part[])[] {
  return [...Map.groupBy(parts, ({ runId }) => runId).values()];
}

/** What others did to a file since a target first changed it, in order of time, as far as it is not undone. */
export function changedSince(rows: readonly ChangeRow[], target: ChangeTarget, path: string): Part[] {
  const parts = rows.flatMap(partsOf).filter((part) => part.path === path);
  const from = rows.findIndex(({ workflowId }) => workflowId === target.fromWorkflowId);
  const later = new Set(from < 0 ? [] : rows.slice(from).map(({ toolCallId }) => toolCallId));
  const isOwn = ({ runId, toolCallId }: Part): boolean =>
    later.has(toolCallId) || (runId === target.runId && (target.toolCallId ?? toolCallId) === toolCallId);
  const first = parts.findIndex(isOwn);
  if (first < 0) return [];
  return parts.slice(first).filter((part) => !isOwn(part) && part.state !== 'undone');
}

/** What several changes of a file come to. `passing`: it was made, and is gone again. */
export function kindOf(parts: readonly Pick<Part, 'before' | 'after'>[]): ChangeKind {
  const [before, after] = [parts[0]?.before ?? null, parts.at(-1)?.after ?? null];
  if (before === null) return after === null ? 'passing' : 'made';
  return after === null ? 'removed' : 'changed';
}

/** How several changes of a file by one run are now: the first one's being undone says that all of them are. */
export function stateOf(parts: readonly Pick<Part, 'state'>[]): ChangeState {
  const states = parts.map(({ state }) => state);
  if (states.includes('gone')) return 'gone';
  if (states.at(-1) === 'done') return 'done';
  return states[0] === 'undone' ? 'undone' : 'changed';
}

export interface Committable {
  path: string;
  kind: ChangeKind;
  /** It is as an agent left it. */
  asLeft: boolean;
  /** So it is, and so is the other end where it was moved: a commit of one end alone loses the file. */
  chosen: boolean;
}

/** Files of a folder that a commit can take. */
export function committable(rows: readonly ChangeRow[], folder: string): Committable[] {
  const files = filesOf(rows.filter((row) => row.folder === folder).flatMap(partsOf)).filter((file) => {
    const states = byRun(file).map(stateOf);
    return states.some((state) => state === 'done' || state === 'changed') && kindOf(file.parts) !== 'passing';
  });
  const asLeft = new Map(files.map(({ path, parts }) => [path, parts.at(-1)?.state === 'done']));
  return files.map(({ path, parts }) => ({
    path,
    kind: kindOf(parts),
    asLeft: asLeft.get(path) === true,
    chosen: [path, ...otherEnds(parts)].every((one) => asLeft.get(one) !== false),
  }));
}

/** Where a file was moved from and to. */
function otherEnds(parts: readonly Part[]): string[] {
  return parts.flatMap(({ moved }) => (moved === null ? [] : ['from' in moved ? moved.from : moved.to]));
}

function partsOf({ runId, toolCallId, agent, tool, at, folder, files }: ChangeRow): Part[] {
  const removed = files.filter(({ after }) => after === null);
  const made = files.filter(({ before }) => before === null);
  const twins = new Map(
    made.flatMap((file) => {
      const from = removed.find(({ before }) => before?.kind === file.after?.kind && before?.hash === file.after?.hash);
      return from && file.after ? [[file.path, from.path] as const] : [];
    }),
  );
  const targets = new Map([...twins].map(([to, from]) => [from, to]));
  return files.map((file) => {
    const [from, to] = [twins.get(file.path), targets.get(file.path)];
    const moved = from !== undefined ? { from } : to !== undefined ? { to } : null;
    return { ...file, runId, toolCallId, agent, tool, at, folder, moved };
  });
}
