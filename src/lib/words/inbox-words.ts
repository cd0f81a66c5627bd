/** The words of the inbox: the questions of all conversations, and what was answered last. */
export const inboxWords = {
  title: 'Approvals',
  waiting: (value: number) => `${value} waiting`,
  open: (value: number) => `${value} waiting: open the questions`,
  detail: 'The question',
  keys: '↑ ↓ or j k go through the questions, Enter goes into one. Only its buttons answer.',
  conversation: 'Open conversation',
  why: 'Why am I asked?',
  asleep: 'interrupted',
  empty: 'Nothing waits for you',
  emptySteps: [
    'Before a sub-agent starts, and before an agent writes or does what a rule asks about, its question comes here, whichever conversation it is from.',
    'Nothing goes on without an answer. Closing a question, or leaving this page, answers nothing.',
    'What should not be asked again is granted with the answer, or written as a rule.',
  ],
  toPermissions: 'Rules and grants',
  recent: 'Answered lately',
  recentEmpty: 'Nothing was asked yet.',
  recentFailed: 'What was answered lately could not be loaded',
  columns: { what: 'Question', agent: 'Agent', answer: 'Answer', by: 'By', when: 'When' },
} as const;
