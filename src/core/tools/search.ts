/** Searches the workspace on a thread of its own, so that neither a huge tree nor a costly pattern can stop the program. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TriadError } from '../base/errors.ts';
import type { PastReport } from './note-search.ts';
import { resolveInside } from '../workspace/places.ts';
import type { Workspace } from '../workspace/reach.ts';

export const MAX_FILES = 1000;
export const MAX_MATCHES = 500;
export const MAX_LINE_CHARS = 500;
/** After this a search is stopped and what it has found so far is its answer, in milliseconds. */
export const SEARCH_MS = 20_000;
const MEMORY_MB = 256;

export type SearchJob = {
  workspace: Workspace;
  /** Canonical path of the folder (or, for grep, the file) to search. */
  start: string;
  /** Patterns of paths, relative to the workspace, that are passed over. */
  hidden: readonly string[];
} & (
  | {
      kind: 'glob';
      pattern: string;
      /** Keeps only the paths that this pattern of a rule matches. */
      only?: string;
    }
  | {
      kind: 'grep';
      pattern: string;
      ignoreCase: boolean;
      /** Which files, relative to `start`. */ glob: string;
    }
  | { kind: 'notes' }
  | { kind: 'ranked'; query: string; limit: number; reports: readonly PastReport[] }
);

/** Where in a line the match stands: `[start, end)` in UTF-16 code units. */
export type Mark = [start: number, end: number];

/** What the thread sends: lines while it works, and one end. `marks`: one for each line, of `grep` alone. */
export type SearchMessage =
  | { type: 'lines'; lines: string[]; marks?: Mark[] }
  | { type: 'end'; more: boolean; files: number }
  | { type: 'failure'; message: string };

export interface SearchResult {
  lines: string[];
  marks: Mark[];
  /** Whether there is more than was returned. */
  more: boolean;
  timedOut: boolean;
  /** Files looked into; null where the search did not come to its end. */
  files: number | null;
}

/** Checks where to search and that patterns stay inside. */
export async function searchFrom(
  workspace: Workspace,
  path: string | undefined,
  patterns: readonly string[],
): Promise<{ workspace: Workspace; start: string }> {
  for (const pattern of patterns) {
    if (/(^|[/\\{,(|])\.\.($|[/\\},)|])/.test(pattern) || pattern.startsWith('/')) {
      throw new TriadError(
        'not_allowed',
        `${pattern}: a pattern is relative to the folder that is searched and cannot lead out of it`,
      );
    }
  }
  return { workspace, start: await resolveInside(workspace, path ?? '.') };
}

export async function search(
  job: SearchJob,
  signal: AbortSignal,
  timeoutMs: number = SEARCH_MS,
): Promise<SearchResult> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./search-worker.ts', import.meta.url), {
    workerData: job,
    env: compiled(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<SearchResult>();
  const lines: string[] = [];
  const marks: Mark[] = [];
  const timer = setTimeout(() => resolve({ lines, marks, more: true, timedOut: true, files: null }), timeoutMs);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  worker.on('message', (message: SearchMessage) => {
    if (message.type === 'lines') {
      lines.push(...message.lines);
      marks.push(...(message.marks ?? []));
    } else if (message.type === 'end')
      resolve({ lines, marks, more: message.more, timedOut: false, files: message.files });
    else reject(new TriadError('bad_input', message.message));
  });
  worker.on('error', (error: Error & { code?: string }) => {
    const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(
      tooMuch ? new TriadError('limit_reached', 'The search needs too much memory: narrow its path or pattern') : error,
    );
  });
  worker.on('exit', (code) => reject(new TriadError('internal', `The search ended unexpectedly (${code})`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** A thread does not share what its process has compiled unless it is told where that is kept: then it starts in half the time. */
function compiled(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  // Its last part is Node's own: one for each version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
