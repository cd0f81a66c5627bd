/** The inbox page: the chosen entry in full, with its conversation and the way to answer or resume. */
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { Attention as AttentionState } from '#contract/view.ts';
import { Attention } from '#lib/app/attention.svelte.ts';
import { asked, conversationId, workflowId } from '../../hosts/support/events.ts';
import { createPartialApp } from '../support/partial-app.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import InboxParts from '../support/inbox-parts.svelte';

async function renderInbox(state: Partial<AttentionState>): Promise<string> {
  const connection = new FakeConnection();
  const attention = new Attention(connection);
  await settled();
  connection.send('attention', { questions: [], asleep: [], running: [], ...state });
  const settings = { provider: { name: 'anthropic', models: [] }, providers: [] };
  const clock = { now: 0, minute: 0 };
  const app = createPartialApp({ attention, connection, settings, clock, conversations: { items: [] } });
  return render(InboxParts, { props: { app } }).body.replaceAll(/<!--.*?-->/g, '');
}
const getWords = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

it('links the chosen question to its conversation', async () => {
  const html = await renderInbox({ questions: [asked()] });
  expect(html).toMatch(/<a[^>]*href="\/chat\/[^"]*"[^>]*>Open conversation<\/a>/);
  expect(getWords(html)).toContain('code-reviewer wants to start');
});

it('shows that an answer to a question of interrupted work resumes the work', async () => {
  const words = getWords(await renderInbox({ asleep: [asked()] }));
  expect(words).toContain('Its workflow was interrupted: your answer resumes it.');
  expect(words).toContain('Reject…');
  expect(words).not.toContain('left, then no');
});

it('offers to resume interrupted work', async () => {
  const work = { conversationId, workflowId, title: 'Write it all', agent: 'lead', at: '2026-01-02T03:04:05.000Z' };
  const html = await renderInbox({ interrupted: [work] });
  expect(getWords(html)).toContain('Resume this workflow?');
  expect(html).toMatch(/<button[^>]*btn-primary[^>]*>\s*Resume\s*<\/button>/);
});

it('shows an empty inbox', async () => {
  expect(getWords(await renderInbox({}))).toContain('Nothing waits for you');
});
