/** Commits files of a workspace to the person's own git repository, with their message: what they chose, and nothing else. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '../base/errors.ts';
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

/**
 * As `git commit --only` does it: what else is staged stays so. Nothing of the repository is run, which an agent may have
 * made: hooks are left out. Throws `bad_input` where the folder is in no repository, nothing differs or git knows no
 * author, `not_allowed` for a path outside, and for a repository whose own settings name programs or another folder.
 */
export async function commitFiles(
  engine: Pick<Engine, 'workspaces' | 'own' | 'permissions'>,
  { folder, message, paths }: Commit,
): Promise<{ commit: string }> {
  const { git } = engine.workspaces;
  const workspace = await workspaceOf(engine, folder, false);
  for (const path of paths) await resolveInside(workspace, path);
  const run = async (args: readonly string[]): Promise<string> =>
    (await git.run({ args, cwd: folder, env: ALONE })).toString('utf8').trim();
  const refuse = (message: string) => (error: unknown) => {
    const detail = error instanceof TriadError ? error.detail : undefined;
    throw new TriadError('bad_input', detail ? `${message}: ${detail.split('\n').at(-1)}` : message, { cause: error });
  };
  const top = await run(['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    throw new TriadError('bad_input', `${folder} is in no git repository`, { cause: error });
  });
  const set = (await run(['config', '--list', '--show-scope', '--name-only', '-z'])).split('\0');
  const program = set.find((name, index) => PROGRAM.test(name) && OWN_SCOPE.test(set[index - 1] ?? ''));
  if (program !== undefined || !isInside(await realpath(top), workspace.folder))
    throw new TriadError(
      'not_allowed',
      `The repository's own settings name ${program === undefined ? `another folder (${top})` : `a program (${program})`}: commit with git itself`,
    );
  const there = await Promise.all(
    paths.map((path) =>
      stat(join(folder, path)).then(
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
