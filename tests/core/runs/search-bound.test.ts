/** Searches of a run: few of its threads work at a time, however many are asked for, and ripgrep helps with long ones. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Threads } from '#core/tools/threads.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { RIPGREP } from '../../support/searching.ts';

const CALLS = 8;

/** Of threads, since it was called: those that got something to do, and the most that had at a time. */
function watched(): { taken: () => unknown[]; most: () => number } {
  const [take, keep] = [vi.spyOn(Threads.prototype, 'take'), vi.spyOn(Threads.prototype, 'keep')];
  onTestFinished(() => void vi.restoreAllMocks());
  const most = (): number => {
    const steps = [
      ...take.mock.invocationCallOrder.map((order) => ({ order, more: 1 })),
      ...keep.mock.invocationCallOrder.map((order) => ({ order, more: -1 })),
    ].sort((a, b) => a.order - b.order);
    let now = 0;
    return Math.max(...steps.map(({ more }) => (now += more)));
  };
  return { taken: () => take.mock.results.map(({ value }) => value as unknown), most };
}

/** Sends the first thread its task only when a second thread is taken, so that a fast search cannot end before that. */
function holdFirstTask(): void {
  const take = Reflect.get(Threads.prototype, 'take');
  let send = (): void => {};
  vi.spyOn(Threads.prototype, 'take')
    .mockImplementationOnce(function first(this: Threads) {
      const worker = take.call(this);
      worker.postMessage = (...task) => {
        Reflect.deleteProperty(worker, 'postMessage');
        send = () => worker.postMessage(...task);
      };
      return worker;
    })
    .mockImplementationOnce(function second(this: Threads) {
      send();
      return take.call(this);
    });
}

test(`runs ${CALLS} searches of one response two at a time`, async () => {
  holdFirstTask();
  const { most } = watched();
  const script = new Script();
  script.on({ step: 1 }).reply(Array.from({ length: CALLS }, (_, n) => toolUse('grep', { pattern: `workspace|${n}` })));
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script);
  await engine.ask('Search');
  const outputs = engine.model.requests[1]!.seen.results.map((result) => result.text);
  expect(outputs).toHaveLength(CALLS);
  for (const output of outputs) expect(output).toContain('A workspace');
  expect(most()).toBe(2);
});

test.skipIf(RIPGREP === null)('a long search of a run starts ripgrep in a separate thread', async () => {
  const started = new Set<Worker>();
  const note = (message: unknown): void => void started.add((message as { worker: Worker }).worker);
  // The first file alone takes longer than ripgrep needs to start.
  const long = { '0.txt': 'a line without it\n'.repeat(1_000_000) };
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}.txt`, n === 7 ? 'needle' : 'x']));
  const script = new Script();
  script.on({ step: 1 }).reply([toolUse('grep', { pattern: 'needle' })]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { files: { ...long, ...files } });
  const { taken } = watched();
  subscribe('worker_threads', note);
  onTestFinished(() => void unsubscribe('worker_threads', note));
  await engine.ask('Search');
  expect(engine.model.requests[1]!.seen.results.map((result) => result.text)).toEqual(['f7.txt:1:needle']);
  const searching = taken();
  expect(searching).toHaveLength(1);
  expect([...started].filter((worker) => !searching.includes(worker))).toHaveLength(1);
});
