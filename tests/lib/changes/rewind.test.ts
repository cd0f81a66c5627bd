// Files go back before messages do, what was done is told in one line with the way back, also where the rest failed.
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
    .on('conversation.rewind', () => ({}));
  let changed = 0;
  const rewind = new Rewind(connection, CONVERSATION, () => (changed += 1));
  return { connection, rewind, methods: () => connection.calls.map(({ method }) => method), changed: () => changed };
}

it('puts files back first, and each of both can be taken back while the other stays', async () => {
  const { rewind, methods, changed } = setup();
  await rewind.go('w', BOTH);
  expect(methods()).toEqual(['change.undo', 'conversation.rewind']);
  const both = { failed: false, files: TARGET, messages: 'w' };
  expect(rewind.report).toEqual({ sentence: `Undone: 1 file as it was before. ${DONE}`, ...both });
  await rewind.redoFiles(TARGET);
  expect(rewind.report).toEqual({ ...both, sentence: 'Done again: 1 file as it was before the undo.', files: null });
  await rewind.tell('w');
  expect(rewind.report).toMatchObject({ sentence: 'The lead is told of it again.', files: null, messages: null });
  expect(changed()).toBe(3);
});

it('does nothing with the messages where files are in the way', async () => {
  const { connection, rewind, methods } = setup();
  connection.on('change.undo', () => {
    throw new RequestError('conflict', 'a.txt: it was removed since');
  });
  await rewind.go('w', BOTH);
  expect(methods()).toEqual(['change.undo']);
  expect(rewind.report).toEqual({
    sentence: 'a.txt: it was removed since',
    failed: true,
    files: null,
    messages: null,
  });
});

it('tells what was put back, with the way back, where the messages could not go', async () => {
  const { connection, rewind } = setup();
  connection.on('conversation.rewind', () => {
    throw new RequestError('conflict', 'Something runs');
  });
  await rewind.go('w', BOTH);
  expect(rewind.report).toEqual({
    sentence: 'Undone: 1 file as it was before. Something runs',
    failed: true,
    files: TARGET,
    messages: null,
  });
});
