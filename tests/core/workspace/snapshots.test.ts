/** What a command changed is found, kept and put back, byte for byte, with real git. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { hasGit, keptPlace as place, paths } from '../../support/kept-place.ts';
import { treeOf } from '../../support/tree.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';

describe.skipIf(!hasGit)('with git', () => {
  test('undo and redo restore changed, deleted, created and replaced files with modes and links', async () => {
    const one = await place({
      'plain.txt': 'one\r\n',
      'run.sh': '#!/bin/sh\n',
      'private.txt': 'private',
      'only-mode.txt': 'same',
      'becomes-folder': 'file',
      'folder/becomes-file': 'inner',
      'gone/deep/a.bin': '\0\u0001',
      'notes.log': 'ignored, and kept',
      '.gitattributes': '* text=auto eol=lf\n*.sh filter=other\n',
      '.gitignore': '*.log\nbuild/\n',
      'build/out.js': 'made',
      'unchanged.txt': 'x',
    });
    const { at, folder } = one;
    await chmod(at('private.txt'), 0o600);
    await chmod(at('run.sh'), 0o755);
    await symlink('plain.txt', at('link'));
    await symlink('nowhere', at('broken'));
    const before = await treeOf(folder);
    const set = await one.track(async () => {
      await writeFile(at('plain.txt'), 'two\r\nthree');
      await chmod(at('run.sh'), 0o644);
      await rm(at('private.txt'));
      await chmod(at('only-mode.txt'), 0o640);
      await rm(at('becomes-folder'));
      await mkdir(at('becomes-folder'));
      await writeFile(at('becomes-folder/inner'), 'now inside');
      await rm(at('folder'), { recursive: true });
      await writeFile(at('folder'), 'now a file');
      await rm(at('gone'), { recursive: true });
      await writeFile(at('notes.log'), 'changed');
      await writeFile(at('build/out.js'), 'changed, and not kept');
      await rm(at('link'));
      await symlink('/etc/passwd', at('link'));
      await rename(at('broken'), at('renamed'));
      await mkdir(at('new/deep'), { recursive: true });
      await writeFile(at('new/deep/ü.txt'), 'new', { mode: 0o600 });
    });
    const after = await treeOf(folder);
    expect(paths(set)).toEqual([
      ...['becomes-folder', 'becomes-folder/inner', 'broken', 'folder', 'folder/becomes-file', 'gone/deep/a.bin'],
      ...['link', 'new/deep/ü.txt', 'notes.log', 'only-mode.txt', 'plain.txt', 'private.txt', 'renamed', 'run.sh'],
    ]);
    const { redo } = await one.undo(set!);
    // What git ignores as a whole folder is not kept, and said so where a command is asked for.
    const ignored = { 'build/out.js': after['build/out.js'] };
    expect(await treeOf(folder)).toEqual({ ...before, ...ignored });
    expect(await one.snapshots.notKept(one.workspace)).toEqual(['build/']);
    await one.undo(redo);
    expect(await treeOf(folder)).toEqual(after);
  });

  test('stores a snapshot of many files in few files', async () => {
    const files = Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`${n}.txt`, `${n}\n`]));
    const one = await place(files);
    const set = await one.track(() => rm(one.at('7.txt')));
    const kept = await readdir(join(one.data, 'snapshots'), { recursive: true, withFileTypes: true });
    expect(kept.filter((entry) => entry.isFile()).length).toBeLessThan(20);
    await one.undo(set!);
    expect(await readFile(one.at('7.txt'), 'utf8')).toBe('7\n');
  });

  test('finds a mode change in the second in which the file was written', async () => {
    const one = await place({ 'a.txt': 'one' });
    // Early in a second, so that all of it happens in the same one.
    await sleep(1000 - (Date.now() % 1000));
    await writeFile(one.at('a.txt'), 'two');
    const set = await one.track(() => chmod(one.at('a.txt'), 0o600));
    expect(set?.files.map(({ before, after }) => [before?.mode, after?.mode])).toEqual([[0o644, 0o600]]);
    expect(await one.track(() => Promise.resolve())).toBeNull();
  });

  test('finds only the changes of the call, no change if there is none, and lists new ignored folders', async () => {
    const one = await place({ 'a.txt': 'one', '.gitignore': 'data/\n' });
    expect(await one.track(() => Promise.resolve())).toBeNull();
    await writeFile(one.at('a.txt'), 'mine');
    const set = await one.track(async () => {
      await writeFile(one.at('b.txt'), 'new');
      await mkdir(one.at('data'));
      await writeFile(one.at('data/rows.csv'), 'new');
    });
    expect([paths(set), set?.notKept]).toEqual([['b.txt'], ['data/']]);
  });

  test('leaves the git repository of the workspace unchanged and does not store nested repositories', async () => {
    const one = await place({ 'a.txt': 'one', 'inner/b.txt': 'two' });
    const git = (...args: string[]) => spawnSync('git', ['-C', one.folder, ...args], { encoding: 'utf8' }).stdout;
    git('init', '-q');
    spawnSync('git', ['init', '-q', one.at('inner')]);
    git('add', 'a.txt');
    const own = async () => treeOf(one.at('.git'));
    const [before, status] = [await own(), git('status', '--short')];
    const set = await one.track(async () => {
      await writeFile(one.at('a.txt'), 'two');
      await writeFile(one.at('inner/b.txt'), 'changed');
    });
    expect(paths(set)).toEqual(['a.txt']);
    await one.undo(set!);
    expect(await own()).toEqual(before);
    expect(git('status', '--short')).toBe(status);
    expect(await one.snapshots.notKept(one.workspace)).toEqual(['inner/']);
  });

  test('does not store secret files or files of the program, and lists a file that is too large', async () => {
    const one = await place({ '.env': 'KEY=1', 'own/settings.json': '{}', 'a.txt': 'one' });
    const workspace = workspaceIn(one.folder, { own: [one.at('own')] });
    const call = one.call();
    await writeFile(one.at('large.bin'), '');
    await truncate(one.at('large.bin'), 17 * 2 ** 20);
    await one.snapshots.open(workspace, call);
    await writeFile(one.at('.env'), 'KEY=2');
    await writeFile(one.at('own/settings.json'), '[]');
    await writeFile(one.at('a.txt'), 'two');
    await truncate(one.at('large.bin'), 18 * 2 ** 20);
    const set = await one.snapshots.close(workspace, call);
    expect([paths(set), set?.notKept]).toEqual([['a.txt'], ['large.bin']]);
    expect(await one.snapshots.notKept(workspace)).toEqual(['large.bin']);
    expect(Object.values(await treeOf(one.data)).some((file) => file.includes(btoa('KEY=')))).toBe(false);
  });

  test('assigns changes of a killed program to the call that was running then', async () => {
    const one = await place({ 'a.txt': 'one' });
    const call = one.call();
    await one.snapshots.open(one.workspace, call);
    await writeFile(one.at('a.txt'), 'two');
    // Another program, which knows nothing of it.
    const { changes, snapshots } = new Workspaces({ kept: join(one.data, 'kept'), data: one.data }, process.env);
    await writeFile(join(one.data, 'snapshots', 'index.lock'), '');
    await snapshots.settle(one.workspace);
    const { sets } = await changes.of(call.conversationId);
    expect(sets.map((set) => [set.toolCallId, paths(set)])).toEqual([[call.toolCallId, ['a.txt']]]);
    await writeFile(one.at('a.txt'), 'three');
    expect(await snapshots.settle(one.workspace)).toBeNull();
  });

  test('with two open calls assigns each change to the latest call, and the earlier call gets its own changes', async () => {
    const one = await place({ 'a.txt': 'one' });
    const [server, command] = [one.call(), one.call()];
    await one.snapshots.open(one.workspace, server);
    await writeFile(one.at('a.txt'), 'by the server');
    await one.snapshots.open(one.workspace, command);
    await writeFile(one.at('b.txt'), 'by the command');
    expect(paths(await one.snapshots.close(one.workspace, command))).toEqual(['b.txt']);
    await writeFile(one.at('a.txt'), 'by the server again');
    await one.snapshots.close(one.workspace, server);
    const { sets } = await one.workspaces.changes.of(server.conversationId);
    const mine = sets.find(({ toolCallId }) => toolCallId === server.toolCallId);
    expect(paths(mine ?? null)).toEqual(['a.txt']);
    await one.undo(mine!);
    expect(await treeOf(one.folder)).toMatchObject({ 'a.txt': expect.stringContaining(btoa('one')) as string });
  });
});

test('does not restore a file in place of a folder that holds other files', async () => {
  const one = await place({ a: 'file' });
  const set = await one.track(async () => {
    await rm(one.at('a'));
    await mkdir(one.at('a'));
    await writeFile(one.at('a/b'), 'its own');
  });
  await writeFile(one.at('a/mine'), 'mine');
  const before = await treeOf(one.folder);
  const { plan } = await one.undo(set!);
  expect(plan.files.map(({ path, outcome, why }) => [path, outcome, why])).toEqual([
    ['a', 'conflict', { key: 'folder_is_there', values: { path: 'a/mine' } }],
    ['a/b', 'put_back', null],
  ]);
  const { 'a/b': _, ...left } = before;
  expect(await treeOf(one.folder)).toEqual(left);
});

test('snapshots are available only if git is installed', async () => {
  const folder = await folderWith();
  const { snapshots } = new Workspaces({ kept: folder, data: folder }, { PATH: '/nowhere' });
  expect(await snapshots.isAvailable()).toBe(hasGit);
});
