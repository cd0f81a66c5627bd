/** In the inbox no question opens the modal; where its conversation is, it still does. */
import { expect, test } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import { Attention, INBOX } from '#lib/app/attention.svelte.ts';
import { asked, conversationId } from '../../hosts/support/events.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';

async function desk(place: string | null) {
  const connection = new FakeConnection();
  const attention = new Attention(connection);
  await settled();
  attention.enter(place);
  const receive = (questions: Approval[]) => connection.send('attention', { questions, asleep: [], running: [] });
  return { attention, receive };
}

test('a question that arrives in the inbox opens the modal in its conversation only', async () => {
  const { attention, receive } = await desk(INBOX);
  receive([asked(), asked()]);
  expect([attention.open, attention.questions.length]).toEqual([false, 2]);
  attention.enter(null);
  expect(attention.open, 'a page without a conversation').toBe(false);
  attention.enter(conversationId);
  expect(attention.open).toBe(true);
});

test('entering the inbox closes the modal and answers nothing', async () => {
  const { attention, receive } = await desk(conversationId);
  receive([asked()]);
  expect(attention.open).toBe(true);
  attention.enter(INBOX);
  expect([attention.open, attention.questions.length]).toEqual([false, 1]);
});

test('new questions do not change the selected question', async () => {
  const { attention, receive } = await desk(INBOX);
  const first = asked({ ...asked().request, risk: 'low' });
  receive([first]);
  attention.select(attention.questions[0]!.key);
  const risky = asked({ ...asked().request, risk: 'high', subject: { ...subject, hash: 'other' } });
  receive([first, risky]);
  expect(attention.questions[0]?.risk).toBe('high');
  expect(attention.selected?.risk).toBe('low');
});

const subject = {
  kind: 'tool',
  tool: 'write_file',
  input: {},
  folder: '/',
  preview: null,
  hash: 'h',
} as const;
