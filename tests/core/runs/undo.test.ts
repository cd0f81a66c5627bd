/** What a call replaced is kept, and put back by a person; that can be taken back, and nothing that came since is lost. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TRASH_DAYS } from '#contract/limits.ts';
import type { TriadError } from '#core/base/errors.ts';
import { newId } from '#core/base/ids.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { Changes } from '#core/workspace/changes.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { hasGit } from '../../support/kept-place.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

type Engine = Awaited<ReturnType<typeof startEngine>>;

/** An engine in which the lead has replaced `a.txt`, which could be run, and made `new/b.txt`. */
async function written(options: Parameters<typeof startEngine>[1] = {}): Promise<Engine> {
  const script = new Script();
  script
    .on({ step: 1 })
    .reply([
      toolUse('write_file', { path: 'a.txt', content: 'after' }),
      toolUse('write_file', { path: 'new/b.txt', content: 'made' }),
    ]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': '\0ÿ\n' }, ...options });
  await chmod(join(engine.folder, 'a.txt'), 0o750);
  await engine.ask('Write');
  return engine;
}

const changesOf = async ({ runtime, conversationId }: Engine) => {
  const rows = await runtime.request('change.list', { conversationId });
  return rows.flatMap(({ files, ...set }) => files.map((file) => ({ ...set, ...file })));
};

async function undo(engine: Engine, path: string, redo = false): Promise<void> {
  const change = (await changesOf(engine)).find((one) => one.path === path)!;
  const { conversationId, runId, toolCallId } = change;
  await engine.runtime.request('change.undo', { conversationId, target: { runId, toolCallId }, redo });
}

const states = async (engine: Engine) => (await changesOf(engine)).map(({ path, state }) => [path, state]);

test('undo restores bytes and mode and deletes a new file, and redo writes both again', async () => {
  const engine = await written();
  const at = (path: string): string => join(engine.folder, path);
  expect(await states(engine)).toEqual([
    ['a.txt', 'done'],
    ['new/b.txt', 'done'],
  ]);
  await undo(engine, 'a.txt');
  await undo(engine, 'new/b.txt');
  expect(await readFile(at('a.txt'), 'utf8')).toBe('\0ÿ\n');
  expect((await stat(at('a.txt'))).mode & 0o777).toBe(0o750);
  await expect(readFile(at('new/b.txt'))).rejects.toThrow('ENOENT');
  expect(await states(engine)).toEqual([
    ['a.txt', 'undone'],
    ['new/b.txt', 'undone'],
  ]);
  await undo(engine, 'a.txt', true);
  await undo(engine, 'new/b.txt', true);
  expect(await readFile(at('a.txt'), 'utf8')).toBe('after');
  expect(await readFile(at('new/b.txt'), 'utf8')).toBe('made');
});

test.skipIf(!hasGit)('undoes one hunk of a file, and marks a committed file as kept', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const changedLines = lines.with(0, 'first').with(19, 'last');
  const script = new Script();
  script
    .on({ step: 1 })
    .reply([
      toolUse('write_file', { path: 'list.txt', content: `${changedLines.join('\n')}\n` }),
      toolUse('write_file', { path: 'new.txt', content: 'made\n' }),
    ]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { files: { 'list.txt': `${lines.join('\n')}\n` } });
  await engine.ask('Write');
  const { runtime, conversationId, folder } = engine;
  const [change] = await changesOf(engine);
  const target = { runId: change!.runId, toolCallId: change!.toolCallId, path: 'list.txt' };
  const getHunks = async () => (await runtime.request('change.diff', { conversationId, ...target })).hunks;
  expect(await getHunks()).toHaveLength(2);
  const secondHunk = { ...target, hunk: 1 };
  await runtime.request('change.undo', { conversationId, target: secondHunk });
  expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe(`${lines.with(0, 'first').join('\n')}\n`);
  expect((await getHunks()).map(({ state }) => state)).toEqual(['done', 'undone']);
  await runtime.request('change.undo', { conversationId, target: secondHunk, redo: true });
  expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe(`${changedLines.join('\n')}\n`);

  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'person@example.com');
  await mkdir(join(folder, '.git/hooks'), { recursive: true });
  await writeFile(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
  const commit = { conversationId, message: 'Add it', paths: ['new.txt'] };
  await expect(runtime.request('change.commit', commit)).rejects.toMatchObject({ code: 'conflict' });
  const { programs, hash } = await runtime.request('change.preview-commit', { conversationId });
  expect(programs).toEqual([{ kind: 'hook', name: 'pre-commit', command: '.git/hooks/pre-commit' }]);
  await runtime.request('change.commit', { ...commit, programs: hash });
  expect(git('show', '--name-only', '--format=%s', 'HEAD').split('\n').filter(Boolean)).toEqual(['Add it', 'new.txt']);
  const getKeptFlags = async () => (await changesOf(engine)).map((file) => [file.path, file.kept]);
  expect(await getKeptFlags()).toEqual([
    ['list.txt', false],
    ['new.txt', true],
  ]);
  await runtime.request('change.keep', { conversationId, target, kept: true });
  expect(await getKeptFlags()).toEqual([
    ['list.txt', true],
    ['new.txt', true],
  ]);
});

test('reports a file as already undone only if the file on disk equals its state before the call', async () => {
  const engine = await written();
  await undo(engine, 'new/b.txt');
  const path = join(engine.folder, 'new/b.txt');
  const { conversationId, runtime } = engine;
  const [{ runId, workflowId: fromWorkflowId } = { runId: '', workflowId: '' }] = await changesOf(engine);
  const preview = async (target: object) => {
    const files = await runtime.request('change.undo', { conversationId, target, preview: true });
    return files.map(({ outcome }) => outcome);
  };
  const expectOutcomes = async (state: string, outcome: string): Promise<void> => {
    expect(await states(engine)).toContainEqual(['new/b.txt', state]);
    for (const target of [{ fromWorkflowId }, { runId }]) expect(await preview(target)).toEqual([outcome, 'put_back']);
  };
  await expectOutcomes('undone', 'already');
  await mkdir(join(engine.folder, 'new'));
  await writeFile(path, 'made');
  await expectOutcomes('done', 'put_back');
  await writeFile(path, 'made by another conversation');
  await expectOutcomes('changed', 'conflict');
  await runtime.request('change.undo', { conversationId, target: { fromWorkflowId }, leave: true });
  expect(await readFile(path, 'utf8')).toBe('made by another conversation');
});

test('each undo emits one event of the run that wrote the file, and the call shows its state in a snapshot', async () => {
  const engine = await written();
  await undo(engine, 'a.txt');
  await undo(engine, 'a.txt');
  expect(engine.of('change-undo')).toMatchObject([{ path: 'a.txt', undone: true, agent: 'lead' }]);
  const { conversationId, runtime } = engine;
  const undone = async () =>
    (await runtime.request('conversation.snapshot', { conversationId })).calls.map((call) => call.undone ?? false);
  expect(await undone()).toEqual([true, false]);
  await undo(engine, 'a.txt', true);
  expect(await undone()).toEqual([false, false]);
  const { calls } = await runtime.request('conversation.snapshot', { conversationId });
  expect(await runtime.request('run.calls', { runId: calls[0]?.runId ?? '' })).toEqual(calls);
  const times = engine.of('change-undo').map(({ at }) => at);
  expect(calls.map(({ wrote, undos }) => [wrote, undos])).toEqual([
    [
      'a.txt',
      [
        { path: 'a.txt', undone: true, at: times[0] },
        { path: 'a.txt', undone: false, at: times[1] },
      ],
    ],
    ['new/b.txt', undefined],
  ]);
});

test('rejects an undo of an unknown call, without the folder, with changed stored bytes, or in the trash', async () => {
  const engine = await written();
  const { conversationId, runtime } = engine;
  await rename(engine.folder, `${engine.folder}-moved`);
  expect(await states(engine)).toEqual([
    ['a.txt', 'gone'],
    ['new/b.txt', 'gone'],
  ]);
  // Also a file that was made does not count as undone.
  for (const path of ['a.txt', 'new/b.txt'])
    await expect(undo(engine, path)).rejects.toMatchObject({
      code: 'not_found',
      message: `The folder ${engine.folder} is not there any more`,
    });
  await rename(`${engine.folder}-moved`, engine.folder);

  const [change] = await changesOf(engine);
  const target = { runId: change!.runId, toolCallId: 'other' };
  await expect(runtime.request('change.undo', { conversationId, target })).rejects.toMatchObject({ code: 'not_found' });

  const kept = join(`${engine.folder}-replaced`, conversationId, `${change?.before?.hash}.bytes`);
  const bytes = await readFile(kept);
  await writeFile(kept, 'other');
  await expect(undo(engine, 'a.txt')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('is not kept any more, or was changed') as string,
  });
  await writeFile(kept, bytes);

  await runtime.request('conversation.delete', { conversationId });
  await expect(undo(engine, 'a.txt')).rejects.toMatchObject({
    code: 'conflict',
    message: 'This conversation is in the trash: restore it first',
  });
  expect(engine.of('change-undo')).toEqual([]);
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('after');
});

test('undo never overwrites a file that changed since, and counts a created file deleted since as undone', async () => {
  const engine = await written();
  await writeFile(join(engine.folder, 'a.txt'), 'mine');
  await rm(join(engine.folder, 'new/b.txt'));
  const refused = await undo(engine, 'a.txt').catch((error: unknown) => error as TriadError);
  const words = 'a.txt: what was changed since is in the way. Nothing was undone; what it held before is kept in ';
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining(words) as string });
  expect(await readFile((refused as TriadError).message.slice(words.length), 'utf8')).toBe('\0ÿ\n');
  await expect(undo(engine, 'a.txt', true)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Nothing of this is undone',
  });
  await undo(engine, 'new/b.txt');
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('mine');
  expect(await states(engine)).toEqual([
    ['a.txt', 'changed'],
    ['new/b.txt', 'undone'],
  ]);
});

test('shows a file restored by another program as undone, and can redo it', async () => {
  const engine = await written();
  const { conversationId, runtime, folder } = engine;
  const [change] = await changesOf(engine);
  const target = { runId: change!.runId, toolCallId: change!.toolCallId };
  const ask = (redo: boolean) => runtime.request('change.undo', { conversationId, target, redo });
  const at = join(folder, 'a.txt');
  await writeFile(at, '\0ÿ\n');
  await chmod(at, 0o750);
  expect(await states(engine)).toContainEqual(['a.txt', 'undone']);
  expect(await ask(false)).toEqual([{ path: 'a.txt', outcome: 'already' }]);
  expect(await ask(true)).toEqual([{ path: 'a.txt', outcome: 'put_back' }]);
  expect(await readFile(at, 'utf8')).toBe('after');
  expect(engine.of('change-undo').map(({ undone }) => undone)).toEqual([true, false]);
  expect(await ask(true)).toEqual([{ path: 'a.txt', outcome: 'already' }]);
  expect(await ask(false)).toEqual([{ path: 'a.txt', outcome: 'put_back' }]);
  expect(await ask(true)).toEqual([{ path: 'a.txt', outcome: 'put_back' }]);
});

test('rejects a redo of one file from a group that was undone together, with a reason for the screen', async () => {
  const engine = await written();
  const { conversationId, runtime } = engine;
  const [{ runId } = { runId: '' }] = await changesOf(engine);
  await runtime.request('change.undo', { conversationId, target: { runId } });
  await expect(undo(engine, 'a.txt', true)).rejects.toMatchObject({
    code: 'conflict',
    message: 'It was undone together with something else: take all of that back together',
    says: [{ key: 'undone_together', values: {} }],
  });
});

test('writes no file whose previous bytes cannot be stored', async () => {
  const script = new Script();
  script.on({ step: 1 }).reply([toolUse('write_file', { path: 'a.txt', content: 'after' })]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': 'before' } });
  // A file where the folder would be.
  await writeFile(`${engine.folder}-replaced`, '');
  await engine.ask('Write');
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('before');
  expect(engine.of('tool-end')[0]?.entry).toMatchObject({
    status: 'error',
    output: expect.stringContaining('not replaced') as string,
  });
});

test('a purge deletes the stored bytes, and a start removes only the remains of a killed purge', async () => {
  const [engine, store] = [await written(), await memoryStore()];
  const { conversationId, folder } = engine;
  const kept = `${folder}-replaced`;
  const before = await readdir(join(kept, conversationId));
  // Condemned, then killed: before the store deleted it, and after.
  await rename(join(kept, conversationId), join(kept, `${conversationId}.deleted`));
  await mkdir(join(kept, `${newId()}.deleted`));
  await startAgain(engine, lasting(engine.store));
  await expect.poll(() => readdir(kept)).toEqual([conversationId]);
  // The store is gone for one start, and another begins.
  await mkdir(join(kept, `${newId()}.deleted`));
  await startAgain(engine, store);
  await expect.poll(() => readdir(kept)).toEqual([conversationId]);
  expect(await readdir(join(kept, conversationId))).toEqual(before);
  expect(await states(engine)).toHaveLength(2);
  await mkdir(join(kept, 'of-none-that-is-there'));
  const undoRecord = {
    conversationId,
    folder,
    at: new Date().toISOString(),
    calls: [],
    files: [],
    folders: {},
    takesBack: [],
  };
  await new Changes(kept).startUndo({ ...undoRecord, id: newId(), redone: false }, []);
  await engine.runtime.request('conversation.delete', { conversationId });
  expect(await readdir(kept)).toContain(conversationId);
  expect(await readdir(join(kept, 'unfinished'))).toHaveLength(1);
  await engine.runtime.request('conversation.purge', { conversationId });
  expect(await readdir(kept)).not.toContain(conversationId);
  expect(await readdir(join(kept, 'unfinished'))).toEqual([]);
});

test('a start purges conversations that were in the trash too long, with their stored bytes', async () => {
  const engine = await written();
  const { conversationId, store, folder } = engine;
  await store.trash(conversationId, new Date(Date.now() - (TRASH_DAYS + 1) * 24 * 60 * 60 * 1000).toISOString());
  await startAgain(engine, lasting(store));
  await expect.poll(() => readdir(`${folder}-replaced`)).toEqual([]);
  expect(await store.conversation(conversationId)).toBeNull();
});
