/** Which files a search looks at. */
import type { PathLike, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { globSync, type GlobOptions } from 'tinyglobby';
import { matches } from '../../base/pattern.ts';
import { HeldFolder } from '../../workspace/held-folder.ts';
import { IgnoredFiles } from '../../workspace/ignored-files.ts';
import type { SearchJob } from './search.ts';

/** Never looked into, unless a search starts there. */
export const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface FoundFiles {
  /** Sorted, relative to the workspace. */
  paths: string[];
  /** Whether files or folders were passed over because git ignores them. */
  passedOver: boolean;
}

/** Links are not followed, and no folder outside is ever read. What git ignores is looked at where the search starts in it. */
export function filesOf(job: SearchJob, pattern: string): FoundFiles {
  const { workspace, start } = job;
  const ignored = job.includeIgnored ? null : new IgnoredFiles(workspace);
  const skipped = ignored?.has(start, true) === true ? null : ignored;
  let passedOver = false;
  const entriesOf = (asked: PathLike) => {
    const path = resolve(String(asked));
    const folder = HeldFolder.open(workspace, path);
    const entries = folder?.entries() ?? [];
    folder?.close();
    if (skipped === null) return entries;
    return entries.filter((entry) => {
      const isKept = PASSED_OVER.has(entry.name) || !skipped.has(join(path, entry.name), entry.isDirectory());
      passedOver ||= !isKept;
      return isKept;
    });
  };
  const found = globSync(pattern, {
    cwd: start,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: [...PASSED_OVER].map((name) => `**/${name}/**`),
    fs: readingBy(entriesOf),
  });
  const paths = found
    .map((path) => shown(job, join(start, path)))
    .filter((path) => !path.startsWith('../') && !isHidden(job, path))
    .sort();
  return { paths, passedOver };
}

/** A pattern's fixed beginning may name a link, or lead outside: the crawler asks for every folder here. */
function readingBy(entriesOf: (path: PathLike) => unknown): NonNullable<GlobOptions['fs']> {
  // The type lists every overload; the crawler uses the one with types of files.
  return { readdirSync: entriesOf as typeof readdirSync };
}

export function isHidden({ hidden }: SearchJob, path: string): boolean {
  return hidden.some((pattern) => matches(pattern, path, { path: true, loose: true }));
}

export function shown({ workspace: { folder } }: SearchJob, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
