/** Finds the programs that git runs in a repository of the person: hooks, filters and programs that sign. */
import { access, constants, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { CommitPreview, GitProgram } from '#contract/change.ts';
import { canonicalHash, sha256 } from '../base/hash.ts';
import { isInside } from './reach.ts';

/** Runs git in the top folder of a repository, and returns its output. */
export type RepositoryGit = (args: readonly string[], input?: string) => Promise<string>;

/** Hooks and settings of an operation by the person. */
export interface GitOperation {
  hooks: readonly string[];
  /** Setting that turns signatures on. */
  signingSetting: string;
}

export const COMMIT: GitOperation = {
  hooks: [
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-index-change',
    'reference-transaction',
  ],
  signingSetting: 'commit.gpgSign',
};

export interface GitPrograms extends CommitPreview {
  /** True if git gets no access to remotes. A clone that fetches missing objects runs programs of its settings. */
  isOffline: boolean;
  /** Settings with which git runs no other program. */
  pinnedSettings: readonly (readonly [key: string, value: string])[];
}

/** Matches settings of a clone that fetches missing objects when it needs them. */
const PARTIAL_CLONE = /^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$/s;
/** Maximum size of a hook whose content is compared, in bytes. */
const MAX_HOOK_BYTES = 1024 * 1024;

/** Returns the programs of an operation. `top`: folder of the files; `commonFolder`: git directory of all worktrees. */
export async function readGitPrograms(
  git: RepositoryGit,
  { top, commonFolder }: { top: string; commonFolder: string },
  { hooks, signingSetting }: GitOperation,
): Promise<GitPrograms> {
  const settings = await readSettings(git);
  const hooksFolder = resolve(top, (await readHooksFolder(git)) ?? join(commonFolder, 'hooks'));
  const fileHooks = (await Promise.all(hooks.map((name) => readHook(hooksFolder, name)))).filter(
    (hook) => hook !== null,
  );
  const filters = listFilters(settings);
  const assignedNames = filters.size === 0 ? new Set<string>() : await listAssignedFilters(git);
  // Git splits a setting on its command line at the first `=`, so such a filter cannot be switched off.
  const usedNames = new Set([...filters.keys()].filter((name) => assignedNames.has(name) || name.includes('=')));
  const isSigned = (await git(['config', '--type=bool', '--default=false', '--get', signingSetting])).trim() === 'true';
  const programs: GitProgram[] = [
    ...fileHooks.map(({ name, path }) => ({
      kind: 'hook' as const,
      name,
      command: isInside(top, path) ? relative(top, path) : path,
    })),
    ...[...settings].flatMap(([key, command]) => {
      const name = /^hook\.(.+)\.command$/s.exec(key)?.[1];
      return name === undefined ? [] : [{ kind: 'hook' as const, name, command }];
    }),
    ...[...filters].flatMap(([name, command]) =>
      usedNames.has(name) ? [{ kind: 'filter' as const, name, command }] : [],
    ),
    ...(isSigned ? findSigners(settings) : []),
  ];
  const pinnedSettings: GitPrograms['pinnedSettings'] = [
    ['core.hooksPath', fileHooks.length === 0 ? '/dev/null' : hooksFolder],
    [signingSetting, String(isSigned)],
    ...programs.flatMap(({ kind, name, command }, at) =>
      kind === 'signature' && programs[at - 1]?.kind !== kind ? [[`gpg.${name}.program`, command] as const] : [],
    ),
    ...[...filters.keys()]
      .filter((name) => !name.includes('='))
      .flatMap((name) => pinFilter(settings, name, usedNames.has(name))),
  ];
  const hash = canonicalHash({ top, commonFolder, programs, contents: fileHooks.map(({ content }) => content) });
  const isOffline =
    !programs.some(({ kind }) => kind === 'hook') || [...settings.keys()].some((key) => PARTIAL_CLONE.test(key));
  return { programs, hash, pinnedSettings, isOffline };
}

/** Returns the last value of each setting, except those on the command line. */
async function readSettings(git: RepositoryGit): Promise<Map<string, string>> {
  const fields = parseScopedFields(await git(['config', '--list', '--show-scope', '-z']));
  return new Map(
    fields.map((field) => {
      const [key = '', ...value] = field.split('\n');
      return [key, value.join('\n')];
    }),
  );
}

/** Returns the setting `core.hooksPath` with the home folder filled in. */
async function readHooksFolder(git: RepositoryGit): Promise<string | null> {
  const args = ['config', '--type=path', '--show-scope', '-z', '--get-all', 'core.hooksPath'];
  return parseScopedFields(await git(args)).at(-1) ?? null;
}

/** Returns the fields of an output with scopes, except those on the command line. */
function parseScopedFields(output: string): string[] {
  const fields = output.split('\0');
  return fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== 'command');
}

interface Hook {
  name: string;
  path: string;
  /** Hash of the content, or size and time of a large file. */
  content: string;
}

async function readHook(folder: string, name: string): Promise<Hook | null> {
  const path = join(folder, name);
  const stats = await stat(path).catch(() => null);
  // Windows has no execute bit.
  const isExecutable =
    stats?.isFile() &&
    (await access(path, constants.X_OK).then(
      () => true,
      () => false,
    ));
  if (!stats || !isExecutable) return null;
  const bytes = stats.size > MAX_HOOK_BYTES ? null : await readFile(path).catch(() => null);
  return { name, path, content: bytes === null ? `${stats.size} ${stats.mtimeMs}` : sha256(bytes) };
}

/** Returns the command of each filter that has one for files that are added. */
function listFilters(settings: ReadonlyMap<string, string>): Map<string, string> {
  const filters = new Map<string, string>();
  for (const [key, command] of settings) {
    const [, name, kind] = /^filter\.(.+)\.(clean|process)$/s.exec(key) ?? [];
    if (name !== undefined && command !== '' && (kind === 'process' || !filters.has(name))) filters.set(name, command);
  }
  return filters;
}

/** Returns the commands of a filter as they are, or settings with which it does nothing. */
function pinFilter(
  settings: ReadonlyMap<string, string>,
  name: string,
  isUsed: boolean,
): (readonly [key: string, value: string])[] {
  const keys = ['clean', 'process'].map((kind) => `filter.${name}.${kind}`);
  // With an empty `process`, git ignores `clean` too.
  if (!isUsed) return [...keys.map((key) => [key, ''] as const), [`filter.${name}.required`, 'false']];
  return keys.flatMap((key) => (settings.has(key) ? [[key, settings.get(key)!] as const] : []));
}

/** Returns the names of the filters that the attributes of files in the repository name. */
async function listAssignedFilters(git: RepositoryGit): Promise<Set<string>> {
  const paths = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const fields = (await git(['check-attr', '--stdin', '-z', 'filter'], paths)).split('\0');
  return new Set(fields.filter((_, at) => at % 3 === 2));
}

/** Returns the programs that make a signature. */
function findSigners(settings: ReadonlyMap<string, string>): GitProgram[] {
  const format = settings.get('gpg.format') ?? 'openpgp';
  const defaultProgram = { openpgp: settings.get('gpg.program') ?? 'gpg', x509: 'gpgsm', ssh: 'ssh-keygen' }[format];
  const commands = [settings.get(`gpg.${format}.program`) ?? defaultProgram ?? format];
  const key = settings.get('gpg.ssh.defaultkeycommand');
  if (format === 'ssh' && key !== undefined && !settings.has('user.signingkey')) commands.push(key);
  return commands.map((command) => ({ kind: 'signature', name: format, command }));
}
