/** Kill -9 after two of three calls of a response had come and were done: it is marked as cut, and the model is told. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { liveUntil } from '../../../support/crash.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { chunksOf } from '../../../support/fake-model/stream.ts';
import { Gate } from '../../../support/gate.ts';
import { filesBelow } from '../../../support/session-files.ts';

test('a response cut off by a kill is marked in its entry, the next request and the Markdown of the session', async () => {
  const root = await mkdtemp(join(tmpdir(), 'triad-crash-cut-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const two = [toolUse('glob', { pattern: '*' }), toolUse('list_directory', { path: '.' })];
  const after = 1 + two.flatMap((block) => chunksOf([block], {}, 0, () => 'id').slice(0, -2)).length;
  const never = new Gate();
  const script = new Script()
    .on({ turn: 1 })
    .reply([...two, toolUse('glob', { pattern: '*.md' })], { hold: never.at(after + 1) })
    .on({})
    .reply([text('Done.')]);
  const model = await startFakeModel(script);
  onTestFinished(() => model.close());
  onTestFinished(() => never.open());
  const life = { data: join(root, 'store'), files: root, url: model.url, folder: root };
  const resume = await liveUntil('tool-end#2', life);
  const result = await resume();

  expect(result.end.outcome).toBe('completed');
  const responses = result.events.flatMap((event) =>
    event.type === 'message-end' && event.entry.kind === 'assistant' ? [event.entry] : [],
  );
  expect(responses).toMatchObject([
    { interrupted: false, parts: [{ name: 'glob' }, { name: 'list_directory' }], cut: {} },
    { interrupted: false, parts: [{ type: 'text' }] },
  ]);
  expect(responses[1]).not.toHaveProperty('cut');
  const told = model.requests.at(-1)?.seen;
  expect(told?.results).toHaveLength(2);
  expect(told?.lastUser).toMatch(/\[Triad: your response was cut off after these calls\. What followed is lost/);
  const files = Object.values(await filesBelow(join(root, 'sessions')));
  expect(files.some((page) => page.includes('The response was cut off here. What followed is lost'))).toBe(true);
});
