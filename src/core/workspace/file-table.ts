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

interface TableEntry extends FileMatch {
  name: Segment;
  /** The longest part of the name without wildcards. */
  part: string;
  /** Names of the folders above, the nearest first. */
  parents: readonly Segment[];
  isAbsolute: boolean;
  isFolder: boolean;
}

/** Entries by the name of a file or folder. */
interface NameIndex {
  exact: Map<string, TableEntry[]>;
  /** Entries with patterns such as `*.pem`, by their extension. */
  extensions: Map<string, TableEntry[]>;
  others: TableEntry[];
  /** Matches each name that one of `others` can match, by a part of it without wildcards; null if there are none. */
  otherParts: RegExp | null;
}

interface TableIndexes {
  patterns: readonly string[];
  files: NameIndex;
  folders: NameIndex;
}

/** Returns a path in the form that the tables compare: in lower case, with slashes. */
export const foldPath = (path: string): string => path.normalize('NFC').toLowerCase().replaceAll('\\', '/');

export class FileTable {
  readonly #groups: readonly FileGroup[];
  #indexes: TableIndexes | null = null;

  constructor(groups: readonly FileGroup[]) {
    this.#groups = groups;
  }

  /** Patterns with their alternatives written out. */
  get patterns(): readonly string[] {
    return this.#currentIndexes.patterns;
  }

  /** Built on first use, because building it delays the start. */
  get #currentIndexes(): TableIndexes {
    return (this.#indexes ??= createIndexes(this.#groups));
  }

  /** Returns the entries that match the path of a file. `names`: other names that the file counts as, folded. */
  find(path: string, names: readonly string[] = []): FileMatch[] {
    const parts = foldPath(path).split('/');
    const last = parts.length - 1;
    const { files, folders } = this.#currentIndexes;
    const matches = names.concat(parts[last]!).flatMap((name) => findEntries(files, name, parts, last));
    for (let at = 0; at < last; at += 1) matches.push(...findEntries(folders, parts[at]!, parts, at));
    return matches;
  }

  /** Returns the entry of a folder that has this path, or is above it; undefined for other folders. */
  findFolder(path: string): FileMatch | undefined {
    return this.find(`${path}/`).find(({ pattern }) => pattern.endsWith('/**'));
  }

  /** Returns whether a file or folder of this name, which is folded, can match in some folder. */
  hasName(name: string): boolean {
    const { files, folders } = this.#currentIndexes;
    return [files, folders].some((index) => findByName(index, name).length > 0);
  }
}

function createIndexes(groups: readonly FileGroup[]): TableIndexes {
  const entries = groups.flatMap(({ program, patterns }) =>
    patterns.flatMap(alternativesOf).map((pattern) => createEntry(pattern, program)),
  );
  return {
    patterns: entries.map(({ pattern }) => pattern),
    files: createIndex(entries.filter(({ isFolder }) => !isFolder)),
    folders: createIndex(entries.filter(({ isFolder }) => isFolder)),
  };
}

function createEntry(pattern: string, program: string): TableEntry {
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
  return text.includes('*') ? new RegExp(`^${escapePattern(text)}$`) : text;
}

const escapePattern = (text: string): string =>
  text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');

function createIndex(entries: readonly TableEntry[]): NameIndex {
  const [exact, extensions, others] = [
    new Map<string, TableEntry[]>(),
    new Map<string, TableEntry[]>(),
    [] as TableEntry[],
  ];
  for (const entry of entries) {
    const extension = /^\*(\.[^*.]+)$/.exec(foldPath(entry.pattern))?.[1];
    if (typeof entry.name === 'string') exact.set(entry.name, [...(exact.get(entry.name) ?? []), entry]);
    else if (extension !== undefined) extensions.set(extension, [...(extensions.get(extension) ?? []), entry]);
    else others.push(entry);
  }
  const parts = new Set(others.map(({ part }) => escapePattern(part)));
  return { exact, extensions, others, otherParts: parts.size > 0 ? new RegExp([...parts].join('|')) : null };
}

/** Returns the longest part of a pattern without wildcards. */
export function findLongestPart(pattern: string): string {
  return pattern.split(/[*?]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

const NONE: readonly TableEntry[] = [];

function findByName({ exact, extensions, others, otherParts }: NameIndex, name: string): readonly TableEntry[] {
  const [exactEntries, extensionEntries] = [exact.get(name), extensions.get(name.slice(name.lastIndexOf('.')))];
  const isOther = otherParts?.test(name) === true;
  if (!exactEntries && !extensionEntries && !isOther) return NONE;
  return [
    ...(exactEntries ?? []),
    ...(extensionEntries ?? []),
    ...(isOther ? others.filter((one) => matchesSegment(one.name, name)) : []),
  ];
}

/** Returns the entries for a name at a position of a path. */
function findEntries(index: NameIndex, name: string, parts: readonly string[], at: number): readonly TableEntry[] {
  const entries = findByName(index, name);
  return entries.length === 0 ? NONE : entries.filter((entry) => hasParents(entry, parts, at));
}

function hasParents({ parents, isAbsolute }: TableEntry, parts: readonly string[], at: number): boolean {
  if (isAbsolute && !(at === parents.length + 1 && parts[0] === '')) return false;
  return parents.every((parent, index) => matchesSegment(parent, parts[at - 1 - index]));
}

function matchesSegment(segment: Segment, name: string | undefined): boolean {
  return name !== undefined && (typeof segment === 'string' ? segment === name : segment.test(name));
}
