/** The first characters of a session's id stand for it where they name one; the trash has a list of its own. */
import { expect, test } from 'vitest';
import { at, conversationRow, workflowRow } from '../../../support/events.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine } from '../../../support/memory-io.ts';

const [first, second, gone] = ['0190aaaa', '0190aabb', '0190cccc'].map(
  (start) => `${start}-0000-7000-8000-000000000000`,
) as [string, string, string];

async function triad(...args: string[]) {
  const rows = [first, second].map((id) => conversationRow({ id }));
  const deleted = conversationRow({ id: gone, deletedAt: at });
  const client = memoryClient({
    'conversation.list': ({ before }) =>
      before === undefined ? { items: [rows[0]!], next: 'more' } : { items: [rows[1]!], next: null },
    'trash.list': () => ({ items: [deleted], next: null }),
    'conversation.snapshot': ({ conversationId }) => ({
      seq: 9,
      workflows: [workflowRow()],
      more: false,
      runs: [],
      conversation: [...rows, deleted].find(({ id }) => id === conversationId)!,
      entries: {},
      calls: [],
      approvals: [],
      open: [],
    }),
    'conversation.notes': () => ({ linking: [] }),
    'workflow.get': () => ({
      conversation: rows[0]!,
      workflow: workflowRow(),
      runs: [],
      calls: [],
      approvals: [],
      requests: [],
    }),
    'conversation.delete': () => ({}),
    'conversation.restore': () => ({}),
    'conversation.export': ({ conversationId }) => ({ fileName: 'x', text: conversationId }),
  });
  const printed = await commandLine(client)('sessions', ...args);
  return { ...printed, last: client.requests.at(-1) };
}

test('a short id finds its session on any page and in the trash', async () => {
  expect((await triad('export', '0190aabb')).out).toBe(`${second}\n`);
  expect((await triad('show', '0190aaaa-00')).out).toContain(`Session ${first}`);
  const deleted = await triad('delete', '0190aabb');
  expect(deleted.last).toEqual({ method: 'conversation.delete', input: { conversationId: second } });
  expect(deleted.err).toContain(`triad sessions restore ${second}`);
  const restored = await triad('restore', '0190cc');
  expect(restored.last).toEqual({ method: 'conversation.restore', input: { conversationId: gone } });
});

test('an ambiguous, unknown or too short id is rejected in one line', async () => {
  const see = 'see "triad sessions list"';
  expect(await triad('delete', '0190aa')).toMatchObject({
    code: 2,
    err: `triad: The ids of 2 sessions begin with 0190aa: give more of it, ${see}\n`,
  });
  expect(await triad('show', '0190dd')).toMatchObject({
    code: 2,
    err: `triad: No id of a session begins with 0190dd: ${see}\n`,
  });
  expect((await triad('restore', '0190aaaa')).err).toContain('see "triad sessions list --trash"');
  expect((await triad('show', '0190a')).err).toContain('"0190a" is not the id of a session');
});

test('list --trash lists deleted sessions, and show marks a deleted session', async () => {
  const { out, err } = await triad('list', '--trash');
  expect(out).toContain(gone);
  expect(out).not.toContain(first);
  expect(err).toBe('To get one back: triad sessions restore ID\n');
  expect(JSON.parse((await triad('list', '--trash', '--json')).out)).toMatchObject([{ id: gone, deletedAt: at }]);
  expect((await triad('show', gone)).out).toContain(`to get it back: triad sessions restore ${gone}`);
});
