/** Git in the sandbox: attacks on its settings, and its ordinary work. */
import { readdir, lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { sandbox, shellIn, skipped, words } from '../core/workspace/shell/support.ts';
import { workspaceIn } from '../support/workspace.ts';
import { attack } from './attacks.ts';
import { GIT, makeHome } from './home.ts';

describe.skipIf(skipped)(`the sandbox (${words})`, () => {
  attack('a git directory that names a folder outside', async () => {
    const { home, folder, run } = await makeHome();
    await writeFile(join(home, 'notes/HEAD'), 'HIDDEN');
    await rm(join(folder, '.git'), { recursive: true });
    await run(
      `mkdir evil; echo 'gitdir: evil' > .git; echo ${folder}/.git > evil/gitdir; echo ${home}/notes > evil/commondir`,
    );
    expect(await run(`cat ${home}/notes/*; touch ${home}/notes/new`)).not.toContain('HIDDEN');
    await writeFile(join(folder, '.git'), `gitdir: ${join(home, 'notes')}\n`);
    expect(await run(`cat ${home}/notes/*; git status; touch ${home}/notes/new`)).not.toContain('HIDDEN');
    expect(await readdir(join(home, 'notes'))).toEqual(['HEAD', 'private.txt']);
  });

  attack('settings and hooks of a git directory', async () => {
    const { folder, run, runOutside } = await makeHome();
    await runOutside(`git init -q lib; ${GIT} -C lib commit -q --allow-empty -m first
      cd project; ${GIT} submodule --quiet add ../lib sub; ${GIT} commit -qm one; ${GIT} worktree add -q ../tree; rm -r .git/modules/sub/hooks`);
    await run(`cd .git; for path in modules worktrees modules/sub worktrees/tree; do cp -r $path /tmp/copy; mv $path moved && cp -r /tmp/copy $path; rm -rf /tmp/copy; done
      rm -rf moved; echo evil | tee commondir modules/sub/commondir; mkdir -p modules/sub/hooks; echo planted | tee modules/sub/hooks/x modules/sub/config worktrees/tree/commondir worktrees/tree/gitdir`);
    const planted = await runOutside('grep -rl planted project/.git || true; find project/.git -name commondir');
    expect(planted.stdout).toBe('project/.git/worktrees/tree/commondir\n');
    // A git directory whose settings are links is read only.
    await runOutside('cd project/.git; mv hooks ../hooks; ln -s ../hooks hooks');
    await run('rm .git/hooks; mkdir .git/hooks; echo planted > .git/hooks/x');
    expect((await lstat(join(folder, '.git/hooks'))).isSymbolicLink()).toBe(true);
  });

  test('commits in a worktree, in a submodule and below a repository whose hooks and settings it cannot change', async () => {
    const { home, runOutside } = await makeHome();
    await runOutside(`git init -q lib; ${GIT} -C lib commit -q --allow-empty -m first; git init -q main
      cd main; ${GIT} submodule --quiet add ../lib sub; ${GIT} commit -qm sub; mkdir below; echo b > b.txt; git add b.txt; ${GIT} commit -qm b; git worktree add -q ../tree`);
    const plant = (path: string) =>
      `echo planted >> ${path}/config; mkdir -p ${path}/hooks; echo planted > ${path}/hooks/x`;
    const commit = `echo a > a.txt && ${GIT} add a.txt && ${GIT} commit -qm one && echo done; git status --short; ${plant('$(git rev-parse --git-common-dir)')}`;
    for (const name of ['main/sub', 'main/below', 'tree']) {
      const workspace = workspaceIn(join(home, name));
      const shell = await shellIn({ workspace, sandbox, env: { ...process.env, HOME: home } });
      const { output } = await runShell({ ...shell, command: commit });
      // Files beside the workspace are no deleted ones.
      expect([name, output.head]).toEqual([name, expect.stringMatching(/^done\n(?! D)/)]);
    }
    const { stdout } = await runOutside('grep -r planted main/.git lib/.git || true');
    expect(stdout).toBe('');
  });
});
