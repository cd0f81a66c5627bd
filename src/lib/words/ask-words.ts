/** The words about what agents ask in their own words, and about what the person asks back. */
export const askWords = {
  questions: 'Questions',
  action: 'What it wants to do',
  why: 'Why',
  impact: 'What it changes',
  /** A yes to words is a yes to no tool. */
  actionHint: 'A yes lets it go on. It allows none of its tool calls by itself.',
  /** Files that commands changed and that start programs. */
  controlFiles: {
    keep: 'Keep changes',
    putBack: 'Put back…',
    putBackNow: 'Put back',
    change: { added: 'new', changed: 'changed', removed: 'deleted' },
    noContent: 'Its content cannot be shown: it is no text, or too long.',
  },
  other: 'Something else',
  words: 'Your answer',
  multiple: 'any number of them',
  send: 'Send answers',
  sendOne: 'Send answer',
  skip: 'Skip',
  skipAll: 'Skip all',
  sendHint: 'What is left empty is skipped: the agent decides by itself.',
  timeout: (time: string) => `Without an answer the agent goes on without one, in ${time}.`,
  back: (agent: string) => `Ask ${agent} first`,
  backHint: 'What do you want to know before you decide?',
  ask: 'Ask',
  asking: (agent: string) => `${agent} answers…`,
  you: 'You',
  cost: 'It answers from what it knows, with one request to its model. The question stays open, and its time stands still.',
  skipped: 'skipped',
} as const;
