/** Files are edited in a run as a person agrees to it, what changed since it was read is refused, and each edit can be undone. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { answering, yes } from '../../support/compose.ts';
import { startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';

const edit = (path: string, old: string, fresh: string): Block =>
  toolUse('edit_file', { path, edits: [{ old_text: old, new_text: fresh }] });
const read = (path: string): Block => toolUse('read_file', { path });

test('edits a file as approved and undoes the edit byte for byte', async () => {
  const before = '\uFEFFone\r\n\ttwo  \r\nthree';
  const script = new Script()
    .step([read('a.txt')])
    .step([edit('a.txt', 'one\ntwo\n', 'one\n2\n')])
    .step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': before } });
  const { workflowId } = await engine.ask('Edit');
  const at = join(engine.folder, 'a.txt');
  const [asked] = engine.of('approval-request');
  expect(asked?.approval).toMatchObject({
    title: 'Edit a.txt (+1 −1)',
    risk: 'medium',
    reversible: true,
    subject: { tool: 'edit_file', preview: { path: 'a.txt', added: 1, removed: 1, created: false } },
  });
  const [, done] = engine.of('tool-end').map(({ entry }) => entry);
  expect(done).toMatchObject({
    status: 'completed',
    output:
      'Edited a.txt: 1 line added, 1 removed. The old_text of edit 1 differs in white space from what stands there (from line 1): look at the result.',
    metadata: {
      path: 'a.txt',
      undoable: true,
      matches: ['whitespace'],
      diff: expect.stringContaining('-\ttwo  \r') as string,
    },
  });
  expect(await readFile(at, 'utf8')).toBe('\uFEFFone\r\n\t2\r\nthree');
  const { runtime, conversationId } = engine;
  const [change] = await runtime.request('change.list', { conversationId });
  expect(change).toMatchObject({ files: [{ path: 'a.txt', state: 'done' }], tool: 'edit_file', workflowId });
  const { runId, toolCallId } = change!;
  await runtime.request('change.undo', { conversationId, target: { runId, toolCallId } });
  expect(await readFile(at, 'utf8')).toBe(before);
});

test('a run can edit a file again after its own edits', async () => {
  const script = new Script()
    .step([read('a.txt')])
    .step([toolUse('MultiEdit', { file_path: 'a.txt' })])
    .step([edit('a.txt', 'one', 'two')])
    .step([edit('a.txt', 'two', 'three')])
    .step([toolUse('write_file', { path: 'a.txt', content: 'four' })])
    .step([edit('a.txt', 'four', 'five')])
    .step([text('Done.')]);
  const engine = await startEngine(script, {
    files: { 'a.txt': 'one' },
  });
  await engine.ask('Edit');
  const [, unknown, ...others] = engine.of('tool-end').map(({ entry }) => entry);
  expect(unknown?.output).toContain('There is no tool "MultiEdit", but edit_file. Your tools are: ');
  expect(others.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('five');
});

test('a resumed run cannot edit a file that changed meanwhile until the file is read again', async () => {
  const store = await memoryStore();
  const script = new Script();
  script.on({ step: 1 }).reply([read('a.txt'), read('b.txt')]);
  script.on({ step: 2 }).reply([edit('a.txt', 'one', 'ONE'), edit('b.txt', 'one', 'ONE')]);
  script.on({ step: 3 }).reply([edit('a.txt', 'one', 'two')]);
  script.on({ step: 4 }).reply([read('a.txt')]);
  script.on({ step: 5 }).reply([edit('a.txt', 'one', 'two')]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, {
    store: lasting(store),
    person: () => null,
    files: { 'a.txt': 'one\n', 'b.txt': 'one\n' },
  });
  const { workflowId } = await engine.send('Go');
  await eventually(() => expect(engine.of('approval-request').length).toBeGreaterThan(0));
  await engine.runtime.close();
  await appendFile(join(engine.folder, 'a.txt'), 'more\n');
  const again = await startAgain(engine, store);
  await answering(again, yes);
  await again.request('workflow.resume', { workflowId });
  await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ status: 'completed' }));
  expect(await readFile(join(engine.folder, 'b.txt'), 'utf8')).toBe('ONE\n');
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('two\nmore\n');
  const outputs = engine.model.requests.flatMap(({ seen }) => seen.results.map((result) => result.text));
  expect(outputs.filter((output) => output.includes('has changed since you read it: read it again'))).not.toEqual([]);
});
