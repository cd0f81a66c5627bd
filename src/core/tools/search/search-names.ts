/** Paths of a folder by a few of their characters, while a person types them: each level of folders after the one above it. */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { HeldFolder } from '../../workspace/held-folder.ts';
import { IgnoredFiles } from '../../workspace/ignored-files.ts';
import { isOwn } from '../../workspace/reach.ts';
import { isSecret } from '../../workspace/secret-names.ts';
import { isHidden, PASSED_OVER, shown } from './search-files.ts';
import type { SearchJob } from './search.ts';

/** Paths that are looked at, and how long, in milliseconds: what lies deeper than that is not found. */
const MAX_NAMES = 50_000;
const LOOK_MS = 2000;
/** While somebody types, the folder is not read again for each letter. */
const KEPT_MS = 5000;

interface Names {
  /** Relative to the workspace; a folder ends with a slash. Files among them may be none that can be named. */
  paths: string[];
  /** There are more. */
  more: boolean;
  ignored: IgnoredFiles;
}

let kept: (Names & { of: string; until: number }) | null = null;

/** At most so many as the job wants, the best first. Of files only these are held against what hides them: that takes longest. */
export function namesIn(job: SearchJob & { kind: 'names' }): Pick<Names, 'paths' | 'more'> {
  const { paths, more, ignored } = walked(job);
  const { workspace, limit, text } = job;
  const isShown = (path: string): boolean =>
    path.endsWith('/') ||
    (!isSecret(workspace, join(workspace.folder, path)) &&
      !isHidden(job, path) &&
      !isOwn(workspace, join(workspace.folder, path)) &&
      !ignored.has(join(workspace.folder, path), false));
  const shownOnes: string[] = [];
  for (const path of rankedNames(paths, text)) {
    if (!isShown(path)) continue;
    if (shownOnes.length === limit) return { paths: shownOnes, more: true };
    shownOnes.push(path);
  }
  return { paths: shownOnes, more };
}

function walked(job: SearchJob): Names {
  const of = JSON.stringify([job.workspace, job.start, job.hidden]);
  const now = performance.now();
  if (kept === null || kept.of !== of || kept.until < now)
    kept = { ...walk(job), of, until: performance.now() + KEPT_MS };
  return kept;
}

/** Links are neither named nor followed; what is hidden is not gone into. */
function walk(job: SearchJob): Names {
  const { workspace, start } = job;
  const ignored = new IgnoredFiles(workspace);
  const end = performance.now() + LOOK_MS;
  const paths: string[] = [];
  const folders = [start];
  for (const folder of folders) {
    if (performance.now() > end) return { paths, more: true, ignored };
    for (const entry of entriesOf(job, folder)) {
      const full = join(folder, entry.name);
      const path = shown(job, full);
      const isFolder = entry.isDirectory();
      if (isFolder && (isOwn(workspace, full) || isHidden(job, path) || ignored.has(full, true))) continue;
      if (!isFolder && !entry.isFile()) continue;
      if (paths.length === MAX_NAMES) return { paths, more: true, ignored };
      paths.push(isFolder ? `${path}/` : path);
      if (isFolder) folders.push(full);
    }
  }
  return { paths, more: false, ignored };
}

function entriesOf({ workspace }: SearchJob, path: string): Dirent[] {
  const folder = HeldFolder.open(workspace, path);
  const entries = folder?.entries() ?? [];
  folder?.close();
  return entries.filter(({ name }) => !PASSED_OVER.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Those that have the characters in their order, the best first: by how they fit, then the shorter ones. */
function rankedNames(paths: readonly string[], text: string): string[] {
  const wanted = text.toLowerCase().replace(/^\.?\//, '');
  if (wanted === '') return [...paths];
  return paths
    .map((path) => ({ path, fit: fitOf(path.toLowerCase(), wanted) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** 0: not at all. */
function fitOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  if (name.startsWith(wanted)) return 5;
  if (path.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  return 1;
}
