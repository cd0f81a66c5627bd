// Files and messages are reverted in one request, and one line reports the result with the way back.
import { expect, it } from 'vitest';
import { Rewind } from '#lib/changes/rewind.svelte.ts';
import { RequestError } from '#lib/client/request-error.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { CONVERSATION } from '../support/story.ts';

const TARGET = { fromWorkflowId: 'w' };
const BOTH = { files: true, messages: true, leave: false };
const DONE = 'The lead is not told any more of that message and of what came after it.';

function setup() {
  const connection = new FakeConnection()
    .on('change.undo', () => [{ path: 'a.txt', outcome: 'put_back' }])
    .on('conversation.rewind', ({ files }) => ({ files: files ? [{ path: 'a.txt', outcome: 'put_back' }] : [] }));
  let changed = 0;
  const rewind = new Rewind(connection, CONVERSATION, () => (changed += 1));
  return { connection, rewind, methods: () => connection.calls.map(({ method }) => method), changed: () => changed };
}

it('reverts files and messages in one request, and takes back each of both alone', async () => {
  const { rewind, methods, changed } = setup();
  await rewind.go('w', BOTH);
  expect(methods()).toEqual(['conversation.rewind']);
  const both = { failed: false, files: TARGET, messages: 'w' };
  expect(rewind.report).toEqual({ sentence: `Undone: 1 file as it was before. ${DONE}`, ...both });
  await rewind.redoFiles(TARGET);
  expect(rewind.report).toEqual({ ...both, sentence: 'Done again: 1 file as it was before the undo.', files: null });
  await rewind.tell('w');
  expect(rewind.report).toMatchObject({ sentence: 'The lead is told of it again.', files: null, messages: null });
  expect(changed()).toBe(3);
});

it('reverts only what was chosen', async () => {
  const { connection, rewind } = setup();
  await rewind.go('w', { ...BOTH, files: false });
  expect(rewind.report).toEqual({ sentence: DONE, failed: false, files: null, messages: 'w' });
  await rewind.go('w', { ...BOTH, messages: false });
  expect(rewind.report).toMatchObject({ sentence: 'Undone: 1 file as it was before.', files: TARGET, messages: null });
  expect(connection.calls.map(({ method, input }) => [method, input])).toMatchObject([
    ['conversation.rewind', { workflowId: 'w', left: true, files: false, leave: false }],
    ['change.undo', { target: TARGET, leave: false }],
  ]);
});

it('reports a failure of both in one line, without a way back', async () => {
  const { connection, rewind, methods } = setup();
  connection.on('conversation.rewind', () => {
    throw new RequestError('conflict', 'a.txt: it was removed since');
  });
  await rewind.go('w', BOTH);
  expect(methods()).toEqual(['conversation.rewind']);
  expect(rewind.report).toEqual({
    sentence: 'a.txt: it was removed since',
    failed: true,
    files: null,
    messages: null,
  });
});
