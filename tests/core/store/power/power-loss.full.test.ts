/**
 * A loss of power with the writes of the embedded engine too: strace records every write and sync of a real program and
 * of the programs that it starts.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fullTest } from '../../../support/samples.ts';
import { testFolder } from '../support.ts';
import { type Operation, readTree } from './disk.ts';
import { buildLosses, chooseMoments, expectPromises } from './losses.ts';
import { readPromises } from './promises.ts';
import { readTrace, straceArguments } from './trace.ts';

const PORTABLE =
  'tests/core/store/power/power-loss.test.ts › acknowledged data survives a power loss, and purged data does not return';
const PROGRAM = join(import.meta.dirname, '../child/power.ts');
/** False on other systems, and in containers that let no process watch another. */
const canTrace = spawnSync('strace', ['-f', 'true']).status === 0;

async function makeBase() {
  const base = await testFolder();
  const top = join(base, 'data');
  mkdirSync(top);
  return { base, top };
}

function traced(base: string, top: string, task: string): Operation[] {
  const [trace, lines] = [join(base, `trace-${task}`), join(base, `lines-${task}`)];
  const program = [process.execPath, PROGRAM, top, lines, task];
  const { status, stderr } = spawnSync('strace', [...straceArguments(trace), ...program]);
  expect(status, stderr.toString()).toBe(0);
  const operations = readTrace(trace, top, lines);
  rmSync(trace);
  return operations;
}

fullTest(PORTABLE, canTrace)('acknowledged data survives a power loss, including writes of the engine', async () => {
  const { base, top } = await makeBase();
  const operations = traced(base, top, 'work');
  const moments = chooseMoments(operations, { dropped: 20, parts: 25 });
  await expectPromises(
    buildLosses({ top, initial: [{ kind: 'mkdir', path: top }], operations }, moments, join(base, 'l')),
  );
});

fullTest(PORTABLE, canTrace)(
  'acknowledged data survives a power loss after a recovery of a damaged store',
  async () => {
    const { base, top } = await makeBase();
    const before = readPromises(traced(base, top, 'work'));
    rmSync(join(top, 'store', 'CURRENT'));
    const initial = readTree(top);
    const operations = traced(base, top, 'again');
    const moments = chooseMoments(operations, { dropped: 10, parts: 10 });
    await expectPromises(buildLosses({ top, initial, operations, before }, moments, join(base, 'l')));
  },
);
