// What was answered lately leads to that question, with its reason, and not to the transcript of who asked.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { Answered } from '#contract/view.ts';
import RecentAnswers from '#lib/approvals/recent-answer-list.svelte';
import { chosenIn } from '#lib/history/timeline/address.ts';

const decision = {
  item: 0,
  outcome: 'rejected',
  allowed: false,
  decidedBy: 'person',
  ruleId: null,
  reason: 'Not now',
  at: '2026-01-02T03:04:05.000Z',
};
const answered = {
  approvalId: 'q1',
  conversationId: 'c',
  workflowId: 'w',
  runId: 'asker',
  agent: 'helper',
  kind: 'envelopes',
  title: 'Find the tests',
  risk: 'low',
  grant: null,
  decision,
} as unknown as Answered;

it('links a recent answer to its approval in the timeline of the run', () => {
  const { body } = render(RecentAnswers, { props: { items: [answered], now: Date.parse(decision.at) } });
  const [, search = ''] = /href="\/history\/\[id\]\?([^"]*)"/.exec(body) ?? [];
  const params = new URLSearchParams(search.replaceAll('&amp;', '&'));
  expect(chosenIn(params, 'lead')).toEqual({ kind: 'ask', runId: 'asker', id: 'q1' });
});

it('marks an allowed request that was edited as "Allowed, edited"', () => {
  const edited = { ...answered, decision: { ...decision, outcome: 'edited', allowed: true } } as Answered;
  const { body } = render(RecentAnswers, { props: { items: [edited], now: Date.parse(decision.at) } });
  expect(body).toContain('Allowed, edited');
});
