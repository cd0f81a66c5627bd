/** The words of what can be done with a single message: copying it, going on from it elsewhere, sending it once more. */
import type { Fork, ForkedFrom } from '#contract/messages/fork.ts';

export const turnWords = {
  own: 'Your message',
  answer: 'The answer',
  actions: (what: string, title: string) => `${what}: ${title}`,
  copy: 'Copy',
  copied: 'Copied',
  link: 'Copy link',
  copyMarkdown: 'Copy as Markdown',
  edit: 'Edit and resend',
  editHint:
    'Edit and resend: in a new conversation that ends before this message. Files stay as they are; only the new answer costs.',
  fork: 'Fork from here',
  forkBefore:
    'Fork from here: a new conversation that ends before this message, which waits there to be sent. Files stay as they are; it costs nothing until you send.',
  forkAfter:
    'Fork from here: a new conversation that ends with this answer. Files stay as they are; it costs nothing until you write.',
  retry: 'Retry',
  retryHint:
    'Retry: sends your message again, in a new conversation that ends before it. Files stay as they are; only the new answer costs.',
  editing: 'Edit your message',
  send: 'Send in a fork',
  cancel: 'Cancel',
  files: 'It goes to a new conversation that ends before this message. Files stay as they are.',
  notSent: (why: string) => `It was forked, and your message was not sent: ${why}`,
  /** At a step of it, or after a message. What tells forks of one conversation apart comes first, where a list cuts the rest. */
  forkOf: (title: string, { step, entry = step?.entry, message }: ForkedFrom) =>
    entry === undefined && message === undefined
      ? `Fork of “${title}”`
      : `${entry === undefined ? `Message ${message}` : `Step ${entry}`} of “${title}” (fork)`,
  from: {
    before: 'Forked from',
    untitled: 'another conversation',
    files: 'Up to here it is a copy; the fork changed no file.',
    empty: 'It begins before the first message there; the fork changed no file.',
  },
  isFork: 'Fork:',
  taken: 'counted where it was forked from',
  takenIn: 'This is a copy: it was taken over when the conversation was forked.',
  original: 'Open the original',
  /** The number of a step is the one that the title of the fork has. */
  forked: ({ end, step, upTo = step?.entry }: Pick<Fork, 'end' | 'step' | 'upTo'>) =>
    upTo !== undefined
      ? `Forked at step ${upTo} of this`
      : step
        ? 'Forked to run a sub-agent again'
        : end === 'before'
          ? 'Forked before this'
          : 'Forked after this',
  openFork: 'Open the fork',
  changedThere: 'Changed in the conversation that this was forked from: it can be undone there.',
  replyEnd: {
    completed: 'Reply complete',
    partial: 'Reply incomplete',
    cancelled: 'Reply stopped',
    rejected: 'Reply rejected',
    timed_out: 'Reply timed out',
    budget_exceeded: 'Reply ended at its limit',
    refused: 'The model refused to reply',
    error: 'Reply failed',
    interrupted: 'Reply interrupted',
  },
} as const;
