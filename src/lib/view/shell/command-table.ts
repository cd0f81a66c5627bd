/** Every command of the app: the palette, `/` in a message, the menus, the list of shortcuts and the settings are drawn from it. */

/** Where a command applies: in a conversation, in the box of a message, or anywhere. */
export type CommandGroup = 'go' | 'conversation' | 'message' | 'view';

interface Command {
  group: CommandGroup;
  /** In the notation of tinykeys; empty for none. Keys without Ctrl, ⌘ or Alt do nothing in a text field. */
  keys: string;
  /** What it is called behind `/` in a message; left out: it cannot be given there. */
  slash?: string;
}

export const COMMANDS = {
  new: { group: 'go', keys: '$mod+Shift+O', slash: 'new' },
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
  stop: { group: 'conversation', keys: '$mod+.', slash: 'stop' },
  resume: { group: 'conversation', keys: '' },
  compact: { group: 'conversation', keys: '', slash: 'compact' },
  rewind: { group: 'conversation', keys: '', slash: 'rewind' },
  edit: { group: 'conversation', keys: 'e' },
  retry: { group: 'conversation', keys: '' },
  fork: { group: 'conversation', keys: '' },
  compare: { group: 'conversation', keys: '' },
  runAgain: { group: 'conversation', keys: '' },
  rename: { group: 'conversation', keys: 'F2' },
  pin: { group: 'conversation', keys: '' },
  find: { group: 'conversation', keys: '$mod+F' },
  changes: { group: 'conversation', keys: 'd' },
  context: { group: 'conversation', keys: 'c', slash: 'context' },
  replay: { group: 'conversation', keys: 'g r' },
  copyLink: { group: 'conversation', keys: '' },
  exportMarkdown: { group: 'conversation', keys: '', slash: 'export' },
  exportJson: { group: 'conversation', keys: '', slash: 'export-json' },
  remove: { group: 'conversation', keys: '' },
  message: { group: 'message', keys: '$mod+J' },
  attach: { group: 'message', keys: '', slash: 'attach' },
  model: { group: 'message', keys: '', slash: 'model' },
  lead: { group: 'message', keys: '', slash: 'lead' },
  save: { group: 'view', keys: '$mod+S' },
  rail: { group: 'view', keys: '$mod+B' },
  filter: { group: 'view', keys: '$mod+Shift+F' },
  light: { group: 'view', keys: '' },
  dark: { group: 'view', keys: '' },
  system: { group: 'view', keys: '' },
  contrast: { group: 'view', keys: '' },
  larger: { group: 'view', keys: '' },
  smaller: { group: 'view', keys: '' },
  english: { group: 'view', keys: '' },
  french: { group: 'view', keys: '' },
  systemLanguage: { group: 'view', keys: '' },
  shortcuts: { group: 'view', keys: '[Shift]+?' },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof COMMANDS;
export const COMMAND_IDS = Object.keys(COMMANDS) as CommandId[];

/** What a command is called behind `/` in a message; null for none. */
export function slashOf(id: CommandId): string | null {
  const command: Command = COMMANDS[id];
  return command.slash ?? null;
}

/** Keys that answer a question: they stay as they are, and are no commands, since only the question itself is answered. */
export const FIXED_KEYS = {
  allow: '$mod+Enter',
  allowAll: '$mod+Shift+Enter',
  reject: '$mod+Backspace',
  askBack: '$mod+/',
} as const;
export type FixedKey = keyof typeof FIXED_KEYS;
