// Questions open the modal once, are answered alone, and keep their edits until they are gone.
import { describe, expect, it } from 'vitest';
import type { Approval, Risk } from '#contract/approval.ts';
import { Attention, INBOX } from '#lib/app/attention.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { idOf } from '../../support/recording.ts';

function question(n: number, risk: Risk, agents: readonly string[], at = `2026-01-02T03:04:0${n}.000Z`): Approval {
  const items = agents.map((agent, item) => ({
    runId: idOf(n * 10 + item),
    title: `Job of ${agent}`,
    envelope: envelopeOf(agent, 'Look.'),
    hash: 'h',
  }));
  return {
    request: {
      id: idOf(n),
      conversationId: idOf(1),
      workflowId: idOf(2),
      runId: idOf(3),
      toolCallId: 'toolu_1',
      agent: 'lead',
      chain: ['user', 'lead'],
      title: 'Start?',
      description: '',
      options: [],
      reversible: true,
      remainingMs: 300_000,
      risk,
      at,
      subject: { kind: 'envelopes', operation: 'parallel', items },
    },
    decisions: agents.map(() => null),
  };
}

async function desk(connection = new FakeConnection()): Promise<[Attention, FakeConnection]> {
  const attention = new Attention(connection);
  await settled();
  attention.enter(idOf(1));
  return [attention, connection];
}

describe('Attention', () => {
  it('subscribes as a client that can answer', async () => {
    const [, connection] = await desk();
    expect(connection.subscriptions[0]).toMatchObject({ topic: 'attention', input: { canAnswer: true } });
  });

  it('orders questions by risk, then by age, each item alone', async () => {
    const [attention, connection] = await desk();
    const questions = [question(1, 'medium', ['new'], '2026-01-02T04:00:00.000Z'), question(2, 'medium', ['old'])];
    connection.send('attention', {
      questions: [...questions, question(3, 'high', ['a', 'b'])],
      asleep: [],
      running: [],
    });
    expect(attention.questions.map(({ agent }) => agent)).toEqual(['a', 'b', 'old', 'new']);
    expect(new Set(attention.questions.map(({ key }) => key)).size).toBe(4);
  });

  it('opens for a new question, and not again for a dismissed question', async () => {
    const [attention, connection] = await desk();
    const first = question(1, 'medium', ['a']);
    connection.send('attention', { questions: [first], asleep: [], running: [] });
    expect(attention.open).toBe(true);
    attention.dismiss();
    connection.send('attention', { questions: [first], asleep: [], running: [] });
    expect(attention.open).toBe(false);
    expect(attention.questions).toHaveLength(1);
    connection.send('attention', { questions: [first, question(2, 'low', ['b'])], asleep: [], running: [] });
    expect(attention.open).toBe(true);
    expect(attention.selected?.agent).toBe('b');
  });

  it.each([
    ['another conversation', idOf(9)],
    ['any other page', null],
  ])('does not open on %s until the user enters the conversation of the question', async (_, place) => {
    const [attention, connection] = await desk();
    attention.enter(place);
    connection.send('attention', { questions: [question(1, 'medium', ['a'])], asleep: [], running: [] });
    expect(attention.open).toBe(false);
    attention.openDeferred();
    expect(attention.open).toBe(false);
    attention.enter(idOf(1));
    expect(attention.open).toBe(true);
  });

  it('does not open while the user types, and opens after the field is left', async () => {
    const connection = new FakeConnection();
    const attention = new Attention(connection, () => true);
    await settled();
    attention.enter(idOf(1));
    connection.send('attention', { questions: [question(1, 'medium', ['a', 'b'])], asleep: [], running: [] });
    expect(attention.open).toBe(false);
    attention.openDeferred();
    expect(attention.open).toBe(true);
    attention.dismiss();
    attention.openDeferred();
    expect(attention.open, 'put aside').toBe(false);
  });

  it('does not select another question while a question is on the screen', async () => {
    const [attention, connection] = await desk();
    const first = question(1, 'low', ['a']);
    connection.send('attention', { questions: [first], asleep: [], running: [] });
    connection.send('attention', { questions: [question(2, 'high', ['b']), first], asleep: [], running: [] });
    expect(attention.selected?.agent).toBe('a');
  });

  it('closes when the last question was answered elsewhere', async () => {
    const [attention, connection] = await desk();
    connection.send('attention', { questions: [question(1, 'medium', ['a'])], asleep: [], running: [] });
    connection.send('attention', { questions: [], asleep: [], running: [] });
    expect(attention.open).toBe(false);
    expect(attention.selected).toBeNull();
  });

  it('keeps questions of interrupted work in the inbox, and opens when the work resumes', async () => {
    const [attention, connection] = await desk();
    const first = question(1, 'medium', ['a']);
    connection.send('attention', { questions: [], asleep: [first], running: [] });
    expect(attention.open).toBe(false);
    expect(attention.questions.map(({ agent, asleep }) => [agent, asleep])).toEqual([['a', true]]);
    attention.show();
    connection.send('attention', { questions: [], asleep: [first], running: [] });
    expect(attention.open, 'who looks at one goes on doing so').toBe(true);
    attention.dismiss();
    connection.send('attention', { questions: [first], asleep: [], running: [] });
    expect(attention.open).toBe(true);
    connection.send('attention', { questions: [], asleep: [first], running: [] });
    expect(attention.open, 'it fell asleep').toBe(false);
  });

  it('keeps the draft and the selection of a sleeping question when its work resumes', async () => {
    const [attention, connection] = await desk();
    const [first, second] = [question(1, 'medium', ['a']), question(2, 'medium', ['b'])];
    connection.send('attention', { questions: [], asleep: [first, second], running: [] });
    const looked = attention.questions[1]!;
    attention.show(looked.key);
    attention.draft(looked).reason = 'One is enough.';
    connection.send('attention', { questions: [first], asleep: [second], running: [] });
    connection.send('attention', { questions: [first, second], asleep: [], running: [] });
    expect(attention.selected?.key).toBe(looked.key);
    expect(attention.draft(attention.selected!).reason).toBe('One is enough.');
  });

  it('selects the question that expires first in the inbox, and keeps a question that is on the screen', async () => {
    const [attention, connection] = await desk();
    const late = question(1, 'high', ['late']);
    const soon = question(2, 'low', ['soon']);
    const hasty = { ...soon, request: { ...soon.request, remainingMs: 1000 } };
    connection.send('attention', { questions: [late, hasty], asleep: [], running: [] });
    const chosen = () => attention.chosen?.kind === 'question' && attention.chosen.question.agent;
    attention.show(idOf(10));
    attention.enter(INBOX);
    expect(chosen(), 'it was on the screen').toBe('late');
    attention.enter(null);
    attention.enter(INBOX);
    expect(chosen()).toBe('soon');
    expect(attention.questions[0]?.agent, 'the order stays').toBe('late');
  });

  it('sends only one answer until the question disappears', async () => {
    const [attention, connection] = await desk();
    connection.on('approval.decide', ({ item = 0 }) => ({
      item,
      outcome: 'selected',
      optionId: 'allow',
      allowed: true,
      decidedBy: 'person',
      ruleId: null,
      reason: null,
      hashBefore: 'h',
      hashAfter: 'h',
      at: '2026-01-02T03:04:05.000Z',
    }));
    connection.send('attention', { questions: [question(1, 'medium', ['a'])], asleep: [], running: [] });
    const [first] = attention.questions;
    if (!first) throw new Error('one item is open');
    await attention.decide(first, { kind: 'allow' });
    await attention.decide(first, { kind: 'allow' });
    expect(connection.calls).toHaveLength(1);
    connection.send('attention', { questions: [], asleep: [], running: [] });
    expect(attention.busy(first.key)).toBe(false);
  });

  it('moves to the next question after an answer, and from the last question to the first', async () => {
    const [attention, connection] = await desk();
    const send = (agents: readonly string[]) =>
      connection.send('attention', {
        questions: ['a', 'b', 'c'].flatMap((agent, index) =>
          agents.includes(agent) ? [question(index + 1, 'medium', [agent])] : [],
        ),
        asleep: [],
        running: [],
      });
    send(['a', 'b', 'c']);
    attention.select(attention.questions[1]!.key);
    send(['a', 'c']);
    expect(attention.selected?.agent).toBe('c');
    send(['a']);
    expect([attention.selected?.agent, attention.open]).toEqual(['a', true]);
  });

  it('keeps the reason and the read texts of a question while another question is selected', async () => {
    const [attention, connection] = await desk();
    const questions = [question(1, 'medium', ['a']), question(2, 'medium', ['b'])];
    connection.send('attention', { questions, asleep: [], running: [] });
    const [first, second] = attention.questions;
    attention.draft(first!).reason = 'Not needed.';
    attention.seen(first!).mark('prompt');
    attention.select(second!.key);
    connection.send('attention', { questions, asleep: [], running: [] });
    const texts = [{ name: 'prompt', label: 'Prompt', text: 'Go.', isStrict: true }];
    const states = attention.questions.map((item) => [
      attention.draft(item).reason,
      attention.seen(item).unseen(texts).length,
    ]);
    expect(states).toEqual([
      ['Not needed.', 0],
      ['', 1],
    ]);
  });

  it('answers one item of a batch, and keeps its edits when the answer is rejected', async () => {
    const [attention, connection] = await desk();
    connection.on('approval.decide', () => {
      throw new RequestError('bad_input', 'limits.maxIterations: too many');
    });
    connection.send('attention', { questions: [question(1, 'medium', ['a', 'b'])], asleep: [], running: [] });
    const second = attention.questions[1];
    if (!second) throw new Error('two items are open');
    const draft = attention.draft(second);
    if (draft.kind !== 'envelope') throw new Error('the question is about a sub-agent');
    draft.value.limits.maxIterations = 999;
    await attention.decide(second, draft.answer());
    expect(connection.calls).toMatchObject([
      { method: 'approval.decide', input: { approvalId: idOf(1), item: 1, answer: { kind: 'edit' } } },
    ]);
    expect(attention.error(second.key)?.code).toBe('bad_input');
    expect(attention.draft(second)).toBe(draft);
    expect(attention.busy(second.key)).toBe(false);
  });
});
