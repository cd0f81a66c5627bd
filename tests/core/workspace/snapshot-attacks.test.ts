/** What a command does so that its change is not seen, or cannot be put back. */
import { chmod, link, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { hasGit, keptPlace, paths } from '../../support/kept-place.ts';
import { treeOf } from '../../support/tree.ts';
import { inFullRun } from '../../support/samples.ts';

const LARGE = 17 * 2 ** 20;

describe.skipIf(!hasGit)('with git', () => {
  test('a folder replaced by a link is restored with its files, or conflicts while the link stays', async () => {
    const one = await keptPlace({ 'd/sub/a.txt': 'one', 'd/b.txt': 'two', 'other/b.txt': 'two' });
    const before = await treeOf(one.folder);
    const set = await one.track(async () => {
      await rm(one.at('d'), { recursive: true });
      await symlink('other', one.at('d'));
    });
    expect([paths(set), set?.notKept]).toEqual([['d', 'd/b.txt', 'd/sub/a.txt'], []]);
    const linked = await treeOf(one.folder);
    const inside = { ...set!, files: set!.files.filter(({ path }) => path !== 'd') };
    const { plan } = await one.undo(inside);
    expect(plan.files.map(({ outcome, why }) => [outcome, why])).toEqual(
      Array.from({ length: 2 }, () => ['conflict', { key: 'folder_is_link', values: { folder: 'd' } }]),
    );
    expect(await treeOf(one.folder)).toEqual(linked);
    const { redo } = await one.undo(set!);
    expect(await treeOf(one.folder)).toEqual(before);
    await one.undo(redo);
    expect(await treeOf(one.folder)).toEqual(linked);
  });

  test('a file that becomes too large keeps its old version, and a shrunk large file does not count as new', async () => {
    const one = await keptPlace({ 'a.txt': 'one' });
    const grown = await one.track(() => truncate(one.at('a.txt'), LARGE));
    expect([paths(grown), grown?.notKept]).toEqual([['a.txt'], ['a.txt']]);
    const { plan } = await one.undo(grown!);
    const why = { key: 'as_it_is', values: { words: `a.txt is too large to be kept (${LARGE} bytes)` } };
    expect(plan.files).toMatchObject([{ outcome: 'conflict', why }]);
    const cut = await one.track(() => truncate(one.at('a.txt'), 2));
    expect([paths(cut), cut?.notKept]).toEqual([[], ['a.txt']]);
    await rm(one.at('a.txt'));
    await one.undo(grown!);
    expect(await treeOf(one.folder)).toEqual({ 'a.txt': expect.stringContaining(btoa('one')) as string });
  });

  test('lists files that became too large since the last snapshot as not stored', async () => {
    const one = await keptPlace({ 'a.txt': 'one' });
    await one.snapshots.settle(one.workspace);
    await truncate(one.at('a.txt'), LARGE);
    await writeFile(one.at('new.bin'), '');
    await truncate(one.at('new.bin'), LARGE);
    expect(await one.snapshots.notKept(one.workspace)).toEqual(['a.txt', 'new.bin']);
  });

  test('stores a file named git~1, and lists other files with names that git rejects as not stored', async () => {
    const one = await keptPlace({ 'git~1': 'one', '.GIT/a.txt': 'two', 'b.txt': 'three' });
    await symlink('b.txt', one.at('.gitmodules'));
    const set = await one.track(() => writeFile(one.at('git~1'), 'changed'));
    expect(set).toMatchObject({ files: [{ path: 'git~1', before: { bytes: 3 } }], notKept: [] });
    expect(await one.snapshots.notKept(one.workspace)).toEqual(['.GIT/a.txt', '.gitmodules']);
  });

  test('finds a change within a second with equal size and a reset time, also after two snapshots', async () => {
    // Early in a second, so that all of it happens in the same one; it nearly always does.
    if (inFullRun) await wait(1000 - (Date.now() % 1000));
    const one = await keptPlace({ 'a.txt': 'one', 'b.txt': 'same' });
    const old = new Date('2020-01-01');
    await utimes(one.at('a.txt'), old, old);
    await one.snapshots.settle(one.workspace);
    await one.snapshots.settle(one.workspace);
    const set = await one.track(async () => {
      await writeFile(one.at('a.txt'), 'two');
      await utimes(one.at('a.txt'), old, old);
      await chmod(one.at('b.txt'), 0o640);
    });
    expect(paths(set)).toEqual(['a.txt', 'b.txt']);
  });

  test('does not store a secret file under the name of a hard link', async () => {
    const one = await keptPlace({ '.env': 'KEY=1' });
    await link(one.at('.env'), one.at('harmless.txt'));
    await one.snapshots.settle(one.workspace);
    expect(await one.snapshots.notKept(one.workspace)).toEqual(['harmless.txt']);
    const git = await keptPlace({ 'harmless.txt': 'KEY=1' });
    await git.snapshots.settle(git.workspace);
    const objects = async ({ data }: { data: string }) =>
      Object.keys(await treeOf(data)).filter((path) => /objects\/..\//.test(path)).length;
    expect([await objects(one), await objects(git)]).toEqual([0, 1]);
  });

  test('reports a file without a stored version as not kept, instead of as empty', async () => {
    const one = await keptPlace({ 'a.txt': 'one' });
    await one.snapshots.settle(one.workspace);
    const kept = Object.keys(await treeOf(one.data)).find((path) => /objects\/..\//.test(path));
    await rm(join(one.data, kept!));
    const set = await one.track(() => writeFile(one.at('a.txt'), 'two'));
    expect([paths(set), set?.notKept]).toEqual([[], ['a.txt']]);
  });

  test('restores a link whose target is not valid UTF-8', async () => {
    const one = await keptPlace();
    const target = Buffer.from([0xff, 0xfe]);
    await symlink(target, one.at('link'));
    const set = await one.track(() => rm(one.at('link')));
    await one.undo(set!);
    const again = await one.track(() => rm(one.at('link')));
    expect(again?.files[0]?.before).toEqual(set?.files[0]?.before);
  });
});
