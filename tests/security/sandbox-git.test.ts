/** Git in the sandbox: attacks on its settings, and its ordinary work. */
import { lstat, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Git } from '#core/workspace/git.ts';
import { NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
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

  attack('a git directory that is a link', async () => {
    for (const replace of ['rm .git; cp -r store .git', 'mv store moved; cp -r moved store']) {
      const { folder, run, runOutside } = await makeHome();
      await runOutside('cd project; mv .git store; ln -s store .git');
      const plant = 'for path in .git store; do echo planted >> $path/config; echo planted > $path/hooks/x; done';
      expect(await run(`${GIT} commit -q --allow-empty -m one && git log --format=%s; ${replace}; ${plant}`)).toMatch(
        /^one\n/,
      );
      expect(await readlink(join(folder, '.git'))).toBe('store');
      // The second command starts while the link of the first one is there.
      const first = run('cp -r store evil; ln -sfn evil .git; touch replaced; until [ -e done ]; do sleep 0.1; done');
      await runOutside('until [ -e project/replaced ]; do sleep 0.1; done');
      const second = run('until [ -L ready ]; do sleep 0.1; done');
      await run('touch done');
      await first;
      await runOutside('ln -s x project/ready');
      await second;
      expect(await readlink(join(folder, '.git'))).toBe('store');
      expect((await runOutside('cd project; cat .git/config .git/hooks/*; git log --format=%s')).stdout).toMatch(
        /^(?!.*planted).*\none\n$/s,
      );
    }
  });

  attack('settings and hooks of a git directory', async () => {
    const { folder, run, runOutside } = await makeHome();
    await runOutside(`git init -q lib; ${GIT} -C lib commit -q --allow-empty -m first
      cd project; ${GIT} submodule --quiet add ../lib sub; ${GIT} commit -qm one; ${GIT} worktree add -q ../tree; rm -r .git/modules/sub/hooks`);
    await run(`cd .git; for path in modules worktrees modules/sub worktrees/tree; do cp -r $path /tmp/copy; mv $path moved && cp -r /tmp/copy $path; rm -rf /tmp/copy; done
      rm -rf moved; mkdir -p modules/sub/hooks; echo planted | tee modules/sub/hooks/x modules/sub/config worktrees/tree/commondir worktrees/tree/gitdir`);
    const planted = await runOutside('grep -rl planted project/.git || true');
    expect(planted.stdout).toBe('');
    // A git directory whose settings are links is read only.
    await runOutside('cd project/.git; mv hooks ../hooks; ln -s ../hooks hooks');
    await run('rm .git/hooks; mkdir .git/hooks; echo planted > .git/hooks/x');
    expect((await lstat(join(folder, '.git/hooks'))).isSymbolicLink()).toBe(true);
  });

  test('commits in worktrees, submodules and subfolders, but cannot change their hooks and settings', async () => {
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

  test.each([
    [
      'changes branches, stashes and rebases in a repository that tracks a secret and agents',
      `mkdir -p certs .triad/agents; echo fixture > certs/k.pem; echo agent > .triad/agents/a.toml; ${GIT} add -f .; ${GIT} commit -qm one
       ${GIT} checkout -qb other; echo other > certs/k.pem; echo b > b.txt; ${GIT} add .; ${GIT} commit -qm two
       ${GIT} checkout -q main; echo c > c.txt; ${GIT} add .; ${GIT} commit -qm three; echo HIDDEN > .triad/private`,
      [
        'git status --short | grep -v private; git checkout -q other; cat certs/k.pem',
        `${GIT} rebase -q main; echo x >> b.txt; ${GIT} stash -q; ${GIT} stash pop -q; ${GIT} commit -qam four; git log --oneline | wc -l`,
        'git checkout -q main; cat certs/k.pem .triad/agents/a.toml; grep -r HIDDEN .triad; git diff --stat; echo changed > .triad/agents/a.toml',
      ],
      [/^other$/, /^4$/, /^fixture\nagent\n.*Permission denied\n.*Read-only file system$/],
    ],
    [
      'changes to a branch without a folder that has an ignored secret',
      `echo a > a; echo .env > .gitignore; ${GIT} add .; ${GIT} commit -qm one; ${GIT} checkout -qb other; mkdir sub; echo b > sub/b; ${GIT} add .; ${GIT} commit -qm two; echo HIDDEN > sub/.env`,
      [
        `git checkout -q main && git clean -qfd && git checkout -q other && touch sub/c && ${GIT} stash -qu && git stash pop -q && git status --short`,
      ],
      [/\n\?\? sub\/c$/],
    ],
    [
      'deletes repositories and worktrees that earlier commands made',
      `echo a > a; ${GIT} add .; ${GIT} commit -qm one`,
      [
        'git worktree add -q tree; git init -q sub; git clone -q . copy; git gc -q; ls',
        'cd copy && git checkout -qb n && cd .. && git worktree remove tree && rm -rf sub copy; ls; git worktree list | wc -l',
      ],
      [/^a\ncopy\nsub\ntree$/, /^a\n1$/],
    ],
  ])('git in the sandbox: %s', async (_, prepare, commands, outputs) => {
    const { home, run, runOutside } = await makeHome();
    await runOutside(`cd project; ${prepare}`);
    const options = { ...NO_OPTIONS, caches: join(home, '.config/triad/caches'), git: new Git(process.env) };
    for (const [index, command] of commands.entries())
      expect((await run(command, { options })).trim()).toMatch(outputs[index]!);
  });

  test('starts commands beside an index that is a pipe', async () => {
    const { home, run } = await makeHome();
    const options = { ...NO_OPTIONS, caches: join(home, '.config/triad/caches'), git: new Git(process.env) };
    await run('git init -q x; echo a > x/.env; mkfifo x/.git/index');
    expect(await run('echo started', { options })).toBe('started\n');
  });

  test('protects the repository of the person in the workspace, not one that a command made', async () => {
    const { run, runOutside } = await makeHome();
    await runOutside('cd project; git init -q theirs');
    await run('git init -q ours');
    const plant = 'echo planted >> ours/.git/config; cat ours/.git/config';
    expect(await run(plant, { write: 'files' })).not.toContain('\nplanted');
    await run('for name in theirs ours; do echo planted >> $name/.git/config; rm -rf $name; done; mv theirs other');
    expect((await runOutside('cd project; ls; cat theirs/.git/config')).stdout).toMatch(/^theirs\n(?!.*planted)/s);
  });
});
