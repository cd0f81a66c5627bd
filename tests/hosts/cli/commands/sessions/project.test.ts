/** `triad sessions project`: one session or all, with the folders as data. */
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { conversationId, conversationRow } from '../../../support/events.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine } from '../../../support/memory-io.ts';

const [second, empty] = [newId(), newId()];

async function project(...args: string[]) {
  const page = (id: string, next: string | null) => ({ items: [conversationRow({ id })], next });
  const client = memoryClient({
    'conversation.list': ({ before }) =>
      before === undefined ? page(conversationId, 'a') : before === 'a' ? page(empty, 'b') : page(second, null),
    'conversation.project': ({ conversationId: id }) => ({
      folder: `/data/sessions/${id}`,
      files: id === empty ? 0 : 2,
    }),
  });
  return commandLine(client)('sessions', 'project', ...args);
}

test('prints the folder of one session', async () => {
  expect(await project(conversationId)).toEqual({
    code: 0,
    out: `/data/sessions/${conversationId}\n`,
    err: '',
  });
});

test('prints the folders of all sessions, page by page, without empty sessions', async () => {
  expect((await project()).out).toBe(`/data/sessions/${conversationId}\n/data/sessions/${second}\n`);
  const { out } = await project('--json');
  expect(JSON.parse(out)).toEqual(
    [conversationId, second].map((id) => ({ id, folder: `/data/sessions/${id}`, files: 2 })),
  );
});

test('rejects a word that is no session id', async () => {
  expect(await project('nonsense')).toMatchObject({ code: 2, out: '' });
});
