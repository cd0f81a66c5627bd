/** Commits files of a workspace to the person's own git repository, with the hooks, filters and signatures of the person. */
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

/** Nothing is fetched. */
const ALONE = { GIT_ALLOW_PROTOCOL: 'none' };
/** Time for the hooks of a commit, in milliseconds. */
const COMMIT_MS = 600_000;
/** Maximum length of the output of git in an error. */
const MAX_OUTPUT_CHARS = 1500;
/** Files that git writes in place. */
const WRITTEN = ['COMMIT_EDITMSG', 'logs/HEAD'];

/**
 * Returns the programs that a commit runs outside the sandbox. Throws `bad_input` if the folder is in no repository, and
 * what `ControlFiles.ensureSettled` throws.
 */
export async function previewCommit(engine: CommitEngine, folder: string): Promise<CommitPreview> {
  const { programs, hash } = (await openRepository(engine, folder)).found;
  return { programs, hash };
}

/**
 * Commits as `git commit --only`: other staged files stay staged. Throws `conflict` if the programs are not those of the
 * preview, `bad_input` if the folder is in no repository, nothing differs, git knows no author or a hook fails,
 * `not_allowed` for a path outside and for a repository in another folder, and what `ControlFiles.ensureSettled` throws.
 */
export async function commitFiles(
  engine: CommitEngine,
  { folder, message, paths, programs }: Commit,
): Promise<{ commit: string }> {
  const repository = await openRepository(engine, folder);
  const { git, found, workspace, top } = repository;
  for (const path of paths) await resolveInside(workspace, path);
  if (programs === undefined ? found.programs.length > 0 : programs !== found.hash)
    throw saidError('conflict', [phrase('commit_programs_changed')]);
  const files = paths.map((path) => relative(top, resolve(workspace.folder, path)));
  const present = await filterPresent(top, files);
  const added = present.length === 0 ? [] : await listUntracked(git, present);
  try {
    // Git knows a new file only after it is added. A deleted file is committed as deleted.
    if (present.length > 0) await git(['add', '--intent-to-add', '--', ...present.map(formatLiteral)]);
    await refuseOtherBranches(repository);
    const args = ['commit', '--quiet', '--only', '--message', message, '--', ...files.map(formatLiteral)];
    await git(args, {
      isForPerson: true,
      timeoutMs: COMMIT_MS,
      settings: [...found.pinned, ['maintenance.auto', 'false']],
    });
  } catch (error) {
    if (added.length > 0) await forgetFiles(git, added).catch(() => undefined);
    if (error instanceof TriadError && error.code !== 'internal') throw error;
    const output = readOutput(error);
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
  /** Runs git in `top`. If a file in the git directory changes, the settings are still those of this repository. */
  git: RunGit;
  found: GitPrograms;
}

async function openRepository(engine: CommitEngine, folder: string): Promise<PersonRepository> {
  const { git: program } = engine.workspaces;
  const workspace = await workspaceOf(engine, folder, false);
  await engine.workspaces.ensureStart(folder);
  const args = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const settings = [['safe.bareRepository', 'explicit']] as const;
  const output = await withRoot(workspace, (root) =>
    program.run({ args, cwd: root.through(workspace.folder), env: ALONE, settings }),
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
  const pinned = { GIT_DIR: gitFolder, GIT_COMMON_DIR: commonFolder, GIT_WORK_TREE: top };
  const git: RunGit = async (args, more = {}) => {
    const env = more.isForPerson ? pinned : { ...ALONE, ...pinned };
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
    found: await readGitPrograms(read, { top, commonFolder }, COMMIT),
  };
}

/** Throws `not_allowed` if the branches are in another git directory now: for them git ignores `GIT_COMMON_DIR`. */
async function refuseOtherBranches({ gitFolder, commonFolder }: PersonRepository): Promise<void> {
  const [current, expected] = await Promise.all([readCommonFolder(gitFolder), realpath(commonFolder)]);
  if ((await realpath(current).catch(() => null)) !== expected)
    throw new TriadError('not_allowed', `${gitFolder} names another repository now: ${current}`);
}

/** Throws `not_allowed` if a file that git writes in place is elsewhere. */
async function refuseForeign(git: RunGit, top: string, commonFolder: string): Promise<void> {
  const branch = (await git(['symbolic-ref', '--quiet', 'HEAD']).catch(() => 'HEAD')).trim();
  const names = [...WRITTEN, `logs/${branch}`].flatMap((name) => ['--git-path', name]);
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

/** Names a file to git, whatever characters its name has. */
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
function readOutput(error: unknown): string {
  const text = error instanceof TriadError ? (error.detail ?? '') : String(error);
  const lines = stripVTControlCharacters(text)
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter(Boolean);
  const output = lines.join('\n');
  return output.length > MAX_OUTPUT_CHARS ? `…${output.slice(-MAX_OUTPUT_CHARS)}` : output;
}
