/** The thread of searches, one after the other: lists files that match a pattern, or lines of files that match a regular expression. */
import { type FileHandle, stat } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { matches } from '../../base/pattern.ts';
import { TriadError } from '../../base/errors.ts';
import { protectedFiles } from '../../workspace/hard-links.ts';
import type { Note } from '../notes/note-search.ts';
import { titleOfNote } from '../notes/note-sections.ts';
import { filesOf, type FoundFiles, isHidden, shown } from './search-files.ts';
import { compile, type Hit, LineSearch } from './search-lines.ts';
import { MAX_FILES, MAX_MATCHES, type SearchJob, type SearchMessage, type SearchTask } from './search.ts';
import { openInside } from '../../workspace/places.ts';
import { namesIn } from './search-names.ts';
import { sifted } from './sifted.ts';
import type { Workspace } from '../../workspace/reach.ts';

/** Notes read at a time: more would fill the few file system threads that the whole program shares. */
const AT_A_TIME = 16;

const NOTES = '**/*.{md,markdown}';
/** Of a longer note only the beginning is looked at, in bytes. */
const MAX_NOTE = 512 * 1024;
/** Most notes that are ranked. */
const MAX_NOTES = 5000;

/** How rules that allow match a path. */
const EXACTLY = { path: true, loose: false };

/** Looked for once in a search, where the first file with several names is opened. */
let protectedOnes: ReturnType<typeof protectedFiles> | undefined;
const protect: typeof protectedFiles = (workspace) => (protectedOnes ??= protectedFiles(workspace));

parentPort?.on('message', (task: SearchTask) => void main(task));

async function main({ job, ...asking }: SearchTask): Promise<void> {
  protectedOnes = undefined;
  try {
    await work(job, asking);
  } catch (error) {
    send({ type: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
}

async function work(job: SearchJob, asking: Omit<SearchTask, 'job'>): Promise<void> {
  switch (job.kind) {
    case 'glob':
      return listFiles(job);
    case 'grep':
      return searchFiles(job, asking);
    case 'notes':
      return listNotes(job);
    case 'names':
      return listNames(job);
    case 'ranked':
      return rankNotes(job);
  }
}

function send(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

function listFiles(job: SearchJob & { kind: 'glob' }): void {
  const { only } = job;
  const { paths: found, passedOver } = filesOf(job, job.pattern);
  const paths = only === undefined ? found : found.filter((path) => matches(only, path, EXACTLY));
  send({ type: 'lines', lines: paths.slice(0, MAX_FILES) });
  send({ type: 'end', more: paths.length > MAX_FILES, files: paths.length, passedOver });
}

function listNames(job: SearchJob & { kind: 'names' }): void {
  const { paths, more } = namesIn(job);
  send({ type: 'lines', lines: paths });
  send({ type: 'end', more, files: paths.length, passedOver: false });
}

async function searchFiles(job: SearchJob & { kind: 'grep' }, asking: Omit<SearchTask, 'job'>): Promise<void> {
  const { workspace } = job;
  const expression = compile(job.pattern, job.ignoreCase);
  if ((await stat(job.start)).isFile()) return searchFile(job, expression);
  const { paths, passedOver } = filesOf(job, job.glob);
  const search = new LineSearch(workspace, expression, protect);
  let count = 0;
  for await (const path of sifted(paths, expression, {
    ...asking,
    mayRead: (path) => search.mayRead(path),
    begin: () => send({ type: 'asks' }),
  })) {
    // One more than may be shown tells whether there is more.
    const hits = await search.find(path, MAX_MATCHES + 1 - count);
    if (hits.length > 0) sendHits(hits.slice(0, MAX_MATCHES - count));
    count += hits.length;
    if (count > MAX_MATCHES) break;
  }
  search.close();
  send({ type: 'end', more: count > MAX_MATCHES, files: paths.length, passedOver });
}

function sendHits(hits: readonly Hit[]): void {
  send({ type: 'lines', lines: hits.map(({ line }) => line), marks: hits.map(({ mark }) => mark) });
}

/** One that was asked for by name. */
async function searchFile(job: SearchJob & { kind: 'grep' }, expression: RegExp): Promise<void> {
  const path = shown(job, job.start);
  const search = new LineSearch(job.workspace, expression, protect);
  const hits = isHidden(job, path) ? [] : await search.findIn(path, MAX_MATCHES + 1);
  sendHits(hits.slice(0, MAX_MATCHES));
  send({ type: 'end', more: hits.length > MAX_MATCHES, files: isHidden(job, path) ? 0 : 1, passedOver: false });
}

/** As paths, without what lies in folders that begin with a dot. */
function notesIn(job: SearchJob): FoundFiles {
  const { paths, passedOver } = filesOf(job, NOTES);
  return { paths: paths.filter((path) => !/(^|\/)\./.test(path)), passedOver };
}

async function listNotes(job: SearchJob): Promise<void> {
  const { paths, passedOver } = notesIn(job);
  const notes = await readNotes(job.workspace, paths.slice(0, MAX_FILES));
  send({ type: 'lines', lines: notes.map(({ path, text }) => `${path} — ${titleOfNote(path, text)}`) });
  send({ type: 'end', more: paths.length > MAX_FILES, files: paths.length, passedOver });
}

async function rankNotes(job: SearchJob & { kind: 'ranked' }): Promise<void> {
  const { query, limit, reports, passages } = job;
  const { rankPassages, rankSections } = await import('../notes/note-search.ts');
  const { paths, passedOver } = notesIn(job);
  const notes = await readNotes(job.workspace, paths.slice(0, MAX_NOTES));
  if (passages === undefined) send({ type: 'lines', lines: rankSections(query, limit, { notes, reports }) });
  else {
    const ranked = rankPassages(query, passages, { notes, reports });
    send({ type: 'lines', lines: ranked.hits.slice(0, limit).map(({ line }) => line) });
    send({ type: 'ranked', ranked });
  }
  send({ type: 'end', more: paths.length > MAX_NOTES, files: notes.length, passedOver });
}

/** Those that can be read. */
async function readNotes(workspace: Workspace, paths: readonly string[]): Promise<Note[]> {
  const notes: Note[] = [];
  for (let at = 0; at < paths.length; at += AT_A_TIME)
    notes.push(...(await Promise.all(paths.slice(at, at + AT_A_TIME).map((path) => readNote(workspace, path)))).flat());
  return notes;
}

async function readNote(workspace: Workspace, path: string): Promise<Note[]> {
  let handle: FileHandle | null = null;
  try {
    ({ handle } = await openInside(workspace, path, protect));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_NOTE), 0, MAX_NOTE, 0);
    return [{ path, text: buffer.toString('utf8', 0, bytesRead) }];
  } catch (error) {
    if (!(error instanceof TriadError)) throw error;
    return [];
  } finally {
    await handle?.close();
  }
}
