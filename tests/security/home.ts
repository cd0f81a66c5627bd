/** A home folder with secrets, whose workspace a command attacks. */
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { runShell, type ShellCommand } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn } from '../core/workspace/shell/support.ts';
import { workspaceIn } from '../support/workspace.ts';

const SECRETS = ['.config/triad/key', '.ssh/id_ed25519', '.aws/credentials', 'notes/private.txt', '.gitconfig'];

/** Git with an author, and with repositories of this machine as submodules. */
export const GIT =
  'git -c user.name=a -c user.email=a@b -c protocol.file.allow=always -c init.defaultBranch=main -c advice.detachedHead=false';

/** A person's home folder with secrets, and a workspace that is a repository. */
export async function makeHome(prefix = '/var/tmp/triad-sandbox-') {
  // Outside of TMPDIR, which may be in memory.
  const root = await realpath(await mkdtemp(prefix));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [home, folder] = [join(root, 'home'), join(root, 'home/project')];
  for (const path of SECRETS) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), `[user]\n\tname = HIDDEN ${path}\n[credential]\n\thelper = HIDDEN\n`);
  }
  await promisify(execFile)('git', ['init', '-q', '-b', 'main', folder]);
  const own = [join(home, '.config/triad')];
  const run = async (command: string, more: Partial<ShellCommand> = {}): Promise<string> => {
    const workspace = workspaceIn(folder, { own });
    const shell = await shellIn({ workspace, sandbox, env: { ...process.env, HOME: home }, ...more });
    return (await runShell({ ...shell, command })).output.head;
  };
  /** Runs a script outside the sandbox, in the home folder. */
  const runOutside = (script: string) => promisify(execFile)('bash', ['-ec', script], { cwd: home });
  return { home, folder, run, runOutside };
}

/** Everything in a folder but the workspace, with its content, permissions and time of change. */
export async function readState(folder: string, skipped: string): Promise<string[]> {
  // Without types of entries, links would be followed.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const outside = paths.filter((path) => !join(folder, path).startsWith(skipped)).sort();
  return Promise.all(
    outside.map(async (path) => {
      const { mode, mtimeMs } = await lstat(join(folder, path));
      return `${path} ${mode} ${mtimeMs} ${await readFile(join(folder, path), 'utf8').catch(() => '')}`;
    }),
  );
}
