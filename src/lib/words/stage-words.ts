/** The words of the stage: lanes of sub-agents at work, what the person says to them, and their reports beside each other. */
import { callTitle } from '#lib/view/call-title.ts';
import type { Now } from '#lib/view/stage.ts';
import { plural } from './sentences.ts';

/** What an agent does with a tool, by the tool's name; `what`: the argument that tells most. */
const DOING: Readonly<Record<string, (what: string) => string>> = {
  read_file: (what) => `reading ${what}`,
  read_note: (what) => `reading ${what}`,
  read_output: () => 'reading a long output',
  list_directory: (what) => `looking into ${what === '' || what === '.' ? 'the folder' : what}`,
  list_notes: () => 'looking through the notes',
  glob: (what) => `looking for files: ${what}`,
  grep: (what) => `searching for ${what}`,
  semantic_search: (what) => `searching for ${what}`,
  write_file: (what) => `writing ${what}`,
  edit_file: (what) => `changing ${what}`,
  move_file: (what) => `moving ${what}`,
  delete_file: (what) => `deleting ${what}`,
  bash: (what) => `running ${what}`,
  bash_output: () => 'looking at a command',
  web_fetch: (what) => `reading ${what}`,
  web_search: (what) => `searching the web for ${what}`,
  memory: () => 'keeping a note',
  todo_write: () => 'planning',
  todo_read: () => 'looking at its plan',
  think: () => 'thinking',
  task_complete: () => 'handing over its answer',
};

function now(name: string, what: Now): string {
  switch (what.kind) {
    case 'asks':
      return 'waiting for you';
    case 'allowed':
      return 'allowed: starts when the others are answered';
    case 'queued':
      return 'waiting for its turn';
    case 'model':
      return `waiting for the model (${what.atATime} at a time)`;
    case 'starts':
      return `→ Running ${name}…`;
    case 'writes':
      return 'writing';
    case 'thinks':
      return 'thinking';
    case 'reviews':
      return 'Reviewing its answer…';
    case 'compacts':
      return 'making room in its context';
    case 'retries':
      return 'waiting for the provider';
    case 'call':
      return (DOING[what.name] ?? ((argument) => `using ${callTitle(what.name)} ${argument}`))(what.argument).trim();
  }
}

export const stageWords = {
  /** `agents`: their names. */
  label: (agents: readonly string[]) => `At work: ${agents.join(', ')}`,
  tabs: 'Sub-agents at work',
  now,
  /** Before the words on what is done by another run of the same family. */
  by: (agent: string) => `${agent}:`,
  stop: 'Stop',
  coming: 'Another sub-agent is being asked for…',
  wantsToStart: 'It wants to start',
  asks: (title: string) => `It asks: ${title}`,
  answerLabel: (agent: string, title: string) => `Answer: ${agent}, ${title}`,
  budget: 'Used of what is allowed',
  transcript: (agent: string) => `What ${agent} does`,
  latest: 'Latest',
  allEnded: 'All have ended.',
  fold: 'Fold',
  say: {
    label: (agent: string) => `Say something to ${agent}`,
    placeholder: (agent: string) => `Message ${agent}…`,
    send: 'Say it',
    unread: 'It reads this before its next request',
    neverRead: 'It ended before it read this',
    failed: 'Not said',
  },
  compare: {
    open: 'Compare reports',
    title: (reports: number) => `${plural(reports, 'report', 'reports')} beside each other`,
    hint: 'Parts with the same heading stand beside each other. Where they are alike, what differs is marked.',
    same: 'No differences.',
    differs: 'differs:',
    missing: (agent: string) => `Nothing of this from ${agent}`,
    beginning: 'Beginning',
    close: 'Close',
    reports: 'Reports',
  },
  folded: (agents: number) => plural(agents, 'sub-agent', 'sub-agents'),
} as const;
