/** The rules that hold in a folder: the person's own, then the project's; read anew for each verdict. */
import { join } from 'node:path';
import { parse, TomlError, type TomlTable as Table } from 'smol-toml';
import { z } from 'zod';
import type { Rule } from '#contract/permission.ts';
import { PROJECT_CONFIG } from '../agents/places.ts';
import { errorInfo } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import { nearest } from '../base/nearest.ts';
import { isMissing, readOwnFile, readRegularFile } from '../base/regular-file.ts';
import { checkProjectSettings, NO_PROJECT_SETTINGS, type ProjectSettings } from '../settings/project-config.ts';
import { checkTable, type FileProblem, sentenceOf, tomlFault } from '../settings/toml-file.ts';
import { positionFinder } from '../base/toml-tree.ts';
import { type ListedFiles, NO_FILES } from '../settings/listed-files.ts';
import { PathPatterns, RuleEntry } from '../settings/rule-entry.ts';

export interface RuleSet {
  /** Whether the project's file may allow something; true where there is none. */
  trusted: boolean;
  rules: Rule[];
  /** Patterns of files that the person wants to be asked about whenever one is written, and of files that hold keys. */
  alwaysAsk: ListedFiles;
  secretFiles: ListedFiles;
  /** What the project's file sets beside its rules; empty where it is not trusted, or has faults. */
  project: ProjectSettings;
  /** What is wrong with the files, with its place. Any fault denies every call. */
  faults: { file: string; line: number; column: number; message: string }[];
}

export interface RulePorts {
  /** The person's settings file. */
  file: string;
  /** Whether the project's file may allow something, with this very text. */
  readonly isTrusted: (folder: string, hash: string) => Promise<boolean>;
  /** Texts that files are taken to have, by path, instead of what is on the disk; left out: none. */
  readonly drafts?: ReadonlyMap<string, string>;
}

/** Most rules of one file: every call is checked against each, and an untrusted project's count too. */
const MAX_RULES = 500;
/** Longest project file, in code units. */
const MAX_TEXT = 256 * 1024;

const Rules = z.array(z.unknown()).max(MAX_RULES).default([]).pipe(z.array(RuleEntry));
/** Loose, because the other keys of these files are checked elsewhere. */
const UserRules = z.looseObject({
  permissions: z
    .looseObject({ rules: Rules, always_ask: PathPatterns.default([]), secret_files: PathPatterns.default([]) })
    .prefault({}),
});
/** A project's may ask and deny by rules; what is always asked about, and what holds keys, the person says (`checkProjectSettings`). */
const ProjectRules = z.looseObject({
  permissions: z
    .looseObject({ rules: Rules })
    .prefault({})
    .transform(({ rules }) => ({ rules, always_ask: [], secret_files: [] })),
});

/** What is said of a key that no rule has. */
const WORDS = {
  isNot: 'is no key of a rule',
  suggest: (path: string) => nearest(path.split('.').at(-1) ?? '', Object.keys(RuleEntry.shape)),
};

export const projectFile = (folder: string): string => join(folder, PROJECT_CONFIG);

type FileRules = Omit<RuleSet, 'trusted'>;

const none = (faults: RuleSet['faults']): FileRules => ({
  rules: [],
  alwaysAsk: NO_FILES,
  secretFiles: NO_FILES,
  project: NO_PROJECT_SETTINGS,
  faults,
});
/** Parsed rules by path, reused while the text is the same. */
export type RuleCache = Map<string, { text: string; hash: string; found: FileRules }>;

/**
 * The rules of a folder: the person's, then the project's. An untrusted project keeps only the rules that deny or ask.
 * Unreadable files are faults, not errors.
 */
export async function readFolderRules(
  folder: string,
  { file, isTrusted, drafts = new Map() }: RulePorts,
  parsed: RuleCache = new Map(),
): Promise<RuleSet> {
  const [user, project] = await Promise.all([
    readRules(file, 'user', { parsed, drafts }),
    readRules(projectFile(folder), 'project', { parsed, drafts }),
  ]);
  const trusted = project.hash === null || (await isTrusted(folder, project.hash).catch(() => false));
  const rules = project.rules.filter(({ effect }) => trusted || effect !== 'allow');
  const { alwaysAsk, secretFiles } = user;
  const faults = [...user.faults, ...project.faults];
  const settings = trusted && faults.length === 0 ? project.project : NO_PROJECT_SETTINGS;
  return { trusted, rules: [...user.rules, ...rules], alwaysAsk, secretFiles, project: settings, faults };
}

async function readRules(
  file: string,
  scope: Rule['scope'],
  { parsed, drafts }: { parsed: RuleCache; drafts: ReadonlyMap<string, string> },
): Promise<FileRules & { hash: string | null }> {
  try {
    const text = drafts.get(file) ?? (await readText(file, scope));
    if (text === null) return { hash: null, ...none([]) };
    const before = parsed.get(file);
    const known = before?.text === text ? before : { text, hash: sha256(text), found: parseRules(text, file, scope) };
    parsed.set(file, known);
    return { hash: known.hash, ...known.found };
  } catch (error) {
    return {
      hash: null,
      ...none([{ file, line: 1, column: 1, message: `cannot be read: ${errorInfo(error).message}` }]),
    };
  }
}

/** The rules of a file's text with their lines, or what is wrong with it. */
export function parseRules(text: string, file: string, scope: Rule['scope']): FileRules {
  if (scope === 'project' && text.length > MAX_TEXT)
    return none([{ file, line: 1, column: 1, message: `is larger than ${MAX_TEXT / 1024} KiB` }]);
  let raw: Table;
  try {
    raw = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return none([{ file, line: error.line, column: error.column, message: tomlFault(error) }]);
  }
  const schema = scope === 'user' ? UserRules : ProjectRules;
  const placeOf = positionFinder(text);
  const lineOf = (path: readonly string[]) => placeOf(path).line;
  const told = (problems: readonly FileProblem[]): FileRules =>
    none(
      problems.map((problem) => ({ file, line: problem.line, column: problem.column, message: sentenceOf(problem) })),
    );
  const result = checkTable(raw, text, schema, WORDS);
  if (!result.ok) return told(result.problems);
  const set = scope === 'project' ? checkProjectSettings(raw, text) : null;
  if (set && !set.ok) return told(set.problems);
  const rules = result.value.permissions.rules.map((entry, index): Rule => {
    const line = lineOf(['permissions', 'rules', String(index)]);
    const { effect, agent = null, tool = null, permission = null, pattern = null } = entry;
    const id = `${scope}:${index + 1}`;
    return { id, scope, effect, agent, tool, permission, pattern, place: { file, line } };
  });
  const listed = (name: 'always_ask' | 'secret_files'): ListedFiles => ({
    patterns: result.value.permissions[name],
    place: { file, line: lineOf(['permissions', name]) },
  });
  const lists = { alwaysAsk: listed('always_ask'), secretFiles: listed('secret_files') };
  return { rules, ...lists, project: set?.settings ?? NO_PROJECT_SETTINGS, faults: [] };
}

async function readText(file: string, scope: Rule['scope']): Promise<string | null> {
  try {
    return scope === 'user' ? readOwnFile(file) : await readRegularFile(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
