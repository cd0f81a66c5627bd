/** The words of the inbox: the questions of all conversations, and what was answered last. */
export const inboxWords = {
  title: 'Approvals',
  waiting: (value: number) => `${value} waiting`,
  open: (value: number) => `${value} waiting: open the questions`,
  openAll: (value: number) => `${value} waiting: open the list`,
  detail: 'The question',
  keys: '↑ ↓ or j k go through the list, Enter goes into one. Only its buttons and their keys answer.',
  conversation: 'Open conversation',
  /** Of which conversation. */
  in: (title: string) => `in “${title}”`,
  asleep: 'interrupted',
  empty: 'Nothing waits for you',
  emptySteps: [
    'Unless a mode, a rule or a grant allows it, before a sub-agent starts and before an agent writes the question comes here, whichever conversation it is from; so does what a rule asks about, and what an agent asks you itself.',
    'Closing a question, or leaving this page, answers nothing. What you do not answer in time is a no (a yes only where the question says so), or skipped where an agent only wanted to know.',
    'What should not be asked again is granted with the answer, or written as a rule.',
  ],
  toPermissions: 'Rules and grants',
  recent: 'Answered lately',
  recentEmpty: 'Nothing was asked yet.',
  recentFailed: 'What was answered lately could not be loaded',
  columns: { what: 'Question', agent: 'Agent', answer: 'Answer', by: 'By', when: 'When' },
} as const;
