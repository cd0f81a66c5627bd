/** Searches the workspace on a thread of its own, so that neither a huge tree nor a costly pattern can stop the program. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { TriadError } from '../../base/errors.ts';
import { compiled, Threads } from '../threads.ts';
import type { PastReport, Ranked } from '../notes/note-search.ts';
import type { RipgrepTask } from './ripgrep.ts';
import { resolveInside } from '../../workspace/places.ts';
import type { Workspace } from '../../workspace/reach.ts';

export const MAX_FILES = 1000;
export const MAX_MATCHES = 500;
export const MAX_LINE_CHARS = 500;
/** After this a search is stopped and what it has found so far is its answer, in milliseconds. */
export const SEARCH_MS = 20_000;
/** What takes no longer, or has fewer files left, is not worth the start of a program. */
const ASK: Asking = { afterMs: 15, files: 20 };
const MEMORY_MB = 256;

const threads = new Threads(() => new URL('./search-worker.ts', import.meta.url), MEMORY_MB);

export type SearchJob = {
  workspace: Workspace;
  /** Canonical path of the folder (or, for grep, the file) to search. */
  start: string;
  /** Patterns of paths, relative to the workspace, that are passed over. */
  hidden: readonly string[];
  /** Whether files that git ignores are looked at too. */
  includeIgnored: boolean;
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
  | {
      kind: 'names';
      /** Characters that a path has in this order; empty: any. */
      text: string;
      limit: number;
    }
  | RankedJob
);

interface RankedJob {
  kind: 'ranked';
  query: string;
  limit: number;
  reports: readonly PastReport[];
  /** Gives all that was looked into besides (`ranked`), and so many that the words have found. */
  passages?: number;
}

/** Where in a line the match stands: `[start, end)` in UTF-16 code units. */
export type Mark = [start: number, end: number];

/** When ripgrep is asked: after so many milliseconds, where so many files are left. */
export interface Asking {
  afterMs: number;
  files: number;
}

/** What the thread is given: its job, and when it may ask which files have a match; null: never. */
export interface SearchTask {
  job: SearchJob;
  ask: Asking | null;
  /** Takes a `Question`, and gives for each what `filesWithMatch` gives. */
  port: MessagePort;
}

/** What the thread sends: lines while it works, and one end. `marks`: one for each line, of `grep` alone. `asks`: there are questions at its port. */
export type SearchMessage =
  | { type: 'lines'; lines: string[]; marks?: Mark[] }
  | { type: 'asks' }
  | { type: 'ranked'; ranked: Ranked }
  | { type: 'end'; more: boolean; files: number; passedOver: boolean }
  | { type: 'failure'; message: string };

export interface SearchResult {
  lines: string[];
  marks: Mark[];
  /** Whether there is more than was returned. */
  more: boolean;
  timedOut: boolean;
  /** Files looked into; null where the search did not come to its end. */
  files: number | null;
  /** Whether files were passed over because git ignores them. */
  passedOver: boolean;
  /** Of a job that asks for passages. */
  ranked?: Ranked;
  /** What its reader is to know of how it was made, on one line. */
  notice?: string;
}

export interface SearchOptions {
  timeoutMs?: number | undefined;
  /** The absolute path of ripgrep; null searches without. */
  ripgrep: string | null;
  ask?: Asking;
}

/** Said where nothing was found. */
export const IGNORED = 'Files that git ignores were passed over: set include_ignored to search them too.';

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
  { timeoutMs = SEARCH_MS, ripgrep, ask = ASK }: SearchOptions,
): Promise<SearchResult> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const worker = threads.take();
  const { promise, resolve, reject } = Promise.withResolvers<SearchResult>();
  const lines: string[] = [];
  const marks: Mark[] = [];
  const late = { lines, marks, more: true, timedOut: true, files: null, passedOver: false };
  const timer = setTimeout(() => resolve(late), timeoutMs);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  let ranked: Ranked | undefined;
  let isDone = false;
  let end = (): Promise<void> => Promise.resolve();
  const take = (message: SearchMessage): void => {
    if (message.type === 'lines') {
      lines.push(...message.lines);
      marks.push(...(message.marks ?? []));
    } else if (message.type === 'asks' && ripgrep !== null)
      end = answering(port2, { program: ripgrep, folder: job.workspace.folder });
    else if (message.type === 'ranked') ({ ranked } = message);
    else if (message.type === 'end') {
      isDone = true;
      resolve({ ...message, lines, marks, timedOut: false, ...(ranked && { ranked }) });
    } else if (message.type === 'failure') reject(new TriadError('bad_input', message.message));
  };
  const off = listen(worker, take, reject);
  const task: SearchTask = { job, ask: ripgrep === null ? null : ask, port: port1 };
  worker.postMessage(task, [port1]);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    off();
    port2.close();
    if (!isDone) await Promise.all([worker.terminate(), end()]);
    else {
      await end();
      threads.keep(worker);
    }
  }
}

/** `fail`: with what ends the thread. Returns how to listen no more. */
function listen(worker: Worker, take: (message: SearchMessage) => void, fail: (error: Error) => void): () => void {
  const failed = (error: Error & { code?: string }): void => {
    const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    fail(
      tooMuch ? new TriadError('limit_reached', 'The search needs too much memory: narrow its path or pattern') : error,
    );
  };
  const exited = (code: number): void => fail(new TriadError('internal', `The search ended unexpectedly (${code})`));
  worker.on('message', take);
  worker.on('error', failed);
  worker.on('exit', exited);
  return () => void worker.off('message', take).off('error', failed).off('exit', exited);
}

/**
 * Answers the questions of a search. Starting a program holds its thread up, and the thread of a search could be ended
 * before it has ended what it started: so this one is asked to end, and does.
 */
function answering(port: MessagePort, asked: RipgrepTask): () => Promise<void> {
  const thread = new Worker(new URL('./ripgrep-thread.ts', import.meta.url), {
    workerData: { ...asked, port },
    transferList: [port],
    env: compiled(),
    execArgv: [],
  });
  // Where it fails its port closes, which is an answer too.
  thread.on('error', () => {});
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  return () => {
    thread.postMessage('end');
    return ended;
  };
}
