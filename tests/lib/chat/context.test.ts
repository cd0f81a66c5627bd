/** The panel of what a lead is told: as the files are while it is open, and nothing while it is closed. */
import { expect, test, vi } from 'vitest';
import type { TrustItem } from '#contract/trust.ts';
import { Context } from '#lib/chat/context.svelte.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const file = (path: string, state: TrustItem['state']): TrustItem => ({ path, state, hash: 'h', says: '' });
const PLACE = { folder: '/project', agent: 'lead' };

function opened() {
  const connection = new FakeConnection();
  const now = { paths: ['AGENTS.md'], files: [file('AGENTS.md', 'same')] };
  connection.on('agents.preview', () => {
    const instructions = now.paths.map((path) => ({ path, hash: 'h', text: path }));
    return { envelope: envelopeOf('lead', '-', { instructions }), worst: { requests: 1, nanoUsd: 0 } };
  });
  connection.on('trust.look', () => ({ folder: '/project', files: now.files }));
  return { connection, now, context: new Context(connection) };
}

test('lists loaded instructions and untrusted instruction files, and reloads after a change', async () => {
  const { connection, now, context } = opened();
  await context.show(PLACE);
  expect([context.told?.map(({ path }) => path), context.waiting]).toEqual([['AGENTS.md'], []]);
  expect(connection.subscriptions).toMatchObject([{ topic: 'agents', input: { folder: '/project' } }]);
  now.paths = [];
  now.files = [
    file('AGENTS.md', 'changed'),
    file('../../CLAUDE.md', 'new'),
    file('../AGENTS.md', 'gone'),
    file('.claude/agents/AGENTS.md', 'new'),
    file('.mcp.json', 'new'),
  ];
  connection.send('agents', { changed: true });
  await vi.waitFor(() => expect(context.told).toEqual([]));
  expect(context.waiting).toEqual(['AGENTS.md', '../../CLAUDE.md']);
});

test('a closed panel has no subscription, and a reopened panel subscribes again', async () => {
  const { connection, context } = opened();
  await context.show(PLACE);
  context.close();
  expect([context.open, connection.subscriptions]).toEqual([false, []]);
  // Closed before its subscription stood.
  const late = context.show(PLACE);
  context.close();
  await late;
  expect([context.open, connection.subscriptions]).toEqual([false, []]);
  await context.show(PLACE);
  expect([context.open, connection.subscriptions.length]).toEqual([true, 1]);
});

test('shows a load failure until a load succeeds', async () => {
  const { connection, context } = opened();
  connection.on('trust.look', () => {
    throw new Error('No');
  });
  await context.show(PLACE);
  expect(context.failure).not.toBeNull();
  connection.on('trust.look', () => ({ folder: '/project', files: [] }));
  connection.send('agents', { changed: true });
  await vi.waitFor(() => expect(context.failure).toBeNull());
});
