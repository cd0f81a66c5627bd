/** The words of running a sub-agent again in a fork, and of its result beside the first. */
export const againWords = {
  run: 'Run again…',
  running: 'Asking…',
  hint: 'Runs this agent again, in a new conversation where all work before it is copied at no cost. Nothing starts before you have seen what it gets. Then its lead goes on with the report, which costs. Files stay as they are.',
  menu: (agent: string) => `More on ${agent}`,
  history: 'Open in history',
  compare: { first: 'Compare with the rerun', again: 'Compare with the first' },
  /** Of a run: a link to the first follows. */
  of: 'Again:',
  first: 'the first run',
  files: 'files stayed as they were',
  /** Of the first: a link to each follows. */
  later: 'Run again',
  open: 'Open',
  /** In a question. */
  starts: (agent: string) => `Run ${agent} again?`,
  asked: 'You asked for this',
  start: 'Start',
  cancel: 'Cancel',
  note: 'The settings are those of the first run. Files are as they are now, with what it changed then. Its lead goes on with the report, which costs.',
  gone: 'The other run is not there any more',
  sides: { first: 'first', again: 'again' },
  facts: 'Figures',
  ended: 'Ended',
  time: 'Time',
  tokens: 'Tokens',
  cost: 'Cost',
  same: 'Both had the same settings.',
  differ: 'Settings that differ',
  /** What one of two lists has and the other has not. */
  also: (name: string) => `also ${name}`,
} as const;
