// Each line of what waits says how long it can wait, and from which conversation it is where there are several.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import { Attention } from '#lib/app/attention.svelte.ts';
import { asked } from '../../hosts/support/events.ts';
import { createPartialApp } from '../support/partial-app.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import ListParts from '../support/list-parts.svelte';
import { idOf } from '../../support/recording.ts';

const questionIn = (conversation: number, title: string): Approval => {
  const { request } = asked();
  const subject = { kind: 'questions' as const, questions: [], folder: '/', hash: 'h' };
  const remainingMs = conversation * 60_000;
  return asked({ ...request, id: title, title, subject, remainingMs, conversationId: idOf(conversation) });
};

async function listed(questions: Approval[]): Promise<string> {
  const connection = new FakeConnection();
  const attention = new Attention(connection);
  await settled();
  const running = [
    { conversationId: idOf(2), workflowId: idOf(9), title: 'The second message', runs: 1, subAgents: [] },
  ];
  connection.send('attention', { questions, asleep: [], running });
  const conversations = { items: [{ id: idOf(1), title: 'The first' }] };
  const app = createPartialApp({ attention, conversations, settings: null, clock: { now: 0, minute: 0 } });
  const { body } = render(ListParts, { props: { app } });
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

it('names the conversation of each question by title or message, and shows the time left', async () => {
  const words = await listed([questionIn(1, 'One?'), questionIn(2, 'Two?')]);
  expect(words).toMatch(/\d:\d\d left One\? in “The first”/);
  expect(words).toMatch(/\d:\d\d left Two\? in “The second message”/);
});

it('names no conversation if all questions are from one', async () => {
  expect(await listed([questionIn(1, 'One?'), questionIn(1, 'Two?')])).not.toContain('The first');
});
