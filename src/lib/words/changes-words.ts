/** The words about what agents changed in files. */
import type { ChangeState, UndoneFile } from '#contract/change.ts';
import { plural } from './sentences.ts';

const files = (value: number): string => plural(value, 'file', 'files');

const OUTCOMES: Readonly<Record<UndoneFile['outcome'], (value: number, redo: boolean) => string>> = {
  put_back: (value, redo) =>
    `${files(value)} as ${value === 1 ? 'it was' : 'they were'} before${redo ? ' the undo' : ''}`,
  merged: (value) => `${files(value)} merged with what came since`,
  already: (value) => `${files(value)} ${value === 1 ? 'was' : 'were'} so already`,
  conflict: (value) => `${files(value)} left as ${value === 1 ? 'it is' : 'they are'}`,
};
const ORDER = ['put_back', 'merged', 'conflict', 'already'] as const satisfies UndoneFile['outcome'][];

export const changesWords = {
  title: 'Changes',
  /** Of the button that opens them; 0: the number is not known, or all is looked at. */
  open: (value: number) => (value === 0 ? 'Changes' : `Changes: ${files(value)} to look at`),
  close: 'Close the changes',
  grouping: 'Grouped by',
  groupings: { agent: 'By agent', file: 'By file' },
  empty: 'No agent has changed a file in this conversation.',
  failed: 'The changes could not be loaded',
  diffFailed: 'The difference could not be loaded',
  files,
  counts: (added: number, removed: number) => `+${added} −${removed}`,
  states: {
    done: '',
    undone: 'undone',
    changed: 'changed since',
    gone: 'its folder is gone',
  } satisfies Readonly<Record<ChangeState, string>>,
  kinds: { made: 'made', changed: 'edited', removed: 'removed', passing: 'made and removed' },
  folderKinds: { file: '', link: 'link', folder: 'folder' },
  canRunCode: 'can run code',
  movedFrom: (path: string) => `moved from ${path}`,
  movedTo: (path: string) => `moved to ${path}`,
  undo: 'Undo',
  redo: 'Redo',
  keep: 'Keep',
  undoAll: 'Undo all…',
  redoAll: 'Redo all',
  redoParts: 'Redo what is undone here',
  /** Names of buttons that stand more than once. */
  of: (button: string, what: string) => `${button}: ${what}`,
  ofAgent: (path: string, agent: string) => `${path} by ${agent}`,
  part: (number: number) => `part ${number}`,
  parts: 'Parts',
  difference: (path: string, number: number) => `${path}, part ${number}`,
  notKept: (paths: readonly string[]) =>
    `Changed too, and cannot be put back: ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`,
  preview: {
    title: (agent: string) => `Undo all that ${agent} changed?`,
    titleOfCall: (agent: string) => `Undo what this call of ${agent} changed?`,
    titleOfFile: (path: string, agent: string) => `Undo what ${agent} changed in ${path}?`,
    /** Before the name of an agent. */
    since: 'Changed since by',
    sinceOthers: 'Changed since outside of this conversation: by you, by another program, or in another conversation.',
    fileHistory: 'All changes by file',
    looking: 'Looking at each file…',
    description: 'Nothing is changed before you say so.',
    outcomes: {
      put_back: 'Put back as it was before; what was made new is removed',
      restored: 'Put back as it was before',
      removed: 'Removed: it was not there before',
      merged: 'Taken out; what others did to it since stays',
      conflict: 'In conflict: it cannot be undone without losing what came since',
      already: 'Already undone: nothing to put back',
    } satisfies Readonly<Record<UndoneFile['outcome'] | 'restored' | 'removed', string>>,
    undo: (value: number) => `Undo ${files(value)}`,
    leave: 'Undo the others, leave these',
    cancel: 'Cancel',
    nothing: 'Nothing of it can be undone.',
    already: 'Nothing is left to undo.',
  },
  rewind: {
    open: 'Go back to before this…',
    /** Of the button while it cannot be used. */
    working: 'Not while something works in this conversation',
    title: (message: string) => `Go back to before “${message}”?`,
    description: 'Nothing is deleted. This conversation stays, and the files can be done again from here.',
    files: 'Files',
    filesHint: 'What agents changed since then is put back. What others did to it since stays.',
    messages: 'Conversation',
    messagesHint:
      'A new conversation that ends before this message, which waits there to be sent. It costs nothing until you send.',
    go: 'Go back',
    leave: 'Go back, leave the files in conflict',
    choose: 'Choose at least one.',
    redoFiles: 'Redo files',
    dismiss: 'Close this line',
  },
  working: 'Working on the files…',
  /** What came of an undo, in one line. */
  done: (outcomes: readonly Pick<UndoneFile, 'outcome'>[], redo: boolean) => {
    const parts = ORDER.flatMap((outcome) => {
      const value = outcomes.filter((one) => one.outcome === outcome).length;
      return value === 0 ? [] : [OUTCOMES[outcome](value, redo)];
    });
    if (outcomes.every(({ outcome }) => outcome === 'already'))
      return redo ? 'All of it is there already: nothing was changed.' : 'It is undone already: nothing was changed.';
    const isDone = outcomes.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged');
    const [done, nothing] = redo ? ['Done again', 'Nothing was done again'] : ['Undone', 'Nothing was undone'];
    return `${isDone ? done : nothing}: ${parts.join(', ')}.`;
  },
  /** The same of one part of a file. */
  donePart: (number: number, path: string, redo: boolean) =>
    `${redo ? 'Done again' : 'Undone'}: part ${number} of ${path}.`,
  commit: {
    open: 'Commit…',
    title: 'Commit to your git repository',
    description: 'Commits the files as they are now. Other staged files stay staged.',
    files: 'Files',
    none: 'There is nothing to commit.',
    message: 'Message',
    commit: (value: number) => `Commit ${files(value)}`,
    committing: 'Committing…',
    cancel: 'Cancel',
    needsMessage: 'Write what the commit is about.',
    needsFiles: 'Choose at least one file.',
    programs: 'Git runs these programs outside the sandbox',
    programKinds: {
      hook: (name: string) => `Hook ${name}`,
      filter: (name: string) => `Filter ${name}`,
      signature: (name: string) => `Signature (${name})`,
    },
    failed: 'Not committed',
    done: (value: number, commit: string) => `Committed ${files(value)} as ${commit}.`,
  },
} as const;
