/** Work that has ended leaves nothing behind: no handle, listener or child process, no object of a run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Transcript } from '#core/store/log/transcript.ts';
import { RunTree } from '#core/runs/workflow/run-tree.ts';
import { Peer } from '../../bench/peer.ts';
import type { ServerOperations } from '../../bench/server-process.ts';
import type { SideOperations } from '../../bench/side.ts';
import { startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { collectGarbage, type Held } from '../../support/held.ts';
import { builtProgram } from '../../support/program.ts';
import { fullTest } from '../../support/samples.ts';

const WORKFLOWS = 6;
/** What a workflow leaves is there for each of them; what is not collected or closed yet makes a difference of a few. */
const FEW = WORKFLOWS / 3;

/** Returns references to the runs and transcripts of the workflows that start from now on. */
function watchObjects(): WeakRef<object>[] {
  const watchedObjects = new WeakSet<object>();
  const refs: WeakRef<object>[] = [];
  for (const [prototype, name] of [
    [Transcript.prototype, 'add'],
    [RunTree.prototype, 'close'],
  ] as const) {
    const method = prototype[name as never] as (...all: unknown[]) => unknown;
    Object.assign(prototype, {
      [name]: function watched(this: object, ...all: unknown[]) {
        if (!watchedObjects.has(this)) refs.push(new WeakRef(this));
        watchedObjects.add(this);
        return method.apply(this, all);
      },
    });
    onTestFinished(() => void Object.assign(prototype, { [name]: method }));
  }
  return refs;
}

test('no reference remains to the runs and transcripts of a workflow that has ended', async () => {
  const refs = watchObjects();
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(['a', 'b', 'c'].map((name) => spawn({ name, prompt: `Look at ${name}.` })))
    .on({})
    .reply([text('# Report\n\nDone.')]);
  const engine = await startEngine(script);
  await engine.ask('Look');
  const count = refs.length;
  expect(count).toBeGreaterThan(4);
  await engine.ask('Look');
  const countLiveObjects = () => {
    collectGarbage();
    return refs.slice(0, count).filter((ref) => ref.deref() !== undefined).length;
  };
  await expect.poll(countLiveObjects, { timeout: 10_000 }).toBe(0);
});

fullTest(
  'tests/core/workflows/held.test.ts › no reference remains to the runs and transcripts of a workflow that has ended',
)('handles and listeners do not grow with workflows of three sub-agents each', { timeout: 180_000 }, async () => {
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
