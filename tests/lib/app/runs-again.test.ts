// Running an execution again leads to a new conversation, or says why not; the two are found beside each other.
import { expect, it } from 'vitest';
import { bothOf, canRunAgain, RunsAgain } from '#lib/app/runs-again.ts';
import { RequestError } from '#lib/client/request-error.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const child = { id: 'first', workflowId: 'w1', kind: 'spawn', queuedAt: '2026-03-01T12:00:00.000Z' } as RunRow;
const link = { conversationId: 'c1', workflowId: 'w1', runId: 'first', envelopeHash: 'h', as: 'spawn' as const };
const later = { ...child, id: 'later', workflowId: 'w2', again: link };

function runsAgain(connection: FakeConnection) {
  const told: string[] = [];
  const nothing = (): void => undefined;
  const toasts = { info: nothing, error: (message: string) => void told.push(message), offer: nothing };
  return { runs: new RunsAgain(connection, toasts, () => void told.push('made')), told };
}

it('asks for it once, and says why it was refused', async () => {
  const made = new FakeConnection().on('run.again', () => ({ conversationId: 'c2', workflowId: 'w2', runId: 'lead' }));
  const one = runsAgain(made);
  expect(await one.runs.run('first')).toBe('c2');
  expect(made.calls).toEqual([{ method: 'run.again', input: { runId: 'first', via: 'app' } }]);
  expect(one.told).toEqual(['made']);
  const refused = runsAgain(
    new FakeConnection().on('run.again', () => {
      throw new RequestError('not_allowed', 'No scouts');
    }),
  );
  expect(await refused.runs.run('first')).toBeNull();
  expect(refused.told).toEqual(['No scouts']);
});

it('finds the first and the newest again from either of them', async () => {
  const agains = [
    { conversationId: 'c9', workflowId: 'w9', at: child.queuedAt },
    { conversationId: 'c2', workflowId: 'w2', at: child.queuedAt },
  ];
  expect(bothOf(child)).toBeNull();
  expect(bothOf({ ...child, agains })).toMatchObject({
    first: { workflowId: 'w1', runId: 'first' },
    again: agains[1],
    from: 'first',
  });
  expect(bothOf(later)).toEqual({ first: link, again: { workflowId: 'w2' }, from: 'again' });
  const rows: Record<string, RunRow[]> = { w1: [child], w2: [{ ...child, id: 'lead', kind: 'lead' }, later] };
  const connection = new FakeConnection().on(
    'workflow.get',
    ({ workflowId }) => ({ runs: rows[workflowId] ?? [] }) as unknown as WorkflowDetail,
  );
  const { runs, told } = runsAgain(connection);
  const both = await runs.both({ first: link, again: { workflowId: 'w2' } });
  expect(both?.map((side) => side.run.id)).toEqual(['first', 'later']);
  expect(await runs.both({ first: link, again: { workflowId: 'w1' } })).toBeNull();
  expect(told).toEqual(['The other run is not there any more']);
});

it('is offered for what has ended and leads nobody', () => {
  expect(canRunAgain({ kind: 'spawn', outcome: 'error' })).toBe(true);
  expect(canRunAgain({ kind: 'coagent', outcome: 'completed' })).toBe(true);
  expect(canRunAgain({ kind: 'spawn', outcome: null })).toBe(false);
  expect(canRunAgain({ kind: 'lead', outcome: 'completed' })).toBe(false);
});
