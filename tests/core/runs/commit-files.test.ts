/** A commit by the person runs the programs that git configures, and only after the person saw them. */
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitFiles, previewCommit } from '#core/runs/commit-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { Git } from '#core/workspace/git.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { hasGit } from '../../support/kept-place.ts';
import { variations } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

type Engine = Parameters<typeof commitFiles>[0];

/** A repository, and programs that record that they ran. `more`: variables of Triad. */
async function makeRepository(more: Record<string, string> = {}) {
  const [folder, data, ran] = [await folderWith({ 'a.txt': 'one' }), await folderWith(), await folderWith()];
  const env = { ...process.env, HOME: data, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string =>
    spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8', env }).stdout.trim();
  git('init', '-q', '-b', 'main', '--template=');
  await appendFile(join(folder, '.git/config'), '[user]\n\tname = me\n\temail = me\n');
  const workspaces = new Workspaces({ kept: data, data }, { ...env, ...more });
  const engine = {
    workspaces,
    own: { folders: [], sessions: [] },
    permissions: { rules: () => Promise.resolve({ secretFiles: NO_FILES }) },
  } as unknown as Engine;
  const write = async (path: string, script: string): Promise<string> => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const preview = () => previewCommit(engine, folder);
  return {
    folder,
    home: data,
    git,
    preview,
    /** Acts as a command in the background, before a command of git starts. */
    beforeGit: (command: string, act: () => Promise<void>) => {
      workspaces.git.run = async (call) => {
        if (call.args[0] === command) await act();
        return Git.prototype.run.call(workspaces.git, call);
      };
    },
    addHook: (name: string, script = `touch '${ran}/${name}'`, at = '.git/hooks') =>
      write(join(folder, at, name), script),
    /** Makes a program that copies its input, as a filter does. */
    addProgram: (name: string, script = `touch '${ran}/${name}'; cat`) => write(join(data, 'bin', name), script),
    commit: (programs?: string, at = folder) =>
      commitFiles(engine, { folder: at, message: 'Why', paths: ['a.txt'], programs }),
    commitSeen: async () =>
      commitFiles(engine, { folder, message: 'Why', paths: ['a.txt'], programs: (await preview()).hash }),
    listRan: () => readdir(ran).then((names) => names.sort()),
  };
}

/** A program like gpg, which signs with the name of a variable. */
const SIGNER = `cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo "signed in $GNUPGHOME"`;

describe.skipIf(!hasGit)('with git', () => {
  test('a commit runs no program if none is configured, and none is shown', async () => {
    const { folder, home, git, addHook, addProgram, preview, commit, listRan } = await makeRepository();
    const program = await addProgram('unused');
    await writeFile(
      join(home, '.gitconfig'),
      `[filter "lfs"]\n\tclean = ${program}\n\tprocess = ${program}\n\trequired\n`,
    );
    await addHook('pre-commit.sample');
    await addHook('pre-push');
    await chmod(await addHook('commit-msg'), 0o644);
    git('config', 'core.fsmonitor', program);
    expect((await preview()).programs).toEqual([]);
    const { commit: id } = await commit();
    expect(git('rev-parse', '--short', 'HEAD')).toBe(id);
    expect(await listRan()).toEqual([]);
    expect(git('status', '--short', 'a.txt')).toBe('');
    expect(await readdir(folder)).toEqual(['.git', 'a.txt']);
  });

  test('the preview lists hooks, filters and the program that signs', async () => {
    const { folder, git, addHook, preview } = await makeRepository();
    for (const name of ['pre-commit', 'post-commit']) await addHook(name);
    await writeFile(join(folder, '.gitattributes'), '*.txt filter=used\n');
    git('config', 'filter.used.clean', 'tidy --fast');
    git('config', 'filter.other.clean', 'never');
    git('config', 'commit.gpgSign', 'true');
    expect((await preview()).programs).toEqual([
      { kind: 'hook', name: 'pre-commit', command: '.git/hooks/pre-commit' },
      { kind: 'hook', name: 'post-commit', command: '.git/hooks/post-commit' },
      { kind: 'filter', name: 'used', command: 'tidy --fast' },
      { kind: 'signature', name: 'openpgp', command: 'gpg' },
    ]);
    await addHook('commit-msg', 'true', 'own-hooks');
    git('config', 'core.hooksPath', 'own-hooks');
    git('config', 'gpg.format', 'ssh');
    git('config', 'gpg.ssh.defaultKeyCommand', 'find-key');
    git('config', 'filter.used.process', 'tidy --serve');
    git('config', 'hook.lint.command', 'lint all');
    expect((await preview()).programs).toEqual([
      { kind: 'hook', name: 'commit-msg', command: 'own-hooks/commit-msg' },
      { kind: 'hook', name: 'lint', command: 'lint all' },
      { kind: 'filter', name: 'used', command: 'tidy --serve' },
      { kind: 'signature', name: 'ssh', command: 'ssh-keygen' },
      { kind: 'signature', name: 'ssh', command: 'find-key' },
    ]);
  });

  test('a commit that the person saw runs its hooks, filters and the program that signs', async () => {
    const { folder, git, addHook, addProgram, commitSeen, listRan } = await makeRepository({ GNUPGHOME: '/keys' });
    const hooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'];
    for (const name of hooks) await addHook(name);
    await writeFile(join(folder, '.gitattributes'), '*.txt filter=used\n');
    git('config', 'filter.used.clean', await addProgram('clean'));
    git('config', 'commit.gpgSign', 'true');
    git('config', 'gpg.program', await addProgram('sign', SIGNER));
    await commitSeen();
    expect(await listRan()).toEqual(['clean', ...hooks].sort());
    expect(git('cat-file', 'commit', 'HEAD')).toContain('signed in /keys');
  });

  test('a commit with programs that the person did not see is rejected', async () => {
    const { folder, git, addHook, preview, commit, listRan } = await makeRepository();
    const nothing = await preview();
    await addHook('pre-commit');
    const seen = await preview();
    const changes: (() => Promise<unknown>)[] = [
      () => addHook('pre-commit', 'echo other'),
      () => addHook('commit-msg'),
      () => Promise.resolve(git('config', 'commit.gpgSign', 'true')),
      () => Promise.resolve(git('config', 'core.hooksPath', 'elsewhere')),
      () => writeFile(join(folder, '.gitattributes'), '* filter=f\n'),
    ];
    git('config', 'filter.f.clean', 'cat');
    const expectRejected = async (hash?: string): Promise<void> => {
      await expect(commit(hash)).rejects.toMatchObject({
        code: 'conflict',
        says: [{ key: 'commit_programs_changed' }],
      });
    };
    await expectRejected();
    await expectRejected(nothing.hash);
    for (const change of changes) {
      await change();
      await expectRejected(seen.hash);
    }
    expect(await listRan()).toEqual([]);
    expect(git('log', '--oneline')).toBe('');
  });

  test('a failing hook is quoted by line, and the files and the index stay as they were', async () => {
    const { folder, git, addHook, commitSeen } = await makeRepository();
    await writeFile(join(folder, 'staged.txt'), 'staged');
    git('add', 'staged.txt');
    await addHook('pre-commit', `printf '\\033[31mThe tests\n\n  fail\\033[0m \n'; exit 3`);
    await expect(commitSeen()).rejects.toMatchObject({
      code: 'bad_input',
      message: 'Git failed: “The tests\n  fail”. Nothing was committed',
    });
    await addHook('pre-commit', 'yes "line of a linter" | head -n 300; exit 3');
    await expect(commitSeen()).rejects.toMatchObject({
      message: expect.stringMatching(/^Git failed: “….{1490,1510}linter”\. /s) as string,
    });
    await addHook('pre-commit', 'exit 3');
    await expect(commitSeen()).rejects.toMatchObject({ says: [{ key: 'commit_failed_silently' }] });
    expect(git('log', '--oneline')).toBe('');
    expect(git('status', '--short')).toBe('A  staged.txt\n?? a.txt');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one');
    await addHook('pre-commit', 'kill -9 $PPID');
    await expect(commitSeen()).rejects.toMatchObject({
      message: 'Git failed: “ended by SIGKILL”. Nothing was committed',
    });
  });

  test('a commit in a worktree, and in a folder of a repository, is on its branch', async () => {
    const { folder, git, addHook, commit } = await makeRepository();
    await commit();
    git('worktree', 'add', '-q', '-b', 'two', 'tree');
    await writeFile(join(folder, 'tree/a.txt'), 'two');
    await commit(undefined, join(folder, 'tree'));
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below/a.txt'), 'three');
    await commit(undefined, join(folder, 'below'));
    expect(git('show', 'two:a.txt')).toBe('two');
    expect(git('ls-tree', '-r', '--name-only', 'main')).toBe('a.txt\nbelow/a.txt');
    await addHook('pre-commit');
    await expect(commit(undefined, join(folder, 'tree'))).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a commit is rejected if .git names the branches of another repository meanwhile', async () => {
    const { folder, git, beforeGit, commit } = await makeRepository();
    spawnSync('git', ['init', '-q', '-b', 'main', '--template=', '--bare', join(folder, 'other')]);
    beforeGit('add', () => writeFile(join(folder, '.git/commondir'), '../other'));
    await expect(commit()).rejects.toMatchObject({ code: 'not_allowed' });
    await rm(join(folder, '.git/commondir'));
    expect(git('log', '--oneline', '--all')).toBe('');
    expect(git('status', '--short', 'a.txt')).toBe('?? a.txt');
  });

  test('a commit runs no program of another repository that .git names meanwhile', async () => {
    const { folder, git, addHook, addProgram, beforeGit, commitSeen, listRan } = await makeRepository();
    await writeFile(join(folder, '.gitattributes'), 'a.txt filter=used\n');
    git('config', 'filter.used.clean', 'cat');
    const other = join(folder, 'other');
    spawnSync('git', ['init', '-q', '-b', 'main', '--template=', '--bare', other]);
    const evil = await addProgram('evil');
    for (const key of ['filter.used.clean', 'core.fsmonitor']) spawnSync('git', ['-C', other, 'config', key, evil]);
    await addHook('pre-commit', undefined, 'other/hooks');
    beforeGit('commit', () => writeFile(join(folder, '.git/commondir'), other));
    await commitSeen().catch(() => undefined);
    expect(await listRan()).toEqual([]);
  });

  test('a commit runs no program that is planted after the person saw the list', async () => {
    const { folder, git, addHook, addProgram, beforeGit, commitSeen, listRan } = await makeRepository();
    const [evil, clean, sign] = [await addProgram('evil'), await addProgram('clean'), await addProgram('sign', SIGNER)];
    await writeFile(join(folder, '.gitattributes'), 'a.txt filter=used\n');
    git('config', 'filter.used.clean', clean);
    git('config', 'filter.unused.clean', evil);
    git('config', 'filter.unused.required', 'true');
    const plant = async (): Promise<void> => {
      await addHook('post-commit');
      await writeFile(join(folder, '.gitattributes'), 'a.txt filter=unused\n');
      git('config', 'commit.gpgSign', 'true');
      git('config', 'gpg.program', evil);
      git('config', 'core.worktree', await folderWith({ 'a.txt': 'from outside' }));
    };
    beforeGit('commit', plant);
    await commitSeen();
    expect(await listRan()).toEqual([]);
    git('config', '--unset', 'core.worktree');
    expect(git('show', 'HEAD:a.txt')).toBe('one');

    await rm(join(folder, '.git/hooks/post-commit'));
    await writeFile(join(folder, '.gitattributes'), 'a.txt filter=used\n');
    await writeFile(join(folder, 'a.txt'), 'two');
    git('config', 'gpg.program', sign);
    beforeGit('commit', async () => {
      git('config', 'gpg.program', evil);
      git('config', 'filter.used.clean', evil);
    });
    await commitSeen();
    expect(await listRan()).toEqual(['clean']);
  });

  test.for(['a hook', 'no hook'])('a commit in a partial clone with %s fetches no missing object', async (hooks) => {
    const { folder, git, addHook, addProgram, commitSeen, listRan } = await makeRepository();
    await mkdir(join(folder, 'b'));
    await writeFile(join(folder, 'b/c.txt'), 'c');
    git('add', 'b');
    git('commit', '-q', '-m', 'First');
    const tree = git('rev-parse', 'HEAD:b');
    await rm(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    if (hooks === 'a hook') await addHook('pre-commit', 'true');
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'remote.origin.url', 'ssh://host/repository');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'core.sshCommand', await addProgram('ssh'));
    git('config', 'extensions.partialClone', 'origin');
    await expect(commitSeen()).rejects.toThrow("transport 'ssh' not allowed");
    expect(await listRan()).toEqual([]);
  });

  test('a commit of an unchanged file fails, and runs no filter of a submodule', async () => {
    const { folder, git, addProgram, commit, listRan } = await makeRepository();
    const sub = join(folder, 'sub');
    const gitInSub = (...args: string[]) => git('-C', 'sub', '-c', 'user.name=me', '-c', 'user.email=me', ...args);
    spawnSync('git', ['init', '-q', '-b', 'main', '--template=', sub]);
    await writeFile(join(sub, '.gitattributes'), '*.txt filter=evil\n');
    await writeFile(join(sub, 'x.txt'), 'one');
    gitInSub('add', '.');
    gitInSub('commit', '-q', '-m', 'First');
    git('add', '.');
    git('commit', '-q', '-m', 'First');
    gitInSub('config', 'filter.evil.clean', await addProgram('evil'));
    await writeFile(join(sub, 'x.txt'), 'two');
    await expect(commit()).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('nothing to commit') as string,
    });
    await writeFile(join(folder, 'a.txt'), 'two');
    await commit();
    await expect(commit()).rejects.toThrow('nothing to commit');
    expect(await listRan()).toEqual([]);
  });

  test('a repository whose settings name another folder is rejected', async () => {
    const { git, commit } = await makeRepository();
    git('config', 'core.worktree', await folderWith({ 'a.txt': 'from outside' }));
    await expect(commit()).rejects.toMatchObject({ code: 'not_allowed' });
  });

  test('a commit is rejected if a file that git writes is a link to outside', async () => {
    const { folder, git, commit } = await makeRepository();
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

  test('a commit uses no folder that a variable of Triad names', async () => {
    const elsewhere = await folderWith();
    const { commit } = await makeRepository({ GIT_OBJECT_DIRECTORY: elsewhere });
    await commit();
    expect(await readdir(elsewhere)).toEqual([]);
  });
});
