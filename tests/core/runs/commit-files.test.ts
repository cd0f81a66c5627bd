/** A commit for the person runs nothing that an agent may have put into the repository. */
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitFiles } from '#core/runs/commit-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { hasGit } from '../../support/kept-place.ts';
import { variations } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

type Engine = Parameters<typeof commitFiles>[0];

/** `person`: of the environment of both; `more`: of the program's alone. */
async function repository(person: Record<string, string> = {}, more: Record<string, string> = {}) {
  const [folder, data, ran] = [await folderWith({ 'a.txt': 'one' }), await folderWith(), await folderWith()];
  const git = (...args: string[]): string =>
    spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8', env: { ...process.env, ...person } }).stdout;
  git('init', '-q', '-b', 'main');
  await appendFile(join(folder, '.git/config'), '[user]\n\tname = me\n\temail = me\n');
  const program = join(data, 'program');
  await writeFile(program, `#!/bin/sh\ntouch '${ran}/it'\ncat\n`);
  await chmod(program, 0o755);
  const engine = {
    workspaces: new Workspaces({ kept: data, data }, { ...process.env, ...person, ...more }),
    own: { folders: [], sessions: [] },
    permissions: { rules: () => Promise.resolve({ secretFiles: NO_FILES }) },
  } as unknown as Engine;
  const commit = () => commitFiles(engine, { folder, message: 'Why', paths: ['a.txt'] });
  return { folder, git, program, commit, hasRun: async () => (await readdir(ran)).length > 0 };
}

describe.skipIf(!hasGit)('with git', () => {
  test('a filter or a program that signs, which the repository names, is not run', async () => {
    const { folder, git, program, commit, hasRun } = await repository();
    await writeFile(join(folder, '.gitattributes'), '* filter=f\n');
    git('config', 'commit.gpgsign', 'true');
    for (const key of ['filter.f.clean', 'filter.f.process', 'gpg.program', 'gpg.ssh.program']) {
      git('config', key, program);
      await expect(commit(), key).rejects.toMatchObject({
        code: 'not_allowed',
        message: expect.stringContaining(key) as string,
      });
      expect(await hasRun(), key).toBe(false);
      git('config', '--unset', key);
    }
    expect(git('log', '--oneline')).toBe('');
  });

  test('nothing outside is committed where the repository says that its files lie elsewhere', async () => {
    const { git, commit } = await repository();
    git('config', 'core.worktree', await folderWith({ 'a.txt': 'from outside' }));
    await expect(commit()).rejects.toMatchObject({ code: 'not_allowed' });
  });

  test('nothing is written where a file or folder that a commit writes leads outside', async () => {
    const { folder, git, commit } = await repository();
    const outside = await folderWith({ 'file.txt': 'precious' });
    for (const name of variations(['COMMIT_EDITMSG', 'logs', 'logs/HEAD', 'logs/refs/heads/main'], 2)) {
      await mkdir(join(folder, '.git/logs/refs/heads'), { recursive: true });
      await rm(join(folder, '.git', name), { recursive: true, force: true });
      await symlink(name === 'logs' ? outside : join(outside, 'file.txt'), join(folder, '.git', name));
      await expect(commit(), name).rejects.toMatchObject({ code: 'not_allowed' });
      expect(await readFile(join(outside, 'file.txt'), 'utf8'), name).toBe('precious');
      expect(await readdir(outside), name).toEqual(['file.txt']);
      await rm(join(folder, '.git', name));
    }
    expect(git('log', '--oneline')).toBe('');
  });

  test('hooks are not run; the person’s own filters are, as with git; places that the environment names are not used', async () => {
    const global = join(await folderWith(), 'config');
    const elsewhere = await folderWith();
    const own = { HOME: join(global, '..'), XDG_CONFIG_HOME: join(global, '..') };
    const { folder, git, program, commit, hasRun } = await repository(own, { GIT_OBJECT_DIRECTORY: elsewhere });
    await writeFile(join(folder, '.git/hooks/post-commit'), `#!/bin/sh\n'${program}'`, { mode: 0o755 });
    await expect(commit()).resolves.toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{7}/) as string });
    expect(await hasRun()).toBe(false);
    expect(await readdir(elsewhere)).toEqual([]);
    await writeFile(join(global, '..', '.gitconfig'), `[filter "f"]\n\tclean = '${program}'\n`);
    await writeFile(join(folder, '.gitattributes'), '* filter=f\n');
    await writeFile(join(folder, 'a.txt'), 'two');
    await commit();
    expect(await hasRun()).toBe(true);
    expect(git('status', '--short', 'a.txt')).toBe('');
  });
});
