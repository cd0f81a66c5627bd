/** Every command of the app with the keys that it has by default: for the palette, the menus, the list of shortcuts. */

export type CommandGroup = 'go' | 'conversation' | 'view';

interface Command {
  group: CommandGroup;
  /** In the notation of tinykeys; empty for none. Keys without Ctrl, ⌘ or Alt do nothing in a text field. */
  keys: string;
}

export const COMMANDS = {
  new: { group: 'go', keys: '$mod+Shift+O' },
  palette: { group: 'go', keys: '$mod+K' },
  questions: { group: 'go', keys: 'g q' },
  next: { group: 'go', keys: 'Alt+ArrowDown' },
  previous: { group: 'go', keys: 'Alt+ArrowUp' },
  approvals: { group: 'go', keys: 'g i' },
  agents: { group: 'go', keys: 'g a' },
  permissions: { group: 'go', keys: 'g p' },
  mcp: { group: 'go', keys: 'g m' },
  history: { group: 'go', keys: 'g h' },
  trash: { group: 'go', keys: '' },
  settings: { group: 'go', keys: '$mod+,' },
  stop: { group: 'conversation', keys: '$mod+.' },
  resume: { group: 'conversation', keys: '' },
  message: { group: 'conversation', keys: '$mod+J' },
  runAgain: { group: 'conversation', keys: '' },
  rename: { group: 'conversation', keys: 'F2' },
  pin: { group: 'conversation', keys: '' },
  changes: { group: 'conversation', keys: '' },
  context: { group: 'conversation', keys: '' },
  replay: { group: 'conversation', keys: 'g r' },
  copyLink: { group: 'conversation', keys: '' },
  exportMarkdown: { group: 'conversation', keys: '' },
  exportJson: { group: 'conversation', keys: '' },
  remove: { group: 'conversation', keys: '' },
  rail: { group: 'view', keys: '$mod+B' },
  filter: { group: 'view', keys: '$mod+Shift+F' },
  light: { group: 'view', keys: '' },
  dark: { group: 'view', keys: '' },
  system: { group: 'view', keys: '' },
  larger: { group: 'view', keys: '' },
  smaller: { group: 'view', keys: '' },
  shortcuts: { group: 'view', keys: '[Shift]+?' },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof COMMANDS;
export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[];

/** Keys that other parts of the app answer to themselves: they stay as they are. */
export const FIXED_KEYS = {
  allow: '$mod+Enter',
  allowAll: '$mod+Shift+Enter',
  reject: '$mod+Backspace',
  askBack: '$mod+/',
  find: '$mod+F',
  save: '$mod+S',
} as const;
export type FixedKey = keyof typeof FIXED_KEYS;
/** Those of a question. */
export const ANSWER_KEYS = ['allow', 'allowAll', 'reject', 'askBack'] as const satisfies readonly FixedKey[];
