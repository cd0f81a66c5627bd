/** The answers about changed control files: what is kept, put back or asked again. */
import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ControlDecision, ControlFiles } from '#core/workspace/control/control-files.ts';
import { Git } from '#core/workspace/git.ts';
import { folderWith } from '../support/workspace.ts';

describe('changed control files', () => {
  const start = async (files: Record<string, string>) => {
    const [folder, data] = [await folderWith(files), await folderWith()];
    const make = () => new ControlFiles(data, new Git(process.env), null);
    return { folder, workspace: { folder }, controlFiles: make(), make };
  };
  const answer = (decision: ControlDecision, before: () => Promise<unknown> = () => Promise.resolve()) => {
    const shown: string[][] = [];
    const ask = async (changes: readonly { path: string; change: string }[]) => {
      shown.push(changes.map(({ path, change }) => `${change} ${path}`));
      await before();
      return decision;
    };
    return { shown, ask };
  };

  test('are settled after the program was killed during the command', async () => {
    const { folder, workspace, controlFiles, make } = await start({ '.mcp.json': 'old', '.claude/a.md': 'one' });
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'new');
    await rm(join(folder, '.claude/a.md'));
    const { shown, ask } = answer('put_back');
    const { putBack } = await make().settle(workspace, ask);
    expect(shown).toEqual([['removed .claude/a.md', 'changed .mcp.json']]);
    expect(putBack).toHaveLength(2);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('old');
    expect(await readFile(join(folder, '.claude/a.md'), 'utf8')).toBe('one');
    expect((await make().settle(workspace, ask)).putBack).toEqual([]);
    expect(shown).toHaveLength(1);
  });

  test('are not reported if they changed while no command ran', async () => {
    const { folder, workspace, controlFiles } = await start({ '.mcp.json': 'old' });
    await controlFiles.beginCommand(workspace);
    controlFiles.endCommand(workspace);
    const { shown, ask } = answer('put_back');
    await controlFiles.settle(workspace, ask);
    await writeFile(join(folder, '.mcp.json'), 'mine');
    await controlFiles.beginCommand(workspace);
    controlFiles.endCommand(workspace);
    await controlFiles.settle(workspace, ask);
    expect(shown).toEqual([]);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('mine');
  });

  test('need approval again if they change before the answer', async () => {
    const { folder, workspace, controlFiles } = await start({});
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'shown');
    let changes = 0;
    const { shown, ask } = answer('keep', async () => {
      changes += 1;
      if (changes === 1) await writeFile(join(folder, '.mcp.json'), 'planted behind the question');
    });
    expect((await controlFiles.settle(workspace, ask)).kept).toMatchObject([
      { content: 'planted behind the question' },
    ]);
    expect(shown).toHaveLength(2);
  });

  test('need one approval for two commands, and a second if the second command changed more', async () => {
    const { folder, workspace, controlFiles } = await start({});
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'first');
    let isAnswered = false;
    const { shown, ask } = answer('keep', async () => {
      if (!isAnswered) await writeFile(join(folder, '.mcp.json'), 'second');
      isAnswered = true;
      expect(await controlFiles.settle(workspace, ask)).toEqual({ kept: [], putBack: [], movedTo: null });
    });
    const { kept } = await controlFiles.settle(workspace, ask);
    expect(kept).toMatchObject([{ content: 'second' }]);
    expect(shown).toHaveLength(2);
  });

  test('are restored to the approved version if a still running command changes them again', async () => {
    const { folder, workspace, controlFiles } = await start({});
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'one');
    await controlFiles.settle(workspace, answer('keep').ask);
    await writeFile(join(folder, '.mcp.json'), 'two');
    controlFiles.endCommand(workspace);
    await controlFiles.settle(workspace, null);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('one');
  });

  test('are restored without changes outside if a folder became a link', async () => {
    const { folder, workspace, controlFiles } = await start({
      '.claude/a.md': 'old',
      'sub/.git/config': '',
      'outside/a.md': 'mine',
    });
    await controlFiles.beginCommand(workspace);
    const outside = await folderWith({ 'a.md': 'mine', '.git/config': 'mine' });
    await rename(join(folder, '.claude'), join(folder, 'moved'));
    await symlink(outside, join(folder, '.claude'));
    await rename(join(folder, 'sub'), join(folder, 'elsewhere'));
    await symlink(outside, join(folder, 'sub'));
    await controlFiles.settle(workspace, null);
    expect(await readFile(join(folder, '.claude/a.md'), 'utf8')).toBe('old');
    expect(await readFile(join(outside, 'a.md'), 'utf8')).toBe('mine');
    expect(await readFile(join(outside, '.git/config'), 'utf8')).toBe('mine');
  });

  test('block further work if they cannot be restored', async () => {
    const { folder, workspace, controlFiles } = await start({ '.mcp.json': 'x'.repeat(2_000_000) });
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'new');
    const failure = /^\.mcp\.json cannot be put back/;
    await expect(controlFiles.settle(workspace, null)).rejects.toThrow(failure);
    await expect(controlFiles.settle(workspace, null)).rejects.toThrow(failure);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('new');
    expect((await controlFiles.settle(workspace, answer('keep').ask)).kept).toHaveLength(1);
  });

  test.each([
    ['a command', '[alias]\n\tst = !x'],
    ['an address that starts a program', '[remote "o"]\n\turl = ext::sh -c x'],
    ['a work tree outside', '[core]\n\tworktree = /etc'],
    ['other settings', '[include]\n\tpath = ../x'],
    ['a text that git cannot read', '[core'],
  ])('need approval for a git setting with %s', async (_, setting) => {
    const { folder, workspace, controlFiles } = await start({ 'a/.git/HEAD': 'ref: refs/heads/main' });
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, 'a/.git/config'), `${setting}\n`);
    const { shown, ask } = answer('keep');
    await controlFiles.settle(workspace, ask);
    expect(shown).toEqual([['added a/.git/config']]);
  });

  test('include settings of Triad that git would call harmless', async () => {
    const { folder, workspace, controlFiles } = await start({ '.claude/a.md': '' });
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.claude/config'), '[user]\n\tname = x\n');
    const { shown, ask } = answer('keep');
    await controlFiles.settle(workspace, ask);
    expect(shown).toEqual([['added .claude/config']]);
  });

  test('include the files from which servers are started', async () => {
    const { folder, workspace, controlFiles } = await start({ 'tools/server.js': 'old' });
    controlFiles.useStartedFiles(() => Promise.resolve(['tools/server.js']));
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, 'tools/server.js'), 'new');
    const { shown, ask } = answer('put_back');
    await controlFiles.settle(workspace, ask);
    expect(shown).toEqual([['changed tools/server.js']]);
    expect(await readFile(join(folder, 'tools/server.js'), 'utf8')).toBe('old');
  });

  test('block program starts while an approval is open or a command still runs', async () => {
    const { folder, workspace, controlFiles } = await start({});
    await controlFiles.beginCommand(workspace);
    await controlFiles.ensureSettled(workspace);
    await writeFile(join(folder, '.mcp.json'), 'new');
    await expect(controlFiles.ensureSettled(workspace)).rejects.toThrow(/^A running command changed/);
    controlFiles.endCommand(workspace);
    const { ask } = answer('keep', () =>
      expect(controlFiles.ensureSettled(workspace)).rejects.toThrow(/^Answer the question/),
    );
    await controlFiles.settle(workspace, ask);
    await controlFiles.ensureSettled(workspace);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('new');
  });

  test('of an interrupted command are put back before a program starts', async () => {
    const { folder, workspace, controlFiles, make } = await start({});
    await controlFiles.beginCommand(workspace);
    await writeFile(join(folder, '.mcp.json'), 'new');
    await make().ensureSettled(workspace);
    expect(await readdir(folder)).toEqual([]);
  });
});
