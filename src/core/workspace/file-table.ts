/** Matches paths with a table of file names that are grouped by the program that uses them. */
import { alternativesOf } from '../base/pattern.ts';

/**
 * A program and its files, in any case. A pattern without a slash is the name of a file in any folder; one with a slash
 * is the end of a path, or all of it if it starts with a slash. `*` matches within a name, `{a,b}` lists alternatives, and
 * a final slash with `**` stands for everything in a folder.
 */
export interface FileGroup {
  program: string;
  patterns: readonly string[];
}

export interface FileMatch {
  pattern: string;
  program: string;
}

type Segment = string | RegExp;

interface Entry extends FileMatch {
  name: Segment;
  /** The longest part of the name without wildcards. */
  part: string;
  /** Names of the folders above, the nearest first. */
  parents: readonly Segment[];
  isAbsolute: boolean;
  isFolder: boolean;
}

/** Entries that are found by one name. */
interface Index {
  exact: Map<string, Entry[]>;
  /** By the last extension, for patterns such as `*.pem`. */
  extensions: Map<string, Entry[]>;
  others: Entry[];
  /** Matches each name that one of `others` can match, by a part of it without wildcards; null if there are none. */
  otherParts: RegExp | null;
}

/** Folds a path as the tables compare it: without case, with slashes. */
export const foldPath = (path: string): string => path.normalize('NFC').toLowerCase().replaceAll('\\', '/');

export class FileTable {
  /** Patterns with their alternatives written out. */
  readonly patterns: readonly string[];
  readonly #files: Index;
  readonly #folders: Index;

  constructor(groups: readonly FileGroup[]) {
    const entries = groups.flatMap(({ program, patterns }) =>
      patterns.flatMap(alternativesOf).map((pattern) => createEntry(pattern, program)),
    );
    this.patterns = entries.map(({ pattern }) => pattern);
    this.#files = createIndex(entries.filter(({ isFolder }) => !isFolder));
    this.#folders = createIndex(entries.filter(({ isFolder }) => isFolder));
  }

  /** Returns the entries that match the path of a file. `names`: other names that the file counts as, folded. */
  find(path: string, names: readonly string[] = []): FileMatch[] {
    const parts = foldPath(path).split('/');
    const last = parts.length - 1;
    const found = names.concat(parts[last]!).flatMap((name) => lookUp(this.#files, name, parts, last));
    for (let at = 0; at < last; at += 1) found.push(...lookUp(this.#folders, parts[at]!, parts, at));
    return found;
  }

  /** Returns the entry of a folder that has this path, or is above it; undefined for other folders. */
  findFolder(path: string): FileMatch | undefined {
    return this.find(`${path}/`).find(({ pattern }) => pattern.endsWith('/**'));
  }

  /** Returns whether a file or folder of this name, which is folded, can match in some folder. */
  hasName(name: string): boolean {
    return [this.#files, this.#folders].some((index) => findByName(index, name).length > 0);
  }
}

function createEntry(pattern: string, program: string): Entry {
  const segments = foldPath(pattern).split('/');
  const isFolder = segments.at(-1) === '**';
  const isAbsolute = segments[0] === '';
  const [name, ...parents] = segments.slice(isAbsolute ? 1 : 0, isFolder ? -1 : undefined).toReversed();
  return {
    pattern,
    program,
    name: compileSegment(name!),
    part: findLongestPart(name!),
    parents: parents.map(compileSegment),
    isAbsolute,
    isFolder,
  };
}

function compileSegment(text: string): Segment {
  return text.includes('*') ? new RegExp(`^${composeSource(text)}$`) : text;
}

const composeSource = (text: string): string =>
  text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');

function createIndex(entries: readonly Entry[]): Index {
  const [exact, extensions, others] = [new Map<string, Entry[]>(), new Map<string, Entry[]>(), [] as Entry[]];
  for (const entry of entries) {
    const extension = /^\*(\.[^*.]+)$/.exec(foldPath(entry.pattern))?.[1];
    if (typeof entry.name === 'string') exact.set(entry.name, [...(exact.get(entry.name) ?? []), entry]);
    else if (extension !== undefined) extensions.set(extension, [...(extensions.get(extension) ?? []), entry]);
    else others.push(entry);
  }
  const parts = new Set(others.map(({ part }) => composeSource(part)));
  return { exact, extensions, others, otherParts: parts.size > 0 ? new RegExp([...parts].join('|')) : null };
}

/** Returns the longest part of a pattern without wildcards. */
export function findLongestPart(pattern: string): string {
  return pattern.split(/[*?]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

const NONE: readonly Entry[] = [];

function findByName({ exact, extensions, others, otherParts }: Index, name: string): readonly Entry[] {
  const [exactOnes, byExtension] = [exact.get(name), extensions.get(name.slice(name.lastIndexOf('.')))];
  const isOther = otherParts?.test(name) === true;
  if (!exactOnes && !byExtension && !isOther) return NONE;
  return [
    ...(exactOnes ?? []),
    ...(byExtension ?? []),
    ...(isOther ? others.filter((one) => fits(one.name, name)) : []),
  ];
}

/** Returns the entries for a name at a position of a path. */
function lookUp(index: Index, name: string, parts: readonly string[], at: number): readonly Entry[] {
  const found = findByName(index, name);
  return found.length === 0 ? NONE : found.filter((entry) => hasParents(entry, parts, at));
}

function hasParents({ parents, isAbsolute }: Entry, parts: readonly string[], at: number): boolean {
  if (isAbsolute && !(at === parents.length + 1 && parts[0] === '')) return false;
  return parents.every((parent, index) => fits(parent, parts[at - 1 - index]));
}

function fits(segment: Segment, name: string | undefined): boolean {
  return name !== undefined && (typeof segment === 'string' ? segment === name : segment.test(name));
}
