/** A thread that has done its work does more, and knows nothing of what it did before; one that has not is ended. */
import { once } from 'node:events';
import { link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { Threads } from '#core/tools/threads.ts';
import { call, contextIn, folderWith } from '../../support/workspace.ts';

/** The threads that got something to do since, in order. */
function watched(): () => unknown[] {
  const take = vi.spyOn(Threads.prototype, 'take');
  onTestFinished(() => void vi.restoreAllMocks());
  return () => take.mock.results.map(({ value }) => value as unknown);
}

const grep = async (folder: string, pattern: string, timeoutMs = 20_000) =>
  (await call(grepTool({ timeoutMs }), { pattern }, contextIn(folder))).output;

test('reuses a thread after a completed search, and ends it after a failed or stopped search', async () => {
  const taken = watched();
  const folder = await folderWith({ 'a.txt': 'needle', 'b.txt': `${'a'.repeat(50)}!` });
  const unref = vi.spyOn(Worker.prototype, 'unref');
  expect(await grep(folder, 'needle')).toBe('a.txt:1:needle');
  expect(unref.mock.contexts, 'one that waits keeps no program from ending').toEqual(taken());
  expect(await grep(folder, '(')).toContain('Invalid regular expression');
  expect(await grep(folder, 'needle')).toBe('a.txt:1:needle');
  expect(await grep(folder, '^(a+)+b$', 60)).toContain('was stopped');
  const [first, failed, next, stopped] = taken() as Worker[];
  expect([failed === first, next === failed, stopped === next]).toEqual([true, false, true]);
  expect([failed, stopped].map((thread) => thread?.threadId)).toEqual([-1, -1]);
});

test('does not reuse a thread whose waiting time is over, even while the thread is still ending', async () => {
  const threads = new Threads(() => new URL('data:text/javascript,setInterval(() => {}, 1000)'), 64, 1);
  const first = threads.take();
  const ending = vi.spyOn(first, 'terminate');
  threads.keep(first);
  await new Promise<void>((resolve) => {
    ending.mockImplementation(() => {
      resolve();
      return Promise.resolve(0);
    });
  });
  const second = threads.take();
  expect(second).not.toBe(first);
  ending.mockRestore();
  await Promise.all([first.terminate(), second.terminate()]);
});

const waiting = () => new Threads(() => new URL('data:text/javascript,setInterval(() => {}, 1000)'), 64);

test('keeps at most two idle threads and reuses the most recently idle thread first', async () => {
  const threads = waiting();
  const [first, second, third] = [threads.take(), threads.take(), threads.take()];
  const ended = once(third, 'exit');
  for (const thread of [first, second, third]) threads.keep(thread);
  await ended;
  expect([threads.take() === second, threads.take() === first]).toEqual([true, true]);
  const next = threads.take();
  expect([first, second, third]).not.toContain(next);
  await Promise.all([first, second, next].map((thread) => thread.terminate()));
});

test('does not reuse a thread that ended while idle', async () => {
  const threads = waiting();
  const first = threads.take();
  threads.keep(first);
  await first.terminate();
  const second = threads.take();
  expect(second).not.toBe(first);
  await second.terminate();
});

test('a thread gets no environment variable except the folder of compiled code', async () => {
  vi.stubEnv('TRIAD_TEST_VARIABLE', 'x');
  onTestFinished(() => void vi.unstubAllEnvs());
  const script = `import { parentPort } from 'node:worker_threads'; parentPort.postMessage(Object.keys(process.env));`;
  const thread = new Threads(() => new URL(`data:text/javascript,${encodeURIComponent(script)}`), 64).take();
  const [names] = (await once(thread, 'message')) as [string[]];
  expect(names.filter((name) => name !== 'NODE_COMPILE_CACHE')).toEqual([]);
  await thread.terminate();
});

test('each search checks anew which files are secret and skips them, also in a reused thread', async () => {
  const taken = watched();
  const folder = await folderWith({ '.env': 'KEY', 'plain.txt': 'KEY', 'sub/.env': 'KEY' });
  await link(join(folder, 'plain.txt'), join(folder, 'same.txt'));
  expect(await grep(folder, 'KEY')).toBe('plain.txt:1:KEY\nsame.txt:1:KEY');
  await writeFile(join(folder, 'sub/.env.local'), 'KEY');
  await link(join(folder, 'sub/.env.local'), join(folder, 'twin.txt'));
  expect(await grep(folder, 'KEY')).toBe('plain.txt:1:KEY\nsame.txt:1:KEY');
  const [first, second] = taken();
  expect(second).toBe(first);
});
