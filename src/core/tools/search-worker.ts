/** The thread of one search: lists files that match a pattern, or lines of files that match a regular expression. */
import type { PathLike, readdir } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { parentPort, workerData } from 'node:worker_threads';
import { glob, type GlobOptions } from 'tinyglobby';
import { matches } from '../base/pattern.ts';
import { TriadError } from '../base/errors.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { protectedFiles } from '../workspace/hard-links.ts';
import type { Note } from './note-search.ts';
import { titleOfNote } from './note-sections.ts';
import { MAX_FILES, MAX_LINE_CHARS, MAX_MATCHES, type Mark, type SearchJob, type SearchMessage } from './search.ts';
import { entriesInside, openInside } from '../workspace/places.ts';
import type { Workspace } from '../workspace/reach.ts';

const CHUNK = 64 * 1024;
/** Of a longer line only the beginning is searched. */
const MAX_SEARCHED_CHARS = 256 * 1024;
/** Files read at a time: more would fill the few file system threads that the whole program shares. */
const AT_A_TIME = 16;

const NOTES = '**/*.{md,markdown}';
/** Of a longer note only the beginning is looked at, in bytes. */
const MAX_NOTE = 512 * 1024;
/** Most notes that are ranked. */
const MAX_NOTES = 5000;

/** How rules that allow match a path. */
const EXACTLY = { path: true, loose: false };

/** Looked for once, where the first file with several names is opened. */
let protectedOnes: ReturnType<typeof protectedFiles> | undefined;
const protect: typeof protectedFiles = (workspace) => (protectedOnes ??= protectedFiles(workspace));

await main(workerData as SearchJob);

async function main(job: SearchJob): Promise<void> {
  try {
    await work(job);
  } catch (error) {
    send({ type: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
}

function work(job: SearchJob): Promise<void> {
  switch (job.kind) {
    case 'glob':
      return listFiles(job);
    case 'grep':
      return searchFiles(job);
    case 'notes':
      return listNotes(job);
    case 'ranked':
      return rankNotes(job);
  }
}

function send(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

async function listFiles(job: SearchJob & { kind: 'glob' }): Promise<void> {
  const { only } = job;
  const found = await filesOf(job, job.pattern);
  const paths = only === undefined ? found : found.filter((path) => matches(only, path, EXACTLY));
  send({ type: 'lines', lines: paths.slice(0, MAX_FILES) });
  send({ type: 'end', more: paths.length > MAX_FILES, files: paths.length });
}

async function searchFiles(job: SearchJob & { kind: 'grep' }): Promise<void> {
  const expression = compile(job.pattern, job.ignoreCase);
  const isFile = (await stat(job.start)).isFile();
  const named = [shown(job, job.start)].filter((path) => !isHidden(job, path));
  const paths = isFile ? named : await filesOf(job, job.glob);
  let count = 0;
  for (let at = 0; at < paths.length; at += AT_A_TIME) {
    const batch = paths.slice(at, at + AT_A_TIME);
    // One more than may be shown tells whether there is more.
    const results = await Promise.all(
      batch.map((path) => searchFile(job.workspace, path, expression, MAX_MATCHES + 1 - count, isFile)),
    );
    const hits = results.flat();
    const shown = hits.slice(0, MAX_MATCHES - count);
    send({ type: 'lines', lines: shown.map(({ line }) => line), marks: shown.map(({ mark }) => mark) });
    count += hits.length;
    if (count > MAX_MATCHES) return send({ type: 'end', more: true, files: Math.min(at + AT_A_TIME, paths.length) });
  }
  send({ type: 'end', more: false, files: paths.length });
}

/** As paths, without what lies in folders that begin with a dot. */
async function notesIn(job: SearchJob): Promise<string[]> {
  return (await filesOf(job, NOTES)).filter((path) => !/(^|\/)\./.test(path));
}

async function listNotes(job: SearchJob): Promise<void> {
  const paths = await notesIn(job);
  const notes = await readNotes(job.workspace, paths.slice(0, MAX_FILES));
  send({ type: 'lines', lines: notes.map(({ path, text }) => `${path} — ${titleOfNote(path, text)}`) });
  send({ type: 'end', more: paths.length > MAX_FILES, files: paths.length });
}

async function rankNotes(job: SearchJob & { kind: 'ranked' }): Promise<void> {
  const { query, limit, reports } = job;
  const [paths, { rankSections }] = await Promise.all([notesIn(job), import('./note-search.ts')]);
  const notes = await readNotes(job.workspace, paths.slice(0, MAX_NOTES));
  send({ type: 'lines', lines: rankSections(query, limit, { notes, reports }) });
  send({ type: 'end', more: paths.length > MAX_NOTES, files: notes.length });
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

/** Sorted, relative to the workspace. Links are not followed, and no folder outside is ever read. */
async function filesOf(job: SearchJob, pattern: string): Promise<string[]> {
  const found = await glob(pattern, {
    cwd: job.start,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/.git/**', '**/node_modules/**'],
    fs: { readdir: confined(job.workspace) },
  });
  return found
    .map((path) => shown(job, join(job.start, path)))
    .filter((path) => !path.startsWith('../') && !isHidden(job, path))
    .sort();
}

function isHidden({ hidden }: SearchJob, path: string): boolean {
  return hidden.some((pattern) => matches(pattern, path, { path: true, loose: true }));
}

/**
 * A pattern's fixed beginning may name a link, and a folder may become one meanwhile: whatever leads outside, or to what
 * is the program's own, is shown as empty.
 */
function confined(workspace: Workspace): NonNullable<NonNullable<GlobOptions['fs']>['readdir']> {
  type Callback = (error: NodeJS.ErrnoException | null, entries: unknown[]) => void;
  const guarded = (path: PathLike, _: { withFileTypes: true }, callback: Callback) => {
    entriesInside(workspace, String(path)).then(
      (entries) => callback(null, entries),
      () => callback(null, []),
    );
  };
  // The type lists every overload of `readdir`; the crawler uses this one.
  return guarded as unknown as typeof readdir;
}

function shown({ workspace: { folder } }: SearchJob, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** As Unicode where it is valid so; the older reading allows escapes such as `\-` that people write. */
function compile(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** Lines as `path:line:text`. Binary files and those that may not be read are passed over, unless the file was asked for by name. */
interface Hit {
  line: string;
  mark: Mark;
}

async function searchFile(
  workspace: Workspace,
  path: string,
  expression: RegExp,
  max: number,
  named: boolean,
): Promise<Hit[]> {
  if (max <= 0) return [];
  const found: Hit[] = [];
  let handle: FileHandle | null = null;
  try {
    ({ handle } = await openInside(workspace, path, protect));
    let number = 0;
    for await (const line of linesOf(handle)) {
      number++;
      const match = expression.exec(line);
      if (match) found.push(hitOf(`${path}:${number}:`, line, match));
      if (found.length >= max) break;
    }
  } catch (error) {
    if (named || !(error instanceof TriadError)) throw error;
  } finally {
    await handle?.close();
  }
  return found;
}

/** The whole line, or the part around the match, of which the end may be cut. */
function hitOf(place: string, line: string, { index, 0: match }: RegExpExecArray): Hit {
  const { text, skipped } = excerpt(line, index);
  const start = Math.min(index - skipped, text.length);
  const end = Math.min(start + match.length, text.length);
  return { line: place + text, mark: [place.length + start, place.length + end] };
}

/** `skipped`: by how much the text begins later than the line. */
function excerpt(line: string, index: number): { text: string; skipped: number } {
  if (line.length <= MAX_LINE_CHARS) return { text: line, skipped: 0 };
  const start = index < MAX_LINE_CHARS - 100 ? 0 : index - 100;
  const text = line.slice(start).toWellFormed();
  const [before, after] = [start > 0 ? '…' : '', text.length > MAX_LINE_CHARS ? '…' : ''];
  return { text: `${before}${cutAtCodePoint(text, MAX_LINE_CHARS)}${after}`, skipped: start - before.length };
}

/** Nothing for a binary file: one with a NUL byte near its beginning. */
async function* linesOf(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 && chunk.includes(0)) return;
    position += bytesRead;
    const lines = (rest + (bytesRead === 0 ? decoder.end() : decoder.write(chunk))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, MAX_SEARCHED_CHARS);
    if (bytesRead === 0) break;
    if (rest.length > MAX_SEARCHED_CHARS) rest = rest.slice(0, MAX_SEARCHED_CHARS);
  }
  if (rest !== '') yield rest;
}
