/** A change of many files: all of them are compared, but only a few are open at once. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { changedWorkspace } from './changed-workspace.ts';

/** Returns the highest number of descriptors that work opens at once. */
async function countOpened(work: () => Promise<unknown>): Promise<number> {
  const count = (): number => readdirSync('/proc/self/fd').length;
  const before = count();
  let peak = before;
  let isOver = false;
  const look = (): void => {
    peak = Math.max(peak, count());
    if (!isOver) setImmediate(look);
  };
  look();
  await work();
  isOver = true;
  return peak - before;
}

test.runIf(process.platform === 'linux')(
  'an undo of many changed files opens a bounded number of files at once',
  async () => {
    const { undo, runtime, conversationId } = await changedWorkspace(startEngine, { many: 150 });
    const list = () => runtime.request('change.list', { conversationId });
    expect((await list())[0]?.files).toHaveLength(160);
    for (const work of [list, () => undo(runtime), () => undo(runtime, true)])
      expect(await countOpened(work)).toBeLessThan(130);
  },
);
