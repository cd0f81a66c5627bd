/** What is shipped: files of the last build, and the packages in them and beside them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
/** The program's bundle. */
export const BUNDLE = 'dist/electron';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** A name beside the file that has it, as the bundle writes all of them; a folder stands for what is in it. */
const BESIDE = /(["'`])\.\/([^"'`\n]+)\1/g;

/** Files of the bundle that these programs of it load or read, by their names in it. */
export function reachedFiles(...programs: string[]): string[] {
  const built = JSON.parse(read(`${BUNDLE}.json`)) as string[];
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    if (!/\.c?js$/.test(name)) return;
    for (const [, , path = ''] of read(`${BUNDLE}/${name}`).matchAll(BESIDE))
      for (const one of built) if (one === path || one.startsWith(`${path}/`)) visit(one);
  };
  programs.forEach(visit);
  return [...reached].sort();
}

interface Locked {
  version: string;
  dependencies?: Record<string, string>;
}
interface Manifest {
  name: string;
  version: string;
  type: string;
  bin: { triad: string };
  /** What `npm pack` packs, beside what it always packs. */
  files: string[];
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export const manifest = JSON.parse(read('package.json')) as Manifest;
/** By where they lie, such as `node_modules/ajv`. */
const locked = (JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages;

/** Where a package lies that one at `from` asks for: beside it, or further out. */
function placeOf(name: string, from: string): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (locked[place]) return place;
    if (at === '') throw new Error(`${name}, which ${from || 'package.json'} needs, is not in package-lock.json`);
  }
}

/** These and all that they need, by where they lie. */
function withNeeds(places: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (place: string): void => {
    if (found.has(place)) return;
    found.add(place);
    for (const name of Object.keys(locked[place]?.dependencies ?? {})) visit(placeOf(name, place));
  };
  places.forEach(visit);
  return [...found].sort();
}

/** The packages that are installed beside the bundle, without those with a Node. */
export const installed = (): string[] => withNeeds(Object.keys(manifest.dependencies).map((name) => placeOf(name, '')));

/** What Vite says that it has put into a bundle; it does not tell of threads, style sheets and files. */
function bundledOf(report: string): string[] {
  const told = JSON.parse(read(report)) as { name: string; version: string }[];
  return told.map(({ name, version }) => {
    const place = Object.keys(locked).find(
      (one) => one.endsWith(`node_modules/${name}`) && locked[one]?.version === version,
    );
    if (place === undefined) throw new Error(`${name} ${version} is in a bundle, but not in package-lock.json`);
    return place;
  });
}

/** Packages that sources name, other than as types: in imports, in style sheets, as files. */
function namedBySources(): string[] {
  const files = globSync('{src,electron}/**/*.{ts,svelte,css}', { cwd: ROOT });
  const names = files.flatMap((file) =>
    [
      ...read(file).matchAll(/(?:\bfrom |\bimport |\bimport\(|@import |resolve\(|url\()["']((?:@[\w.-]+\/)?[\w.-]+)/g),
    ].map(([, name = '']) => name),
  );
  const direct = new Set(names.filter((name) => locked[`node_modules/${name}`]));
  // The runtime of the desktop brings its own notices.
  direct.delete('electron');
  return [...direct].map((name) => `node_modules/${name}`);
}

/** All packages of which something is shipped, by where they lie. */
export function shippedPackages(): string[] {
  const nodes = Object.keys(manifest.optionalDependencies).map((name) => `node_modules/${name}`);
  const bundled = ['dist/electron/licences.json', '.svelte-kit/output/client/.vite/licences.json'].flatMap(bundledOf);
  return [...withNeeds([...bundled, ...namedBySources(), ...installed()]), ...nodes];
}

export const nameAt = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
export const versionAt = (place: string): string => locked[place]?.version ?? '';
