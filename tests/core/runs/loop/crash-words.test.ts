/** A program that dies in a response that was acted upon keeps the words after the call that had come whole. */
import { expect, test } from 'vitest';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Harness, startAgain, startEngine } from '../../../support/engine.ts';
import { type Block, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { chunksOf } from '../../../support/fake-model/stream.ts';
import { Gate } from '../../../support/gate.ts';
import { variations } from '../../../support/samples.ts';

test.each(
  variations([
    ['whole text after the call is part of the response, cut text is not', text('cut words', { deltas: 3 }), []],
    ['the name of an unfinished call is stored', toolUse('write_file', { path: 'a', content: 'b' }), ['write_file']],
  ] as [string, Block, string[]][]),
)('%s', async (_, lost, calls) => {
  const free = new Gate();
  const store = await memoryStore();
  let dead = false;
  const writes: Promise<void>[] = [];
  /** What it would write after its death is not written. */
  const commit: Harness['store']['commit'] = (...input) => {
    if (dead) return Promise.resolve();
    const write = store.commit(...input);
    writes.push(write);
    return write;
  };
  const blocks = [toolUse('list_directory', { path: '.' }), text('Whole words.'), lost];
  // The end of the last block and of the message never come.
  const after = chunksOf(blocks, {}, 0, () => 'id').length - 4;
  const script = new Script()
    .on({ turn: 1 })
    .reply(blocks, { hold: free.at(after) })
    .on({})
    .reply([text('x')]);
  const engine = await startEngine(script, { store: { ...lasting(store), commit } });
  const { runId } = await engine.send('Go');
  await eventually(async () => {
    const [open] = await store.openMessages();
    expect(open?.parts.length).toBe(3);
  });
  dead = true;
  await Promise.all(writes);
  // Another process would find the store like this.
  await startAgain(engine, lasting(store));
  const entries = await store.entriesOf(runId);
  free.open();
  const answer = entries.find(({ kind }) => kind === 'assistant');
  expect(answer).toMatchObject({
    interrupted: false,
    parts: [{ type: 'tool_use' }, { type: 'text', text: 'Whole words.' }],
    cut: { calls },
  });
});
