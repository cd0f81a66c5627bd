/** Follows the links of a path, one component after the other. */
import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, parse, resolve, sep } from 'node:path';

/** Maximum number of links on the way to a file, as in Linux. */
const MAX_LINKS = 40;

export interface FollowedPath {
  /** Canonical path; of a missing file as far as its folders exist. */
  path: string;
  /** `barred`: the walk stopped at a barred path. */
  end: 'found' | 'missing' | 'barred';
}

/** Follows an absolute path. Stops where `isBarred` is true for the path of a component, or of a link on the way. */
export async function followLinks(path: string, isBarred: (path: string) => boolean): Promise<FollowedPath> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).reverse();
  let current = root;
  let end: FollowedPath['end'] = 'found';
  for (let links = 0; names.length > 0;) {
    const next = resolve(current, names.pop()!);
    if (isBarred(next)) return { path: next, end: 'barred' };
    const stats = await lstat(next).catch(() => null);
    if (stats === null) end = 'missing';
    if (!stats?.isSymbolicLink()) {
      current = next;
      continue;
    }
    const target = await readlink(next).catch(() => null);
    links += 1;
    if (target === null || links > MAX_LINKS) return { path: next, end: 'missing' };
    if (isAbsolute(target)) current = parse(target).root;
    names.push(...target.split(sep).reverse());
  }
  return { path: current, end };
}
