/** The words of what can be done with a single message: copying it, going on from it elsewhere, sending it once more. */
import type { ForkedFrom } from '#contract/messages/fork.ts';

export const turnWords = {
  own: 'Your message',
  answer: 'The answer',
  actions: (what: string, title: string) => `${what}: ${title}`,
  copy: 'Copy',
  copied: 'Copied',
  copyMarkdown: 'Copy as Markdown',
  edit: 'Edit and resend',
  editHint: 'Edit and resend: in a new conversation that ends before this message',
  fork: 'Fork from here',
  forkBefore: 'Fork from here: a new conversation that ends before this message, which waits there to be sent',
  forkAfter: 'Fork from here: a new conversation that ends with this answer',
  retry: 'Retry',
  retryHint: 'Retry: sends your message again, in a new conversation that ends before it',
  editing: 'Edit your message',
  send: 'Send in a fork',
  cancel: 'Cancel',
  files: 'It goes to a new conversation that ends before this message. Files stay as they are.',
  notSent: (why: string) => `It was forked, and your message was not sent: ${why}`,
  /** At a step of it, or after a message. */
  forkOf: (title: string, { step, entry = step?.entry, message }: ForkedFrom) =>
    `Fork${entry !== undefined ? ` at step ${entry}` : message === undefined ? '' : ` at message ${message}`} of “${title}”`,
  from: {
    before: 'Forked from',
    untitled: 'another conversation',
    files: 'Up to here it is a copy; files stayed as they were.',
    empty: 'It begins before the first message there; files stayed as they were.',
  },
  isFork: 'Fork:',
  taken: 'counted where it was forked from',
  takenIn: 'This is a copy: it was taken over when the conversation was forked.',
  original: 'Open the original',
  forked: { before: 'Forked before this', after: 'Forked after this' },
  openFork: 'Open the fork',
  changedThere: 'Changed in the conversation that this was forked from: it can be undone there.',
} as const;
