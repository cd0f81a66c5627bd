/** The row of a sub-agent's execution says one thing at a time: another start takes out what the end had written. */
import { expect, onTestFinished, test } from 'vitest';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Outcome } from '#contract/outcome.ts';
import { canonicalHash } from '#core/base/hash.ts';
import {
  conversationId,
  conversationRow,
  lead,
  queue,
  Recording,
  reviewer,
  start,
  usageOf,
} from '../../support/recording.ts';
import { openOn, type Opened } from './support.ts';
import { eventItems } from '../../support/commit-items.ts';

const REPORT = `# Review of the parser\n\n## Summary\n\n${'Two faults. '.repeat(20)}\n\n## Details\n\nLine 3, line 9.`;
const SUMMARY = `${'Two faults. '.repeat(8)}Two…`;

interface Told {
  opened: Opened;
  recording: Recording;
  /** Stores what was recorded since the last time. */
  store: () => Promise<void>;
  row: () => Promise<SubAgentExecution | undefined>;
}

async function told(): Promise<Told> {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const recording = new Recording();
  let stored = 0;
  const row = { ...conversationRow() };
  await opened.store.commit([{ table: 'conversation', key: conversationId, row }]);
  return {
    opened,
    recording,
    store: async () => {
      const events = recording.durable.slice(stored);
      stored += events.length;
      await opened.store.commit(eventItems(events));
    },
    row: async () => (await opened.store.executionsOf([reviewer.runId]))[0],
  };
}

function begin(recording: Recording, attempt: number): void {
  recording.record(lead, { type: 'workflow-start', prompt: 'Do it', approve: 'ask', attempt });
}

function end(
  recording: Recording,
  who: typeof lead,
  outcome: Outcome,
  rest: { text?: string; costUsd?: number | null },
) {
  const { text = '', costUsd = 0.25 } = rest;
  const error = outcome === 'error' ? ({ code: 'provider', message: 'The server is gone.' } as const) : null;
  const ended = { outcome, text, error, durationMs: 1200.4, usage: usageOf({ costUsd }) } as const;
  recording.record(who, { type: 'run-end', ...ended });
  if (who === lead) recording.record(who, { type: 'workflow-end', ...ended, subAgents: [] });
}

test('updates the execution row from pending to error, to a restart and to completed', async () => {
  const { opened, recording, store, row } = await told();
  begin(recording, 1);
  start(recording, lead, queue(recording, lead, { prompt: 'Do it', title: '' }));
  const envelope = queue(recording, reviewer, { prompt: 'Look at it', title: 'Look', kind: 'delegate' });
  await store();
  const asked: SubAgentExecution = {
    id: reviewer.runId,
    workflow_id: lead.workflowId,
    parent_agent_id: lead.runId,
    sub_agent_id: reviewer.runId,
    sub_agent_name: 'code-reviewer',
    task_description: 'Look at it',
    status: 'pending',
    kind: 'delegate',
    model: envelope.model,
    envelope_hash: canonicalHash(envelope),
    trace_id: reviewer.runId.replaceAll('-', ''),
    parent_chain: ['user', 'lead', 'code-reviewer'],
    created_at: recording.at,
  };
  expect(await row()).toEqual(asked);

  start(recording, reviewer, envelope);
  end(recording, reviewer, 'error', { text: REPORT, costUsd: null });
  const failedAt = recording.at;
  end(recording, lead, 'interrupted', { text: 'So far: nothing.' });
  await store();
  const ended = { duration_ms: 1200, tokens_input: 3000, tokens_output: 120 };
  expect(await row()).toEqual({
    ...asked,
    ...ended,
    status: 'error',
    outcome: 'error',
    result_summary: SUMMARY,
    error_message: 'The server is gone.',
    completed_at: failedAt,
  });

  begin(recording, 2);
  start(recording, lead, envelope, 2);
  start(recording, reviewer, { ...envelope, model: 'claude-other' }, 2);
  await store();
  const again = { ...asked, model: 'claude-other' };
  again.envelope_hash = canonicalHash({ ...envelope, model: 'claude-other' });
  expect(await row()).toEqual({ ...again, status: 'running' });
  const notEnded = { status: 'running', outcome: null, error: null, endedAt: null, durationMs: null };
  expect(await opened.store.run(reviewer.runId)).toMatchObject(notEnded);
  expect(await opened.store.workflow(lead.workflowId)).toMatchObject({ ...notEnded, text: '' });

  end(recording, reviewer, 'completed', { text: '' });
  await store();
  const completed = { ...again, ...ended, nano_usd: 250_000_000, status: 'completed', outcome: 'completed' };
  expect(await row()).toEqual({ ...completed, completed_at: recording.at });
});
