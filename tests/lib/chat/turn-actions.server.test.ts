// The actions at a message and its answer: copy, link, edit, fork and retry, by button and by command.
import { render } from 'svelte/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WorkflowRow } from '#contract/view.ts';
import { copyLink } from '#lib/app/links.ts';
import { chatCommands } from '#lib/chat/chat-commands.ts';
import { copyText } from '#lib/ui/copy-text.ts';
import { createPartialApp } from '../support/partial-app.ts';
import { settled } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';
import { storage } from '../support/storage.ts';
import { Recording } from '../../support/recording.ts';
import TurnParts from '../support/turn-parts.svelte';

const { conversation } = new Rows().snapshot();
const clipboard: string[] = [];
const messages: string[] = [];
const toasts = {
  info: (message: string) => void messages.push(message),
  error: (message: string) => void messages.push(`Error: ${message}`),
  offer: () => undefined,
};

beforeEach(() => {
  clipboard.length = messages.length = 0;
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('window', {});
  vi.stubGlobal('location', { href: 'http://localhost:4000/chat/x' });
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void clipboard.push(text) } });
});
afterEach(() => void vi.unstubAllGlobals());

function endedWorkflow(): WorkflowRow {
  const story = new Recording();
  const { lead } = story.startWorkflow('Look for sums.');
  lead.answer('There are **two** sums.');
  story.endWorkflow(lead, 'completed', 'There are **two** sums.');
  const rows = new Rows();
  for (const event of story.events) rows.take(event);
  return rows.snapshot().workflows[0]!;
}

/** Returns the label and the attributes of each toolbar button. */
function renderButtons(working: boolean): { label: string; attributes: string }[] {
  const app = createPartialApp({ toasts });
  const { body } = render(TurnParts, { props: { app, workflow: endedWorkflow(), working } });
  return [...body.matchAll(/<button([^>]*)>/g)].map(([, attributes = '']) => ({
    label: /aria-label="([^"]*)"/.exec(attributes)?.[1] ?? '',
    attributes,
  }));
}

it('offers to copy, edit, fork and retry at a message and its answer', () => {
  expect(renderButtons(false).map(({ label }) => label)).toEqual([
    ...['Copy', 'Edit and resend', 'Fork from here', 'Copy link', 'Go back'],
    ...['Copy', 'Copy as Markdown', 'Fork from here', 'Retry'],
  ]);
});

it('keeps an unavailable action focusable and describes the reason', () => {
  const back = renderButtons(true).find(({ label }) => label === 'Go back')?.attributes ?? '';
  expect(back).toContain('aria-disabled="true"');
  expect(back).toContain('aria-describedby=');
  expect(back).not.toMatch(/ disabled(=|>|\s)/);
});

it('copies the address of the page in a browser, and a link of the app on the desktop', async () => {
  await copyLink(toasts, 'workflow', 'w1');
  expect(clipboard.at(-1)).toMatch(/^http:\/\/localhost:4000\/history\//);
  await copyLink(toasts, 'conversation', 'c1');
  expect(clipboard.at(-1)).toMatch(/^http:\/\/localhost:4000\/chat\//);
  vi.stubGlobal('window', { triad: {} });
  await copyLink(toasts, 'workflow', 'w1');
  await copyLink(toasts, 'conversation', 'c1');
  expect(clipboard.slice(-2)).toEqual(['triad://workflow/w1', 'triad://conversation/c1']);
});

it('shows the success or the failure of a copy', async () => {
  await copyText(toasts, 'Words', 'Copied');
  expect([clipboard, messages]).toEqual([['Words'], ['Copied']]);
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('denied')) } });
  await copyText(toasts, 'Words', 'Copied');
  expect(messages.at(-1)).toMatch(/^Error: /);
});

it('forks after the newest answer and sends its message again by command', async () => {
  const forkCalls: unknown[] = [];
  const forks = {
    fork: async (...args: unknown[]) => (forkCalls.push(['fork', ...args]), null),
    resend: async (...args: unknown[]) => (forkCalls.push(['resend', ...args]), null),
  };
  const workflow = endedWorkflow();
  const ignore = () => undefined;
  const commands = chatCommands({
    app: createPartialApp({ forks, toasts }),
    conversation,
    workflows: [workflow],
    rename: ignore,
    rewind: ignore,
    remove: ignore,
    stop: ignore,
    toggleContext: ignore,
    toggleChanges: ignore,
  });
  commands.fork?.();
  await settled();
  commands.retry?.();
  await settled();
  expect(forkCalls).toEqual([
    ['fork', workflow, 'after'],
    ['resend', workflow, 'Look for sums.'],
  ]);
});
