/** Commits files of a workspace to the person's own git repository, with its hooks, filters and signatures. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { phrase } from '#contract/approvals/phrases.ts';
import type { CommitPreview } from '#contract/change.ts';
import { saidError, TriadError } from '../base/errors.ts';
import type { GitCall } from '../workspace/git.ts';
import { COMMIT, type GitPrograms, readGitPrograms, type RepositoryGit } from '../workspace/git-programs.ts';
import { readCommonFolder } from '../workspace/own-git-directory.ts';
import { resolveInside } from '../workspace/places.ts';
import { isInside, type Workspace } from '../workspace/reach.ts';
import { withRoot } from '../workspace/roots.ts';
import type { Engine } from './engine.ts';
import { workspaceOf } from './workspace-of.ts';

type CommitEngine = Pick<Engine, 'workspaces' | 'own' | 'permissions'>;

interface Commit {
  folder: string;
  message: string;
  /** Relative to the folder. */
  paths: readonly string[];
  /** Hash of the preview that the person saw. */
  programs?: string | undefined;
}

/** Forbids git to fetch. */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: 'none' };
/** Time for the hooks of a commit, in milliseconds. */
const COMMIT_MS = 600_000;
/** Maximum length of the output of git in an error. */
const MAX_OUTPUT_CHARS = 1500;
/** Files that git writes in place. */
const WRITTEN_FILES = ['COMMIT_EDITMSG', 'logs/HEAD'];

/**
 * Returns the programs that a commit runs outside the sandbox. Throws `bad_input` if the folder is in no repository, and
 * what `ControlFiles.ensureSettled` throws.
 */
export async function previewCommit(engine: CommitEngine, folder: string): Promise<CommitPreview> {
  const { programs, hash } = (await openRepository(engine, folder)).gitPrograms;
  return { programs, hash };
}

/**
 * Commits as `git commit --only`: other staged files stay staged. Throws what `ControlFiles.ensureSettled` throws, and:
 * - `conflict` if the programs are not those of the preview;
 * - `bad_input` if the folder is in no repository, nothing differs, git has no author or a hook fails;
 * - `not_allowed` for a path outside, and for a repository in another folder.
 */
export async function commitFiles(
  engine: CommitEngine,
  { folder, message, paths, programs }: Commit,
): Promise<{ commit: string }> {
  const repository = await openRepository(engine, folder);
  const { git, gitPrograms, workspace, top } = repository;
  for (const path of paths) await resolveInside(workspace, path);
  if (programs === undefined ? gitPrograms.programs.length > 0 : programs !== gitPrograms.hash)
    throw saidError('conflict', [phrase('commit_programs_changed')]);
  const files = paths.map((path) => relative(top, resolve(workspace.folder, path)));
  const presentFiles = await filterPresent(top, files);
  const newFiles = presentFiles.length === 0 ? [] : await listUntracked(git, presentFiles);
  try {
    // Git knows a new file only after it is added. A deleted file is committed as deleted.
    if (presentFiles.length > 0) await git(['add', '--intent-to-add', '--', ...presentFiles.map(formatLiteral)]);
    await refuseOtherBranches(repository);
    await refuseUnchanged(repository, files);
    // Without `--allow-empty`, git may run its status command, which runs filters of submodules.
    const options = ['--quiet', '--allow-empty', '--only', '--message', message];
    await git(['commit', ...options, '--', ...files.map(formatLiteral)], {
      isForPerson: true,
      env: gitPrograms.isOffline ? NO_FETCH : {},
      timeoutMs: COMMIT_MS,
      settings: [...gitPrograms.pinnedSettings, ['maintenance.auto', 'false']],
    });
  } catch (error) {
    if (newFiles.length > 0) await forgetFiles(git, newFiles).catch(() => undefined);
    if (error instanceof TriadError && error.code !== 'internal') throw error;
    const output = formatOutput(error);
    const failure = output === '' ? phrase('commit_failed_silently') : phrase('commit_failed', { output });
    throw saidError('bad_input', [failure], { cause: error });
  }
  return { commit: (await git(['rev-parse', '--short', 'HEAD'])).trim() };
}

type RunGit = (args: readonly string[], more?: Omit<GitCall, 'args' | 'cwd'>) => Promise<string>;

interface PersonRepository {
  workspace: Workspace;
  /** Folder of the files. */
  top: string;
  gitFolder: string;
  commonFolder: string;
  /** Runs git in `top` with this git directory, also if `.git` names another one now. */
  git: RunGit;
  gitPrograms: GitPrograms;
}

async function openRepository(engine: CommitEngine, folder: string): Promise<PersonRepository> {
  const { git: program } = engine.workspaces;
  const workspace = await workspaceOf(engine, folder, false);
  await engine.workspaces.ensureStart(folder);
  const args = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const settings = [['safe.bareRepository', 'explicit']] as const;
  const output = await withRoot(workspace, (root) =>
    program.run({ args, cwd: root.through(workspace.folder), env: NO_FETCH, settings }),
  ).catch((error: unknown) => {
    if (error instanceof TriadError && error.code !== 'internal') throw error;
    throw saidError('bad_input', [phrase('no_repository', { folder })], { cause: error });
  });
  const [top = '', gitFolder = '', common = '', ...rest] = output.toString('utf8').trimEnd().split('\n');
  if (rest.length > 0 || !isInside(await realpath(top), workspace.folder))
    throw new TriadError(
      'not_allowed',
      `The settings of the repository name another folder (${top}): commit with git itself`,
    );
  const commonFolder = resolve(workspace.folder, common);
  const directories = { GIT_DIR: gitFolder, GIT_COMMON_DIR: commonFolder, GIT_WORK_TREE: top };
  const git: RunGit = async (args, more = {}) => {
    const env = { ...(more.isForPerson ? {} : NO_FETCH), ...more.env, ...directories };
    return withRoot(workspace, async () => (await program.run({ args, cwd: top, ...more, env })).toString('utf8'));
  };
  await refuseForeign(git, top, commonFolder);
  const read: RepositoryGit = (args, input = '') => git(args, { input });
  return {
    workspace,
    top,
    gitFolder,
    commonFolder,
    git,
    gitPrograms: await readGitPrograms(read, { top, commonFolder }, COMMIT),
  };
}

/** Throws `not_allowed` if `commondir` changed: git ignores `GIT_COMMON_DIR` for branches. */
async function refuseOtherBranches({ gitFolder, commonFolder }: PersonRepository): Promise<void> {
  const [current, expected] = await Promise.all([readCommonFolder(gitFolder), realpath(commonFolder)]);
  if ((await realpath(current).catch(() => null)) !== expected)
    throw new TriadError('not_allowed', `${gitFolder} names another repository now: ${current}`);
}

/** Throws `bad_input` if no file differs from the last commit. Nothing is compared before the first commit. */
async function refuseUnchanged({ git, gitPrograms }: PersonRepository, files: readonly string[]): Promise<void> {
  const isFirst = await git(['rev-parse', '--verify', '--quiet', 'HEAD']).then(
    () => false,
    () => true,
  );
  if (isFirst) return;
  const options = ['--name-only', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
  const settings = [...gitPrograms.pinnedSettings, ['core.hooksPath', '/dev/null']] as const;
  if ((await git(['diff', ...options, 'HEAD', '--', ...files.map(formatLiteral)], { settings })) === '')
    throw saidError('bad_input', [phrase('commit_failed', { output: 'nothing to commit' })]);
}

/** Throws `not_allowed` if a file that git writes in place is outside the git directory. */
async function refuseForeign(git: RunGit, top: string, commonFolder: string): Promise<void> {
  const branch = (await git(['symbolic-ref', '--quiet', 'HEAD']).catch(() => 'HEAD')).trim();
  const names = [...WRITTEN_FILES, `logs/${branch}`].flatMap((name) => ['--git-path', name]);
  for (const path of (await git(['rev-parse', ...names])).trimEnd().split('\n'))
    if (await leadsOutside(commonFolder, resolve(top, path)))
      throw new TriadError('not_allowed', `${path} leads out of the repository: commit with git itself`);
}

async function leadsOutside(repository: string, path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  // A missing file is made where the nearest folder above is.
  if (stats === null) return path.length > repository.length && leadsOutside(repository, dirname(path));
  const [root, real] = await Promise.all([realpath(repository), realpath(path).catch(() => null)]);
  return real === null || !isInside(root, real);
}

async function filterPresent(top: string, files: readonly string[]): Promise<string[]> {
  const isPresent = await Promise.all(
    files.map((path) =>
      stat(resolve(top, path)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return files.filter((_, index) => isPresent[index]);
}

/** Returns a pathspec that matches exactly this path. */
const formatLiteral = (path: string): string => `:(literal)${path}`;

async function listUntracked(git: RunGit, files: readonly string[]): Promise<string[]> {
  const output = await git(['ls-files', '-z', '--others', '--', ...files.map(formatLiteral)]);
  return output.split('\0').filter(Boolean);
}

/** Removes files from the index. */
function forgetFiles(git: RunGit, files: readonly string[]): Promise<string> {
  return git(['update-index', '--force-remove', '-z', '--stdin'], { input: files.map((path) => `${path}\0`).join('') });
}

/** Returns the last lines that git and its hooks printed; empty if they printed nothing. */
function formatOutput(error: unknown): string {
  const text = error instanceof TriadError ? (error.detail ?? '') : String(error);
  const lines = stripVTControlCharacters(text)
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter(Boolean);
  const output = lines.join('\n');
  return output.length > MAX_OUTPUT_CHARS ? `…${output.slice(-MAX_OUTPUT_CHARS)}` : output;
}
