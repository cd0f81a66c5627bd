// Screen readers hear the words of a reply without marks of Markdown, and how the reply ended.
import { expect, it, vi } from 'vitest';
import { Outcome } from '#contract/outcome.ts';
import { ReplyAnnouncer } from '#lib/chat/reply-announcer.ts';
import { speakBy } from '#lib/view/language.ts';
import { learn } from '#lib/words/text.ts';

const running = { id: 'w', status: 'running', outcome: null } as const;
const ended = (outcome: Outcome) => ({ id: 'w', status: 'completed', outcome }) as const;

it('announces a reply without its Markdown marks', () => {
  const announcer = new ReplyAnnouncer();
  announcer.update([running], '**Task**: I open `src/cli.js`');
  announcer.update([ended('completed')], '');
  expect(announcer.announcement).toBe('Task: I open src/cli.js Reply complete');
});

it('announces each outcome of a reply, such as "Reply stopped" after a stop', () => {
  const endings = Outcome.options.map((outcome) => {
    const announcer = new ReplyAnnouncer();
    announcer.update([running], '');
    announcer.update([ended(outcome)], '');
    return [outcome, announcer.announcement];
  });
  expect(Object.fromEntries(endings)).toEqual({
    completed: 'Reply complete',
    partial: 'Reply incomplete',
    cancelled: 'Reply stopped',
    rejected: 'Reply rejected',
    timed_out: 'Reply timed out',
    budget_exceeded: 'Reply ended at its limit',
    refused: 'The model refused to reply',
    error: 'Reply failed',
    interrupted: 'Reply interrupted',
  });
});

it('announces the end of each reply, and none between two messages of one reply', () => {
  vi.useFakeTimers();
  try {
    const announcer = new ReplyAnnouncer();
    announcer.update([running], 'I read the file');
    announcer.update([running], '');
    vi.advanceTimersByTime(3000);
    expect(announcer.announcement).toBe('I read the file');
    announcer.update([running], 'It is short');
    announcer.update([ended('cancelled'), { ...running, id: 'next' }], '');
    expect(announcer.announcement).toBe('It is short Reply stopped');
  } finally {
    vi.useRealTimers();
  }
});

it('announces nothing when a conversation with past replies opens', () => {
  const announcer = new ReplyAnnouncer();
  announcer.update([ended('completed')], '');
  expect(announcer.announcement).toBe('');
});

it('announces the end of a reply in a newly selected language', async () => {
  await learn('fr');
  const announcer = new ReplyAnnouncer();
  announcer.update([running], '');
  announcer.update([ended('completed')], '');
  speakBy(() => 'fr');
  try {
    expect(announcer.announcement).toBe('Réponse terminée');
  } finally {
    speakBy(() => 'en');
  }
});
