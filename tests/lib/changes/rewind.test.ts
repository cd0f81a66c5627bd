// A message and its files go back in one request, and one line reports what was done to files, with the way back.
import { expect, it } from 'vitest';
import { Rewind } from '#lib/changes/rewind.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';
import { conversationId } from '../../support/recording.ts';

const { conversation } = new Rows().snapshot();
const TARGET = { fromWorkflowId: 'w' };
const BOTH = { files: true, messages: true, leave: false };
const UNDONE = 'Undone: 1 file as it was before.';

function setup() {
  const connection = new FakeConnection()
    .on('change.undo', () => [{ path: 'a.txt', outcome: 'put_back' }])
    .on('conversation.fork', () => conversation)
    .on('conversation.rewind', () => ({ conversation, files: [{ path: 'a.txt', outcome: 'put_back' }] }));
  let changed = 0;
  const rewind = new Rewind(connection, conversationId, () => (changed += 1));
  return { connection, rewind, methods: () => connection.calls.map(({ method }) => method), changed: () => changed };
}

it('forks and undoes files in one request, and can redo the files', async () => {
  const { rewind, methods, changed } = setup();
  expect(await rewind.go('w', BOTH)).toBe(conversation.id);
  expect(methods()).toEqual(['conversation.rewind']);
  expect(rewind.report).toEqual({ sentence: UNDONE, failed: false, files: TARGET });
  await rewind.redoFiles(TARGET);
  const sentence = 'Done again: 1 file as it was before the undo.';
  expect(rewind.report).toEqual({ sentence, failed: false, files: null });
  expect(changed()).toBe(2);
});

it('forks without an undo, or undoes without a fork, as selected', async () => {
  const { connection, rewind } = setup();
  expect(await rewind.go('w', { ...BOTH, files: false })).toBe(conversation.id);
  expect(rewind.report).toBeNull();
  expect(await rewind.go('w', { ...BOTH, messages: false })).toBeNull();
  expect(rewind.report).toEqual({ sentence: UNDONE, failed: false, files: TARGET });
  expect(connection.calls.map(({ method, input }) => [method, input])).toMatchObject([
    ['conversation.fork', { workflowId: 'w', end: 'before' }],
    ['change.undo', { target: TARGET, leave: false }],
  ]);
});

it('reports a failed fork with undo in one line, without a redo', async () => {
  const { connection, rewind, methods } = setup();
  connection.on('conversation.rewind', () => {
    throw new RequestError('conflict', 'a.txt: it was removed since');
  });
  expect(await rewind.go('w', BOTH)).toBeNull();
  expect(methods()).toEqual(['conversation.rewind']);
  expect(rewind.report).toEqual({ sentence: 'a.txt: it was removed since', failed: true, files: null });
});
