/** Work that has ended leaves nothing behind: no handle, listener or child process, no object of a run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Peer } from '../../bench/peer.ts';
import type { ServerOperations } from '../../bench/server-process.ts';
import type { SideOperations } from '../../bench/side.ts';
import { eventually } from '../../support/eventually.ts';
import type { Held } from '../../support/held.ts';
import { builtProgram } from '../../support/program.ts';
import { inFullRun } from '../../support/samples.ts';

const WORKFLOWS = 6;
/** What a workflow leaves is there for each of them; what is not collected or closed yet makes a difference of a few. */
const FEW = WORKFLOWS / 3;

test.runIf(inFullRun)('workflows with three sub-agents each', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triad-held-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await Peer.start<ServerOperations>(process('server'), ['scripted', '0', '0']);
  onTestFinished(() => server.close());
  const ours = await Peer.start<SideOperations>(process('side'), ['ours', await server.ask('url'), folder]);
  onTestFinished(() => ours.close());
  // The first ones fill pools and caches.
  await ours.ask('batch', 4);
  const before = await ours.ask('held');
  await ours.ask('batch', WORKFLOWS);
  await eventually(async () => expect(grown(before, await ours.ask('held'))).toEqual([]));
});

function process(name: string): string {
  return builtProgram(join(import.meta.dirname, `../../bench/${name}-process.ts`));
}

function grown(before: Held, now: Held): string[] {
  return (Object.keys(before) as (keyof Held)[])
    .filter((name) => now[name] > before[name] + FEW)
    .map((name) => `${name}: ${before[name]} → ${now[name]}`);
}
