/** Kill -9 around a compaction that the person asks for while three calls are open and one is done: right calls, right results, nothing twice. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { liveUntil } from '../../../support/crash.ts';
import { summarising, SUMMARISER, words } from '../../../support/fake-model/compacting.ts';
import { spawn } from '../../../support/fake-model/scenarios.ts';
import { type Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-compaction-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

/** One call is done, two wait for the person, the last is a sub-agent whose first answer hangs. */
const script = (): Script =>
  summarising()
    .on({ leads: true, lastUser: /The child has looked/ })
    .reply([text('Done.')])
    .on({ leads: false, step: 1 })
    .reply([text('Half a')], { hangAfter: 3, times: 1 })
    .on({ leads: false })
    .reply([text('# Report\nThe child has looked.')])
    .on({ step: 1 })
    .reply([text('The first step.'), toolUse('list_directory', { path: '.' })])
    .on({ step: 2 })
    .reply([
      toolUse('read_file', { path: 'none.md' }, { id: 'call_0' }),
      toolUse('write_file', { path: 'a.md', content: 'A' }, { id: 'call_a' }),
      toolUse('write_file', { path: 'b.md', content: 'B' }, { id: 'call_b' }),
      spawn({ name: 'looker', prompt: 'Look closely.' }, 'call_c'),
    ]);

const brokenOff = (): Script =>
  summarising()
    .on({ lastUser: /Room was made/ })
    .reply([text('Done.')])
    .on({ step: 1 })
    .reply([words(3_000, 'The old part. '), toolUse('list_directory', { path: '.' })])
    .on({})
    .reply([text('Half')], { stopReason: 'model_context_window_exceeded' });

type Event = DurableEvent['type'] | `${DurableEvent['type']}#${number}`;

async function killedAfter(what: Event, played = script(), compacts = true) {
  const model = await startFakeModel(played);
  const folder = join(root, `${what.replace('#', '-')}-${compacts}`);
  await mkdir(folder);
  const life = { data: `${folder}-data`, url: model.url, folder };
  try {
    const resume = await liveUntil(what, life, { compacts });
    const before = model.requests.length;
    const result = await resume();
    const files = await Promise.all(
      ['a.md', 'b.md'].map((name) => readFile(join(folder, name), 'utf8').catch(() => null)),
    );
    return { ...result, files, requests: model.requests, before };
  } finally {
    await model.close();
  }
}

function expectRight({ end, events, files, requests }: Awaited<ReturnType<typeof killedAfter>>): void {
  expect(end).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(files).toEqual(['A', 'B']);
  const results = events.flatMap((event) =>
    event.type === 'tool-end' && event.parentRunId === null ? [event.entry.toolCallId] : [],
  );
  expect(results.slice(1).sort(), 'each call has one result').toEqual(['call_0', 'call_a', 'call_b', 'call_c']);
  const { seen } = requests.at(-1)!;
  expect(seen.results.map(({ id, text: said }) => [id, said])).toEqual([
    ['call_0', expect.stringContaining('none.md')],
    ['call_a', expect.stringContaining('a.md')],
    ['call_b', expect.stringContaining('b.md')],
    ['call_c', expect.stringContaining('The child has looked.')],
  ]);
}

test(
  'a kill after the summary is stored keeps the summary and gives every call its own result',
  { timeout: 120_000 },
  async () => {
    const killed = await killedAfter('compaction');
    expectRight(killed);
    const { seen } = killed.requests.at(-1)!;
    expect(seen.prompt).toContain('The notes of the model.');
    expect(JSON.stringify(seen.body)).not.toContain('The first step.');
    expect(killed.events.filter(({ type }) => type === 'compaction')).toHaveLength(1);
  },
);

test(
  'a kill during the summary request discards the summary and counts the request',
  { timeout: 120_000 },
  async () => {
    const killed = await killedAfter('request-start#4');
    expectRight(killed);
    expect(killed.events.filter(({ type }) => type === 'compaction')).toEqual([]);
    expect(JSON.stringify(killed.requests.at(-1)?.body)).toContain('The first step.');
    const summaries = killed.events.filter((event) => event.type === 'usage' && event.request.purpose === 'compaction');
    expect(summaries).toMatchObject([{ request: { reported: false, error: { code: 'interrupted' } } }]);
    expect(killed.requests.filter(({ seen }) => SUMMARISER.test(seen.system)).length).toBeLessThanOrEqual(1);
  },
);

test(
  'a kill after the compaction for a cut-off answer resumes without a second compaction',
  { timeout: 120_000 },
  async () => {
    const { end, events } = await killedAfter('compaction', brokenOff(), false);
    expect(end).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(events.filter(({ type }) => type === 'compaction')).toHaveLength(1);
  },
);
