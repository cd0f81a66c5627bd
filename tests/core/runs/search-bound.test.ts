/** However many searches an agent asks for at once, few of its threads work at a time, and all are answered. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const CALLS = 12;

test(`of ${CALLS} searches in one response two work at a time`, async () => {
  let most = 0;
  let now = 0;
  const count = (message: unknown): void => {
    now += 1;
    most = Math.max(most, now);
    (message as { worker: Worker }).worker.once('exit', () => (now -= 1));
  };
  subscribe('worker_threads', count);
  onTestFinished(() => void unsubscribe('worker_threads', count));
  const script = new Script();
  script.on({ step: 1 }).reply(Array.from({ length: CALLS }, (_, n) => toolUse('grep', { pattern: `workspace|${n}` })));
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script);
  await engine.ask('Search');
  const outputs = engine.model.requests[1]!.seen.results.map((result) => result.text);
  expect(outputs).toHaveLength(CALLS);
  for (const output of outputs) expect(output).toContain('A workspace');
  expect(most).toBe(2);
});
