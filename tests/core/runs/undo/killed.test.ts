/** A process that is killed in the middle of an undo, and a disk that is full there: the next start ends it. */
import { spawnSync } from 'node:child_process';
import { cp, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { composeRuntime, settingsOf } from '../../../support/compose.ts';
import { startEngine } from '../../../support/engine.ts';
import { fullTest, TEST_SEED } from '../../../support/samples.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { folderWith } from '../../../support/workspace.ts';
import { storeAt } from '../../../support/stores/on-disk.ts';
import { startChild } from '../../store/child/run.ts';
import { Random } from '../../../soak/random.ts';
import { changedWorkspace, readTree } from './changed-workspace.ts';
import { checkAgreement, type OperationKind, learnTrees, listOperations } from './operations.ts';

const PROGRAM = join(import.meta.dirname, 'child/killed-undo.ts');
/** A step that an undo or a redo of 300 files reaches on each run: they have 1,149 and 864 steps. */
const LATE_STEP = 850;

/** A changed workspace whose program ends and starts again. */
async function start(many: number) {
  const data = await folderWith();
  let generation = 0;
  let place = join(data, '0');
  // A closed store stays locked in its process for a while. What is on the disk is what a kill leaves.
  const copyStore = async (): Promise<string> => {
    const copy = join(data, String(++generation));
    await cp(place, copy, { recursive: true });
    place = copy;
    return copy;
  };
  const world = await changedWorkspace(startEngine, { many, store: await storeAt(place) });
  const trees = await learnTrees(world);
  const { folder, conversationId, workflowId, engine } = world;
  const restart = async () => {
    const store = await storeAt(await copyStore());
    const runtime = await composeRuntime({ store, folder, url: 'http://127.0.0.1:9', settings: settingsOf('') });
    return { store, runtime };
  };
  /** Returns the number of steps; null if the process was killed. */
  const run = async (kind: OperationKind, direction: string, step: number): Promise<number | null> => {
    const child = startChild(PROGRAM, [
      await copyStore(),
      folder,
      conversationId,
      workflowId,
      kind,
      direction,
      String(step),
    ]);
    await child.ended;
    return child.process.signalCode === 'SIGKILL' ? null : Number(child.lines[0]);
  };
  return { ...world, trees, restart, run, seq: engine.durable().at(-1)?.seq ?? 0 };
}

type KilledWorkspace = Awaited<ReturnType<typeof start>>;

/** Kills a process before this step of the operation, starts the program again, and leaves the operation complete. */
async function killAt(
  world: KilledWorkspace,
  kind: OperationKind,
  direction: 'back' | 'forth',
  step: number,
): Promise<void> {
  const { folder, conversationId, trees, restart, run } = world;
  const [back, forth] = listOperations(world, trees, kind);
  const pair = direction === 'back' ? ([forth, back] as const) : ([back, forth] as const);
  const { seq } = world;
  expect(await run(kind, direction, step)).toBeNull();
  const { store, runtime } = await restart();
  const isDone = await checkAgreement({ folder, conversationId, store }, runtime, pair, seq);
  if (!isDone) await pair[1].run(runtime);
  expect(await readTree(folder)).toEqual(pair[1].tree);
  world.seq = await store.lastSeq(conversationId);
  await runtime.close();
}

test('completes or rolls back a rewind whose process was killed in the middle', async () => {
  await killAt(await start(0), 'rewind', 'back', 20);
});

const COVERED =
  'tests/core/runs/undo/killed.test.ts › completes or rolls back a rewind whose process was killed in the middle';
fullTest(COVERED)('completes or rolls back an undo, a redo and a rewind of 300 files after a kill', async () => {
  const random = new Random('kill in an undo', TEST_SEED);
  const world = await start(300);
  await killAt(world, 'undo', 'back', random.between(0, LATE_STEP));
  // The same step on each day: a redo that no longer reaches it fails at once, and not on a day with a high number.
  await killAt(world, 'undo', 'forth', LATE_STEP);
  await killAt(world, 'rewind', 'back', random.between(0, LATE_STEP));
  await killAt(world, 'rewind', 'forth', random.between(0, LATE_STEP));
});

/** Sizes of the space that is left on the disk, in bytes. */
const LEFT = [0, 8192, 65_536, 262_144];

fullTest(
  'tests/core/runs/undo/interrupted.test.ts › completes or rolls back a rewind whose disk is full, once it has space',
  process.getuid?.() === 0,
)('completes or rolls back a rewind of 300 files on a disk that is full', async ({ skip }) => {
  const disk = await folderWith();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]).status !== 0)
    return skip('no file system can be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  vi.stubEnv('TMPDIR', disk);
  onTestFinished(() => void vi.unstubAllEnvs());
  const store = await memoryStore();
  const world = await changedWorkspace(startEngine, { many: 300, store });
  const { runtime, conversationId } = world;
  const [back, forth] = listOperations(world, await learnTrees(world), 'rewind');
  const ballast = join(disk, 'ballast');
  for (const left of LEFT)
    for (const pair of [[forth, back] as const, [back, forth] as const]) {
      const seq = await store.lastSeq(conversationId);
      const { bavail, bsize } = await statfs(disk);
      await writeFile(ballast, Buffer.alloc(bavail * bsize - left));
      const error = await pair[1].run(runtime).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error !== null)
        expect(error).toMatchObject({ message: expect.stringMatching(/^The disk of \/\S+ is full\. /) as string });
      await rm(ballast);
      if (!(await checkAgreement({ ...world, store }, runtime, pair, seq))) await pair[1].run(runtime);
      if (left === 0) expect(error).not.toBeNull();
    }
});
