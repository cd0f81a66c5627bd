/** Everything that waits has one place in one order: what cannot be undone, then by risk, then by age. */
import { expect, test } from 'vitest';
import type { Approval, ApprovalRequest } from '#contract/approval.ts';
import type { Attention } from '#contract/view.ts';
import { waitingCount } from '#contract/attention/waiting-count.ts';
import { questionsOf } from '#lib/view/phase.ts';
import { soonestOf, waitingList } from '#lib/view/waiting-list.ts';
import { asked } from '../../hosts/support/events.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { idOf } from '../../support/recording.ts';

const minute = (value: number) => `2026-01-02T03:0${value}:00.000Z`;

function question(title: string, given: Partial<ApprovalRequest>): Approval {
  const { request } = asked();
  const subject = { kind: 'questions' as const, questions: [], folder: '/', hash: 'h' };
  return asked({ ...request, id: title, title, subject, ...given });
}

const titles = (given: Partial<Attention>): string[] =>
  waitingList({ questions: [], asleep: [], running: [], ...given }).map((entry) => {
    if (entry.kind === 'question') return entry.question.title;
    return entry.kind === 'interrupted' ? entry.work.title : entry.server;
  });

test('sorts irreversible actions first, then by risk, then by age', () => {
  const questions = [
    question('new low', { risk: 'low', reversible: true, at: minute(5) }),
    question('old low', { risk: 'low', reversible: true, at: minute(1) }),
    question('medium', { risk: 'medium', reversible: true, at: minute(4) }),
    question('high', { risk: 'high', reversible: true, at: minute(6) }),
    question('for ever', { risk: 'medium', reversible: false, at: minute(8) }),
    question('for ever, before', { risk: 'low', reversible: false, at: minute(7) }),
  ];
  const order = ['for ever, before', 'for ever', 'high', 'medium', 'old low', 'new low'];
  expect(titles({ questions })).toEqual(order);
  expect(titles({ questions: questions.toReversed() })).toEqual(order);
});

test('lists the open items of a batch one by one, in the order of the batch', () => {
  const items = ['a', 'b', 'c'].map((title, item) => ({
    runId: idOf(item),
    title,
    envelope: envelopeOf(title, 'Look.'),
    hash: 'h',
  }));
  const batch = question('batch', {
    risk: 'high',
    reversible: true,
    subject: { kind: 'envelopes', operation: 'parallel', items },
  });
  const decided = { item: 1, outcome: 'selected', optionId: 'allow', allowed: true } as Approval['decisions'][number];
  expect(titles({ questions: [{ ...batch, decisions: [null, decided, null] }] })).toEqual(['a', 'c']);
});

test('lists sleeping questions, sign-ins and interrupted workflows after blocking approvals', () => {
  const sleeping = question('asleep', { risk: 'high', workflowId: idOf(7), at: minute(1) });
  const cut = (workflowId: string, title: string, at: string) => ({
    conversationId: idOf(1),
    workflowId,
    title,
    agent: 'lead',
    at,
  });
  const state = {
    questions: [question('awake', { risk: 'low', reversible: true, at: minute(9) })],
    asleep: [{ ...sleeping, request: { ...sleeping.request, reversible: true } }],
    interrupted: [cut(idOf(7), 'has a question', minute(0)), cut(idOf(8), 'cut off', minute(3))],
    signIns: [{ server: 'web', at: minute(2) }],
  };
  expect(titles(state)).toEqual(['awake', 'asleep', 'web', 'cut off']);
  const keys = waitingList({ running: [], ...state }).map(({ key }) => key);
  expect(new Set(keys).size).toBe(4);
  expect(waitingCount({ running: [], ...state }), 'as the app counts it').toBe(4);
});

test('soonestOf ignores a limit question, which never times out', () => {
  const bound = { of: 'run', name: 'costUsd', value: 2 } as const;
  const subject = { kind: 'limit', bound, add: { costUsd: 2 }, folder: '/', hash: 'h' } as const;
  const limit = question('limit', { risk: 'low', subject, remainingMs: 1 });
  const write = question('write', { risk: 'low', remainingMs: 9 });
  expect(soonestOf(questionsOf([limit, write]))?.title).toBe('write');
  expect(soonestOf(questionsOf([limit]))).toBeNull();
});
