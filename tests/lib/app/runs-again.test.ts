// The first run and its rerun are found from either of them, to be compared.
import { expect, it } from 'vitest';
import { getRerunPair, canRunAgain, RunsAgain } from '#lib/app/runs-again.ts';
import type { RunRow, Snapshot, WorkflowDetail } from '#contract/view.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const child = { id: 'first', conversationId: 'c1', workflowId: 'w1', kind: 'spawn' } as RunRow;
const link = { conversationId: 'c1', workflowId: 'w1', runId: 'first' };
const later = { ...child, id: 'later', conversationId: 'c2', workflowId: 'w2', again: link };

function runsAgain(connection: FakeConnection) {
  const told: string[] = [];
  const nothing = (): void => undefined;
  const toasts = { info: nothing, error: (message: string) => void told.push(message), offer: nothing };
  return { runs: new RunsAgain(connection, toasts), told };
}

it('finds the first run and its newest rerun from either of them', async () => {
  const at = '2026-03-01T12:00:00.000Z';
  const fork = { end: 'before' as const, at, step: { runId: 'first' } };
  const forks = [
    { ...fork, conversationId: 'c9' },
    { ...fork, conversationId: 'c2' },
    { ...fork, conversationId: 'c3', step: { runId: 'first', entry: 0 } },
    { ...fork, conversationId: 'c4', step: { runId: 'other' } },
  ];
  expect(getRerunPair(child, { forks: [] })).toBeNull();
  const fromFirst = getRerunPair(child, { forks });
  expect(fromFirst).toMatchObject({ first: { runId: 'first' }, again: { conversationId: 'c2' }, from: 'first' });
  const again = { conversationId: 'c2', workflowId: 'w2' };
  const fromAgain = getRerunPair(later, { forks: [] });
  expect(fromAgain).toEqual({ first: link, again, from: 'again' });
  const rows: Record<string, RunRow[]> = { w1: [child], w2: [{ ...child, id: 'lead', kind: 'lead' }, later] };
  const connection = new FakeConnection()
    .on('workflow.get', ({ workflowId }) => ({ runs: rows[workflowId] ?? [] }) as unknown as WorkflowDetail)
    .on('conversation.snapshot', () => ({ workflows: [{ id: 'w2', from: link }] }) as unknown as Snapshot);
  const { runs, told } = runsAgain(connection);
  for (const known of [fromFirst!, fromAgain!])
    expect((await runs.both(known))?.map((side) => side.run.id)).toEqual(['first', 'later']);
  expect(await runs.both({ first: link, again: { conversationId: 'c1', workflowId: 'w1' } })).toBeNull();
  expect(told).toEqual(['The other run is not there any more']);
});

it('offers a rerun only for sub-agents that have ended', () => {
  expect(canRunAgain({ kind: 'spawn', outcome: 'error' })).toBe(true);
  expect(canRunAgain({ kind: 'coagent', outcome: 'completed' })).toBe(false);
  expect(canRunAgain({ kind: 'chain', outcome: 'completed' })).toBe(false);
  expect(canRunAgain({ kind: 'spawn', outcome: null })).toBe(false);
  expect(canRunAgain({ kind: 'lead', outcome: 'completed' })).toBe(false);
});
