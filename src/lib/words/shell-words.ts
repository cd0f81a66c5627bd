/** Words of the frame around the pages: the rail, the palette, shortcuts; and what a stop has ended. */
import { MARK_SIGNS, markOfSubAgent } from '#contract/flows/agent-mark.ts';
import type { StoppedRun, StopReceipt } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import type { CommandGroup, CommandId, FixedKey } from '#lib/view/shell/command-table.ts';
import { monthName } from '#lib/view/format.ts';
import type { RailDay } from '#lib/view/shell/rail.ts';
import { plural } from './sentences.ts';

const days: Readonly<Record<Exclude<RailDay, 'month'>, string>> = {
  pinned: 'Pinned',
  today: 'Today',
  yesterday: 'Yesterday',
  week: 'Previous 7 days',
};

const groups: Readonly<Record<CommandGroup, string>> = {
  go: 'Go to',
  conversation: 'This conversation',
  message: 'Your message',
  view: 'View',
};

const commands: Readonly<Record<CommandId, string>> = {
  new: 'New conversation',
  palette: 'Find anything',
  questions: 'Answer what waits for you',
  next: 'Next conversation',
  previous: 'Previous conversation',
  approvals: 'Approvals',
  agents: 'Agents',
  permissions: 'Permissions',
  mcp: 'MCP servers',
  history: 'History',
  trash: 'Trash',
  settings: 'Settings',
  stop: 'Stop the workflow',
  resume: 'Resume the interrupted workflow',
  compact: 'Compact the context, to make room',
  rewind: 'Go back to before your last message',
  edit: 'Edit your last message and send it again',
  retry: 'Send your last message again, in a fork',
  fork: 'Fork after the last answer',
  compare: 'Compare the reports of the last sub-agents',
  runAgain: 'Run this agent again…',
  rename: 'Rename the conversation',
  pin: 'Pin or unpin the conversation',
  find: 'Find in the conversation',
  changes: 'Show what was changed in files',
  context: 'Show the context',
  replay: 'Replay the workflow',
  copyLink: 'Copy the link',
  exportMarkdown: 'Export as Markdown',
  exportJson: 'Export as JSON',
  remove: 'Move the conversation to the trash',
  message: 'Write a message',
  attach: 'Attach pictures, PDFs or texts',
  model: 'Choose the model of the next message',
  lead: 'Choose who leads',
  save: 'Save the agent',
  rail: 'Fold or unfold the sidebar',
  filter: 'Filter conversations',
  light: 'Light colours',
  dark: 'Dark colours',
  system: 'Colours of the system',
  contrast: 'High contrast, on or off',
  larger: 'Larger text',
  smaller: 'Smaller text',
  english: 'Language: English',
  french: 'Language: Français',
  systemLanguage: 'Language of the system',
  shortcuts: 'Keyboard shortcuts',
};

function named({ agent, place }: StoppedRun): string {
  return place === 0 ? 'the lead' : `${MARK_SIGNS[markOfSubAgent(place - 1)]} ${visibleText(agent)}`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Sub-agents first, in the order in which they were asked for, then the lead. */
function inOrder(runs: readonly StoppedRun[]): StoppedRun[] {
  return [...runs].sort((a, b) => (a.place || Infinity) - (b.place || Infinity));
}

/** `Stopped ■ test-generator (1 request). ● code-reviewer and the lead go on.` */
export function stopReceipt(receipt: StopReceipt): string {
  const { agents, requests, tools, approvals, left, ended, goOn, withdrawn, queued } = receipt;
  const returned =
    withdrawn.length === 0
      ? ''
      : withdrawn.length === 1
        ? 'Your queued message is back in the box.'
        : `Your ${withdrawn.length} queued messages are back in the box.`;
  if (agents === 0 && withdrawn.length > 0) return returned;
  const what = [
    ...(requests > 0 ? [plural(requests, 'request', 'requests')] : []),
    ...(tools > 0 ? [plural(tools, 'tool call', 'tool calls')] : []),
    ...(approvals > 0 ? [plural(approvals, 'question', 'questions')] : []),
  ].join(', ');
  const who = ended.length > 0 ? listed(inOrder(ended).map(named)) : plural(agents, 'agent', 'agents');
  const late = left > 0 ? ` ${plural(left, 'is', 'are')} still ending.` : '';
  const others = listed(inOrder(goOn).map(named));
  const rest =
    goOn.length > 0
      ? ` ${others.slice(0, 1).toUpperCase()}${others.slice(1)} ${goOn.length === 1 ? 'goes' : 'go'} on.`
      : queued > 0
        ? ` ${left > 0 ? 'After that, the' : 'The'} ${queued === 1 ? 'queued message' : `first of ${queued} queued messages`} starts.`
        : left === 0
          ? ' Nothing is left running.'
          : '';
  return `Stopped ${who}${what === '' ? '' : ` (${what})`}.${late}${rest}${returned && ` ${returned}`}`;
}

export const sidebarWords = {
  label: 'Conversations',
  newConversation: 'New conversation',
  history: 'History',
  settings: 'Settings',
  approvals: 'Approvals',
  agents: 'Agents',
  permissions: 'Permissions',
  mcp: 'MCP servers',
  empty: 'Your conversations will be listed here.',
  hide: 'Hide sidebar',
  show: 'Show sidebar',
  running: 'running',
  waiting: (value: number) => plural(value, 'waits for you', 'wait for you'),
  untitled: 'New conversation',
  failed: 'The conversations could not be loaded',
} as const;

export const shellWords = {
  filter: 'Filter conversations',
  filterHint: 'Title or folder',
  clearFilter: 'Clear the filter',
  found: (count: number, more: boolean) =>
    count === 0
      ? 'No conversation found'
      : `${plural(count, 'conversation', 'conversations')}${more ? ' and more' : ''}`,
  noneFound: (words: string) => `No conversation has “${words}” in its title or folder.`,
  fold: 'Fold the sidebar',
  unfold: 'Unfold the sidebar',
  search: 'Find anything',
  folder: (folder: string) => `Folder ${folder}`,
  more: 'Show more',
  moreOf: (folder: string) => `Show more of ${folder}`,
  older: 'Show older conversations',
  day: (day: RailDay, at: string, now: number) => (day === 'month' ? monthName(at, now) : days[day]),
  rename: 'Rename…',
  title: 'Title of the conversation',
  titleHint: 'Empty: as its first message',
  pin: 'Pin',
  unpin: 'Unpin',
  chosenRow: 'selected',
  chosen: (count: number) => `${count} selected`,
  clearChosen: 'Clear selection',
  toTrash: 'Move to trash',
  busyStays: 'What works is not moved: stop it first',
  movedToTrash: (count: number) => `${plural(count, 'conversation', 'conversations')} moved to the trash`,
  lead: (agent: string) => `Led by ${agent}`,
  groups,
  commands,
  palette: {
    label: 'Find a command, conversation, file, report, agent or setting',
    placeholder: 'Find a command, conversation, file, report, agent or setting…',
    results: 'What was found',
    none: 'Nothing found',
    count: (count: number) => plural(count, 'result', 'results'),
    conversations: 'Conversations',
    agents: 'Agents',
    settings: 'Settings',
    files: 'Files of the folder',
    toMessage: 'into the message',
    reports: 'Reports of sub-agents',
  },
  keys: {
    title: 'Keyboard shortcuts',
    text: 'Keys without Ctrl, Alt or ⌘ do nothing while you write in a field. They are kept in this browser.',
    change: (command: string) => `Change the keys of “${command}”`,
    press: 'Press the new keys…',
    pressHint: 'Escape leaves them as they are; Backspace takes them away.',
    none: 'none',
    plain: 'Hold Ctrl, Alt or ⌘, use F1 to F12, or press two keys one right after the other.',
    /** Behind the first of two keys. */
    second: 'then…',
    then: (key: string) => `${key}, then the second key`,
    taken: (keys: string, command: string) => `${keys} belongs to “${command}”. Press it again to take it from there.`,
    fixed: (keys: string, use: string) => `${keys} is kept for “${use}”.`,
    saved: (command: string, keys: string) => `“${command}”: ${keys}`,
    reset: 'Reset',
    resetOf: (command: string) => `Reset the keys of “${command}”`,
    resetAll: 'Reset all',
    rebind: 'Change them in the settings',
    answerGroup: 'In a question',
    answerUses: {
      allow: 'Allow once',
      allowAll: 'Allow all of a batch',
      reject: 'Reject: opens the reason',
      send: 'Send the reason and reject',
      askBack: 'Ask first',
      choose: 'Choose another question',
    },
    fixedUses: {
      allow: 'Allow, in a question',
      allowAll: 'Allow all, in a question',
      reject: 'Reject, in a question',
      askBack: 'Ask first, in a question',
    } satisfies Record<FixedKey, string>,
  },
  /** Of the folder of a conversation. */
  folderMenu: {
    label: (folder: string) => `Works in ${folder}`,
    begin: 'New conversation here',
    agents: 'Its agents',
    permissions: 'Its permissions',
    copy: 'Copy the path',
  },
  places: { label: 'Folders', browse: 'Browse…' },
} as const;
