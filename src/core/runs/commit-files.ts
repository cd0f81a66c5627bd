/** Commits files of a workspace to the person's own git repository, with their message: what they chose, and nothing else. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { phrase } from '#contract/approvals/phrases.ts';
import { saidError, TriadError } from '../base/errors.ts';
import { resolveInside } from '../workspace/places.ts';
import { isInside } from '../workspace/reach.ts';
import type { Engine } from './engine.ts';
import { workspaceOf } from './workspace-of.ts';

interface Commit {
  folder: string;
  message: string;
  /** Relative to the folder. */
  paths: readonly string[];
}

/** Paths are paths, and nothing is fetched. */
const ALONE = { GIT_LITERAL_PATHSPECS: '1', GIT_ALLOW_PROTOCOL: 'none' };
/** Settings by which a commit would run something; whose are the person's own may. */
const PROGRAM = /^(filter\..*\.(clean|process)|gpg\.(.*\.)?(program|defaultkeycommand))$/i;
const OWN_SCOPE = /^(local|worktree)$/;

/** What a commit writes, not as a new file in the place of the old. */
const WRITTEN = ['COMMIT_EDITMSG', 'logs/HEAD'];

/**
 * As `git commit --only` does it: what else is staged stays so. Nothing of the repository is run, which an agent may have
 * made: hooks are left out. Throws `bad_input` where the folder is in no repository, nothing differs or git knows no
 * author, `not_allowed` for a path outside, and for a repository whose own settings name programs or another folder, and what
 * `ControlFiles.ensureSettled` throws.
 */
export async function commitFiles(
  engine: Pick<Engine, 'workspaces' | 'own' | 'permissions'>,
  { folder, message, paths }: Commit,
): Promise<{ commit: string }> {
  const { git, controlFiles } = engine.workspaces;
  const workspace = await workspaceOf(engine, folder, false);
  await controlFiles.ensureSettled(workspace);
  for (const path of paths) await resolveInside(workspace, path);
  const run: Run = async (args) => (await git.run({ args, cwd: folder, env: ALONE })).toString('utf8').trim();
  const refuse = (message: string) => (error: unknown) => {
    const detail = error instanceof TriadError ? error.detail : undefined;
    throw new TriadError('bad_input', detail ? `${message}: ${detail.split('\n').at(-1)}` : message, { cause: error });
  };
  const top = await run(['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    throw saidError('bad_input', [phrase('no_repository', { folder })], { cause: error });
  });
  await refuseForeign(run, workspace.folder, top);
  const there = await Promise.all(
    paths.map((path) =>
      stat(resolve(folder, path)).then(
        () => true,
        () => false,
      ),
    ),
  );
  const present = paths.filter((_, index) => there[index]);
  // What is new is not known to git until it is added; a file that is gone is committed as gone.
  if (present.length > 0)
    await run(['add', '--intent-to-add', '--', ...present]).catch(refuse('git could not add the files'));
  const commit = [
    '-c',
    'maintenance.auto=false',
    'commit',
    '--quiet',
    '--only',
    '--no-verify',
    '--message',
    message,
    '--',
    ...paths,
  ];
  await run(commit).catch(refuse('Nothing was committed'));
  return { commit: await run(['rev-parse', '--short', 'HEAD']) };
}

type Run = (args: readonly string[]) => Promise<string>;

/** Throws `not_allowed` for a repository that would run something, or whose files lie elsewhere. `top`: of its files. */
async function refuseForeign(run: Run, folder: string, top: string): Promise<void> {
  const set = (await run(['config', '--list', '--show-scope', '--name-only', '-z'])).split('\0');
  const program = set.find((name, index) => PROGRAM.test(name) && OWN_SCOPE.test(set[index - 1] ?? ''));
  if (program !== undefined || !isInside(await realpath(top), folder))
    throw new TriadError(
      'not_allowed',
      `The repository's own settings name ${program === undefined ? `another folder (${top})` : `a program (${program})`}: commit with git itself`,
    );
  const branch = await run(['symbolic-ref', '--quiet', 'HEAD']).catch(() => 'HEAD');
  const asked = [...WRITTEN, `logs/${branch}`].flatMap((one) => ['--git-path', one]);
  const [common = '', ...written] = (await run(['rev-parse', '--git-common-dir', ...asked])).split('\n');
  for (const path of written)
    if (await leadsOutside(resolve(folder, common), resolve(folder, path)))
      throw new TriadError('not_allowed', `${path} leads out of the repository: commit with git itself`);
}

async function leadsOutside(repository: string, path: string): Promise<boolean> {
  const there = await lstat(path).catch(() => null);
  // What is missing is made where the nearest folder above is.
  if (there === null) return path.length > repository.length && leadsOutside(repository, dirname(path));
  const [root, real] = await Promise.all([realpath(repository), realpath(path).catch(() => null)]);
  return real === null || !isInside(root, real);
}
