/** An undo, a redo and a rewind that are interrupted at any step end as a whole or not at all. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composeRuntime, settingsOf } from '../../../support/compose.ts';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { fullTest, inFullRun, TEST_SEED } from '../../../support/samples.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';
import { type ChangedWorkspace, changedWorkspace, readTree } from './changed-workspace.ts';
import { countingStore, type InterruptionFault, interruptAt } from './interrupt.ts';
import { checkAgreement, type OperationKind, learnTrees, listOperations } from './operations.ts';

interface InterruptedWorkspace extends ChangedWorkspace {
  store: Harness['store'];
  trees: Awaited<ReturnType<typeof learnTrees>>;
  /** The program once more, as after the end of another process. */
  restart: (options?: { groupSize: number }) => ReturnType<typeof composeRuntime>;
}

async function start(): Promise<InterruptedWorkspace> {
  const memory = await memoryStore();
  onTestFinished(() => memory.close());
  const store = countingStore(lasting(memory));
  const world = await changedWorkspace(startEngine, { store });
  const { engine, folder } = world;
  const restart: InterruptedWorkspace['restart'] = (options) =>
    composeRuntime({ store, folder, url: engine.model.url, settings: settingsOf(''), ...options });
  return { ...world, store, restart, trees: await learnTrees(world) };
}

/**
 * Interrupts back and forth before each step, or before one of every few steps. The way forth takes the same kinds of
 * steps, so only the full run interrupts it as often as the way back. Returns the number of steps.
 */
async function interruptEachStep(
  world: InterruptedWorkspace,
  kind: OperationKind,
  fault: InterruptionFault,
  stride = 1,
): Promise<number> {
  const forthEvery = inFullRun ? 1 : 3;
  const { store, folder, folders, conversationId } = world;
  const [back, forth] = listOperations(world, world.trees, kind);
  let runtime = await world.restart();
  // Of the full run, the day's seed has every other step.
  const step = inFullRun ? 2 * stride : stride;
  const first = inFullRun ? Number(TEST_SEED) % step : 0;
  for (let at = first; ; at += step) {
    let isOver = true;
    for (const [before, after] of [[forth, back] as const, [back, forth] as const]) {
      if (after === forth && ((at - first) / step) % forthEvery !== 0) {
        await after.run(runtime);
        continue;
      }
      const since = await store.lastSeq(conversationId);
      const { end, error, steps } = await interruptAt(at, fault, folders, () => after.run(runtime));
      isOver &&= steps <= at;
      if (fault.kind === 'disk' && end === 'failed') checkWords(error, fault);
      if (end === 'killed') runtime = await world.restart();
      const isDone = await checkAgreement(world, runtime, [before, after], since);
      if (end === 'done') expect(isDone).toBe(true);
      if (!isDone) await after.run(runtime);
      expect(await readTree(folder)).toEqual(after.tree);
    }
    if (isOver) return at;
  }
}

function checkWords(error: unknown, { code }: Extract<InterruptionFault, { kind: 'disk' }>): void {
  const words = code === 'EIO' ? /^The disk of \/\S+ reports an error \(EIO\)\. / : /^The disk of \/\S+ is full\. /;
  expect(error).toMatchObject({ code: 'internal', message: expect.stringMatching(words) as string });
}

test('completes or rolls back a rewind that was killed before any of its steps', { timeout: 240_000 }, async () => {
  expect(await interruptEachStep(await start(), 'rewind', { kind: 'kill' })).toBeGreaterThan(30);
});

/** Kinds of steps that change a workspace. */
const STEPS = ['mkdir', 'open', 'writeFile', 'chmod', 'sync', 'symlink', 'rename', 'rm', 'rmdir'];

test('rolls back a rewind at the first step of each kind at which the disk fails', async () => {
  const world = await start();
  const { folder, folders, conversationId, store, runtime } = world;
  const [back, forth] = listOperations(world, world.trees, 'rewind');
  const hasStarted = async () =>
    (await readdir(join(`${folder}-replaced`, 'unfinished'))).some((name) => !name.startsWith('.'));
  for (const step of STEPS)
    for (const [before, after] of [[forth, back] as const, [back, forth] as const]) {
      const since = await store.lastSeq(conversationId);
      const fault = { kind: 'disk', code: 'EIO', lasts: false } as const;
      const isReached = async (name: string) => name === step && (await hasStarted());
      const { end, error } = await interruptAt(isReached, fault, folders, () => after.run(runtime));
      if (end === 'failed') {
        checkWords(error, fault);
        expect(error).toMatchObject({ message: expect.stringMatching(/ Nothing was (?:undone|done again)/) as string });
        expect(await readTree(folder), step).toEqual(before.tree);
      }
      if (!(await checkAgreement(world, runtime, [before, after], since))) await after.run(runtime);
    }
});

test('completes or rolls back a rewind whose disk is full, once it has space', async () => {
  await interruptEachStep(await start(), 'rewind', { kind: 'disk', code: 'ENOSPC', lasts: true }, inFullRun ? 1 : 5);
});

const COVERED =
  'tests/core/runs/undo/interrupted.test.ts › completes or rolls back a rewind that was killed before any of its steps';
fullTest(
  'tests/core/runs/undo/interrupted.test.ts › rolls back a rewind at the first step of each kind at which the disk fails',
)('completes or rolls back a rewind when any single disk step fails', async () => {
  await interruptEachStep(await start(), 'rewind', { kind: 'disk', code: 'EIO', lasts: false });
});

fullTest(COVERED)('completes or rolls back an undo and a redo that were killed before any of their steps', async () => {
  await interruptEachStep(await start(), 'undo', { kind: 'kill' });
});

fullTest(COVERED)(
  'completes or rolls back an undo and a redo whose quota is used up, once there is space',
  async () => {
    await interruptEachStep(await start(), 'undo', { kind: 'disk', code: 'EDQUOT', lasts: true });
  },
);

/** The paths of all temporary files in a tree. */
const listTemporaries = (tree: Record<string, string>): string[] =>
  Object.keys(tree).filter((path) => path.endsWith('.tmp'));

test('removes the temporary file of a killed redo, but no file of the person with a similar name', async () => {
  const world = await start();
  const { folder, folders, runtime, undo, trees } = world;
  await undo(runtime);
  await writeFile(join(folder, '.text.txt.0123456789ab.tmp'), 'mine');
  const killed = await world.restart();
  const hasTemporary = async () => listTemporaries(await readTree(folder)).some((path) => path.startsWith('new/deep/'));
  const { end } = await interruptAt(hasTemporary, { kind: 'kill' }, folders, () => undo(killed, true));
  expect(end).toBe('killed');
  expect(listTemporaries(await readTree(folder))).toHaveLength(2);
  await world.restart();
  expect(await readTree(folder)).toEqual({ ...trees.done, '.text.txt.0123456789ab.tmp': 'file 644 mine' });
});

test('does not remove a temporary file through a link that replaced its folder', async () => {
  const world = await start();
  const { folder, folders, runtime, undo } = world;
  await undo(runtime);
  const killed = await world.restart();
  const hasTemporary = async () => listTemporaries(await readTree(folder)).some((path) => path.startsWith('new/deep/'));
  await interruptAt(hasTemporary, { kind: 'kill' }, folders, () => undo(killed, true));
  const [temporary = ''] = listTemporaries(await readTree(folder));
  const outside = join(await folderWith(), 'new');
  await rename(join(folder, 'new'), outside);
  await symlink(outside, join(folder, 'new'));
  await world.restart();
  expect(existsSync(join(outside, temporary.slice('new/'.length)))).toBe(true);
});

test('rolls back the other files of a killed undo, but not a file that a person changed before the next start', async () => {
  const world = await start();
  const { folder, folders, runtime, undo, trees, conversationId, target, store } = world;
  const killed = await world.restart();
  // Text, link and folder are back by then.
  const isHalf = async () => (await readTree(folder))['text.txt'] === trees.undone['text.txt'];
  const { end } = await interruptAt(isHalf, { kind: 'kill' }, folders, () => undo(killed));
  expect(end).toBe('killed');
  const cutOff = await readTree(folder);
  expect([trees.done, trees.undone]).not.toContainEqual(cutOff);
  await writeFile(join(folder, 'text.txt'), 'mine');
  const since = await store.lastSeq(conversationId);
  const next = await world.restart();
  expect(await readTree(folder)).toEqual({ ...trees.done, 'text.txt': 'file 640 mine' });
  const rows = await next.request('change.list', { conversationId });
  const states = rows.flatMap(({ files }) => files.map(({ path, state }) => [path, state]));
  expect(states.filter(([path, state]) => (path === 'text.txt' ? state !== 'changed' : state !== 'done'))).toEqual([]);
  expect(await store.lastSeq(conversationId)).toBe(since);
  await expect(undo(next)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('text.txt') as string,
  });
  await next.request('change.undo', { conversationId, target, leave: true });
  expect(await readTree(folder)).toEqual({ ...trees.undone, 'text.txt': 'file 640 mine' });
  await runtime.close();
});

test('ignores damaged undo records, and undo records under the name of another record', async () => {
  const world = await start();
  const { folder, folders, undo, trees } = world;
  const killed = await world.restart();
  const isHalf = async () => (await readTree(folder))['text.txt'] === trees.undone['text.txt'];
  await interruptAt(isHalf, { kind: 'kill' }, folders, () => undo(killed));
  const cutOff = await readTree(folder);
  const unfinished = join(`${folder}-replaced`, 'unfinished');
  const [name = ''] = (await readdir(unfinished)).filter((one) => one.endsWith('.json'));
  await rename(join(unfinished, name), join(unfinished, `other-${name}`));
  await writeFile(join(unfinished, name), '{"id":');
  await world.restart();
  expect(await readTree(folder)).toEqual(cutOff);
});

test('completes a killed undo when its changes are listed, and every list shows the complete undo', async () => {
  const world = await start();
  const { folder, folders, undo, trees, conversationId } = world;
  const [killed, next] = [await world.restart(), await world.restart()];
  const isHalf = async () => (await readTree(folder))['text.txt'] === trees.undone['text.txt'];
  await interruptAt(isHalf, { kind: 'kill' }, folders, () => undo(killed));
  const looks = [0, 1].map(() => next.request('change.list', { conversationId }));
  for (const rows of await Promise.all(looks))
    expect(new Set(rows.flatMap(({ files }) => files.map(({ state }) => state)))).toEqual(new Set(['undone']));
  expect(await readTree(folder)).toEqual(trees.undone);
});

test('stores an undo whose files were restored before the kill, even if a person changed a file since', async () => {
  const world = await start();
  const { folder, folders, undo, trees, conversationId, store } = world;
  const killed = await world.restart();
  const since = await store.lastSeq(conversationId);
  await interruptAt(
    async (name) => name === 'commit',
    { kind: 'kill' },
    folders,
    () => undo(killed),
  );
  expect(await store.lastSeq(conversationId)).toBe(since);
  await writeFile(join(folder, 'text.txt'), 'mine');
  await world.restart();
  expect(await readTree(folder)).toEqual({ ...trees.undone, 'text.txt': 'file 640 mine' });
  expect(await store.events(conversationId, since + 1, 1e6)).toMatchObject([{ type: 'change-undo' }]);
});

test('stores the undo of one file of a call exactly once after a kill', async () => {
  const world = await start();
  const { folders, conversationId, store, runtime } = world;
  const [row] = await runtime.request('change.list', { conversationId });
  const target = { runId: row!.runId, toolCallId: row!.toolCallId, path: 'text.txt' };
  const killed = await world.restart();
  const since = await store.lastSeq(conversationId);
  const isStored = async () => (await store.lastSeq(conversationId)) > since;
  const { end } = await interruptAt(isStored, { kind: 'kill' }, folders, () =>
    killed.request('change.undo', { conversationId, target }),
  );
  expect(end).toBe('killed');
  await world.restart();
  expect(await store.events(conversationId, since + 1, 1e6)).toMatchObject([{ type: 'change-undo', path: 'text.txt' }]);
});

test('redoes only the files that the undo restored, and no file in conflict or already restored', async () => {
  const { folder, runtime, conversationId, target, trees } = await start();
  await writeFile(join(folder, 'text.txt'), 'mine');
  await rm(join(folder, 'first.txt'));
  const files = await runtime.request('change.undo', { conversationId, target, leave: true });
  const outcomes = Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
  expect([outcomes['text.txt'], outcomes['first.txt'], outcomes['link']]).toEqual(['conflict', 'already', 'put_back']);
  await runtime.request('change.undo', { conversationId, target, redo: true });
  const { 'first.txt': _, ...others } = trees.done;
  expect(await readTree(folder)).toEqual({ ...others, 'text.txt': 'file 600 mine' });
});
