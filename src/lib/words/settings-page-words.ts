/** The words of the settings page: its sections, what is searched, and where each value is set. */
import type { Fuse, Purpose, Refused, SecurityState, ShellState } from '#contract/hosts/security.ts';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import type { ListPath, PartId, SectionId, SettingGroup } from '#lib/view/settings/sections.ts';
import { plural } from './sentences.ts';

const sections: Readonly<Record<SectionId, string>> = {
  providers: 'Providers and keys',
  models: 'Models',
  limits: 'Limits',
  approvals: 'Approvals',
  tools: 'Tools and search',
  mcp: 'MCP servers',
  data: 'Sessions and data',
  appearance: 'Appearance',
  attention: 'Sounds and notifications',
  desktop: 'Desktop',
  shortcuts: 'Keyboard shortcuts',
  telemetry: 'Telemetry',
  security: 'Security',
};

const groups: Readonly<Record<Exclude<SettingGroup['kind'], 'provider'>, string>> = {
  agents: 'Sub-agents and turns',
  run: 'One agent',
  workflow: 'A whole workflow',
  context: 'Contexts',
  aliases: 'Names for models',
  search: 'Search of the web',
  sessions: 'Sessions',
  backups: 'Backups',
};

const providers: Readonly<Record<string, string>> = { anthropic: 'Anthropic', openai: 'OpenAI' };

const lists: Readonly<Record<ListPath, { label: string; text: string; open?: string }>> = {
  'models.enabled': {
    label: 'Models that may be used',
    text: 'With this list only these models are used, by whatever name. Without it: all.',
  },
  'permissions.rules': {
    label: 'Rules',
    text: 'What may be done without asking, what is asked about, and what never is done.',
    open: 'Open the permissions',
  },
  'permissions.always_ask': {
    label: 'Files that are always asked about',
    text: 'Patterns of files that nobody writes without a question, beside those that Triad knows.',
  },
  'permissions.secret_files': {
    label: 'Files that hold keys',
    text: 'Patterns of files that agents neither read nor write, beside those that Triad knows.',
  },
  'web.private_hosts': {
    label: 'Hosts of your own network',
    text: 'Hosts that are not public and that agents may read all the same, once you agree to the call.',
  },
  'sandbox.readable': {
    label: 'Folders that commands may read',
    text: 'Files and folders outside the workspace that commands in the sandbox can read.',
  },
  'sandbox.env': {
    label: 'Variables of commands',
    text: 'Variables of the environment that commands get, beside those that Triad passes on.',
  },
  'mcp.servers': {
    label: 'Servers',
    text: 'Programs and addresses that give agents more tools, with their state and what they offer.',
    open: 'Open the MCP servers',
  },
  'history.filters': {
    label: 'Filters of the history',
    text: 'The filters that you keep, by name.',
    open: 'Open the history',
  },
  'redact.patterns': {
    label: 'Patterns of secrets',
    text: 'Regular expressions: what they match is left out of all that leaves the program.',
  },
  'redact.env': {
    label: 'Variables that hold secrets',
    text: 'Variables of the environment whose values are left out of all that leaves the program.',
  },
};

const parts: Readonly<Record<PartId, { label: string; text: string }>> = {
  keys: { label: 'API keys', text: 'The key, the endpoint and the model of each provider, tested and saved.' },
  searchKey: { label: 'Key of that search', text: 'The key of the search of the web that you set up.' },
  memory: { label: 'Memory', text: 'Notes that agents keep for later workflows.' },
  trash: { label: 'Trash', text: 'Deleted conversations, which can be restored for a while.' },
  language: { label: 'Language', text: 'English, French, or as the system.' },
  theme: { label: 'Colours', text: 'Light, dark, or as the system.' },
  contrast: { label: 'Contrast', text: 'Normal, high, or as the system.' },
  textSize: { label: 'Size of text', text: 'Small, normal or large, for the whole screen.' },
  shortcuts: { label: 'Keyboard shortcuts', text: 'The keys of every command.' },
  keyPlace: { label: 'Where keys are kept', text: 'The key store of this machine, or a file.' },
  protections: {
    label: 'What holds now',
    text: 'What protects you from what gets into a page, as this program finds it.',
  },
  contacted: { label: 'Hosts contacted', text: 'Which hosts the program has asked, what for and how often.' },
  browsers: { label: 'Browsers', text: 'Who else is let in, and signing them out.' },
};

const units: readonly (readonly [RegExp, string])[] = [
  [/_seconds$/, 'seconds'],
  [/_minutes$/, 'minutes'],
  [/_days$/, 'days'],
  [/_usd$/, 'US dollars'],
  [/^attention\.volume$/, 'percent'],
  [/^attention\.repeats$/, 'times'],
  [/(^|\.)(max_tokens|context_window|max_output)$/, 'tokens'],
  [/^context\.compact_at$/, 'of the window'],
];

/** What a number has to be, as the end of "Write …". */
function numberWanted({ kind, min, max }: Pick<SettingRow, 'kind' | 'min' | 'max'>): string {
  const what = kind === 'integer' ? 'a whole number' : 'a number';
  if (min !== null && max !== null) return `${what} from ${min} to ${max.toLocaleString('en')}`;
  if (max !== null) return `${what} up to ${max.toLocaleString('en')}`;
  return min === null ? what : `${what} from ${min}`;
}

type Valued = Pick<SettingRow, 'path' | 'kind' | 'default'>;
type Origin = ExplainedSetting['origin'];
type Other = ExplainedSetting['others'][number];

const fileName = (file: string): string => file.split(/[\\/]/).at(-1) ?? file;
const line = (at: number | null): string => (at === null ? '' : `, line ${at}`);

/** Where a value is set, in few words; the whole path of a file stands beside it on demand. */
function originOf(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'Default';
    case 'environment':
      return `Set by ${origin.variable}`;
    case 'project':
      return `Set by the project${line(origin.line)}`;
    default:
      return `Set in ${fileName(origin.file)}${line(origin.line)}`;
  }
}

/** Why a field cannot be changed here, and what to do; empty where it can. */
function heldOf(origin: Origin): string {
  if (origin.from === 'environment')
    return `The environment goes before your settings: change or unset ${origin.variable}, then start Triad anew.`;
  if (origin.from === 'project')
    return 'The project lowers it in this folder: change it in the project’s file, or choose another folder.';
  return '';
}

/** What else is said of a setting, and why it does not hold. */
function otherOf({ origin, reason }: Other, value: string): string {
  const where = origin.from === 'default' ? 'The default' : origin.from === 'project' ? 'The project' : 'Your file';
  switch (reason) {
    case 'environment':
    case 'lowered':
      return `${where} says ${value}, which holds elsewhere.`;
    case 'untrusted':
      return `The project wants ${value}: nobody has trusted its file as it is.`;
    case 'idle':
      return `The project wants ${value}; yours is not higher.`;
    case 'late':
      return `The file was changed to ${value}: that holds from the next start.`;
  }
}

/** What the values of a setting are called, where their own names say too little. */
const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'attention.notifications': { off: 'Never', blocked: 'When something waits for me', all: 'Also when work ends' },
  'desktop.tray': { auto: 'Where it is usual', on: 'Always', off: 'Never' },
  'desktop.spell_check': { off: 'Off', system: 'With what the system brings', download: 'Fetch a dictionary' },
};

/** As its control shows it; empty for none. */
function valueOf({ path, kind, default: usual }: Valued, value: SettingRow['value']): string {
  if (value === null) return '';
  // A box is on or off; a list that can be unset says yes or no.
  if (kind === 'boolean') return usual === null ? (value === true ? 'yes' : 'no') : value === true ? 'on' : 'off';
  return choices[path]?.[String(value)] ?? String(value);
}

export const settingsPageWords = {
  nav: 'Sections of the settings',
  section: 'Section',
  sections,
  group: (group: SettingGroup): string =>
    group.kind === 'provider' ? (providers[group.name] ?? group.name) : groups[group.kind],
  /** Before the label of a setting. */
  about: (group: string): string => `${group}: `,
  generalProviders: 'All providers',
  lists,
  parts,
  unit: (path: string): string => units.find(([ending]) => ending.test(path))?.[1] ?? '',
  find: 'Find a setting',
  findHint: 'Name, path or value',
  found: (count: number): string => (count === 0 ? 'Nothing found' : `${plural(count, 'setting', 'settings')} found`),
  foundHint: 'Enter or ↓ goes to the first.',
  noneFound: (query: string): string => `No setting has “${query}” in its name, its text, its path or its value.`,
  noneHint: 'Look for fewer words, or choose a section.',
  goTo: (section: string): string => `Show in “${section}”`,
  folderHint: 'A project’s file may lower limits in its own folder.',
  origin: originOf,
  held: heldOf,
  other: otherOf,
  value: valueOf,
  notSet: 'not set',
  yes: 'yes',
  no: 'no',
  /** Null: to nothing. */
  reset: (value: string | null): string => (value === null ? 'Unset' : `Reset to ${value}`),
  resetLabel: (value: string | null, label: string): string =>
    value === null ? `Unset: ${label}` : `Reset to ${value}: ${label}`,
  undo: 'Undo',
  undoLabel: (label: string): string => `Undo: ${label}`,
  undone: 'Undone.',
  wanted: (row: Pick<SettingRow, 'kind' | 'min' | 'max'>): string => `Write ${numberWanted(row)}.`,
  providerForm: 'Set above, together with its key.',
  toProviderForm: 'Show it with its key',
  inFile: 'Written in the settings file.',
  file: 'Settings file',
  fileHint: 'What you change here is saved to this file at once, with your comments kept.',
  toTrust: 'Look at the project’s file',
  keyPlace: (backend: string): string => `Keys are kept in ${backend}, each with the address that it is sent to.`,
  toPermissions: 'What agents may do in a folder, and why you are asked, stands on the page of permissions.',
} as const;

const refusedWhat: Readonly<Record<Refused, readonly [one: string, many: string]>> = {
  message: ['message to the program', 'messages to the program'],
  navigation: ['way out of the app', 'ways out of the app'],
  window: ['window', 'windows'],
  link: ['link', 'links'],
  webview: ['page within a page', 'pages within a page'],
  permission: ['permission', 'permissions'],
  device: ['device', 'devices'],
  path: ['file', 'files'],
  request: ['request to another host', 'requests to other hosts'],
  content: ['script or other content', 'scripts or other content'],
};

export const securityWords = {
  failed: 'This could not be looked up',
  desktop: (electron: string): string =>
    `This is the desktop app${electron === '' ? '' : `, on Electron ${electron}`}.`,
  browser: 'This is a page of your browser: what stands between its pages and your machine is up to it.',
  protections: {
    sandbox: { label: 'Sandbox of pages', hint: 'The process that shows pages reaches nothing of this machine.' },
    isolation: {
      label: 'Isolation of pages',
      hint: 'What a page runs cannot touch the code that speaks with the program.',
    },
    policy: { label: 'Content policy', hint: 'Nothing from elsewhere is loaded, and no text becomes a script.' },
    fuses: { label: 'Switches of Electron', hint: 'As they stand in the program file that runs.' },
    commands: { label: 'Sandbox of commands', hint: 'What commands of agents can reach.' },
  },
  on: 'on',
  off: 'off',
  unknown: 'not known yet',
  ofBrowser: 'up to your browser',
  policyServed: 'sent with this page',
  noPolicy: 'none was sent',
  asServed: 'As it was sent',
  fuseState: (fuses: ShellState['fuses']): string =>
    fuses === 'unpacked'
      ? 'not packaged: as Electron comes'
      : fuses === 'unreadable'
        ? 'could not be read'
        : 'read from the file',
  fuses: {
    RunAsNode: 'Runs as plain Node',
    EnableCookieEncryption: 'Encrypts cookies',
    EnableNodeOptionsEnvironmentVariable: 'Obeys NODE_OPTIONS',
    EnableNodeCliInspectArguments: 'Can be debugged from outside',
    EnableEmbeddedAsarIntegrityValidation: 'Checks its archive',
    OnlyLoadAppFromAsar: 'Loads from its archive alone',
    LoadBrowserProcessSpecificV8Snapshot: 'Starts from a snapshot of its own',
    GrantFileProtocolExtraPrivileges: 'Gives files on disk more rights',
    WasmTrapHandlers: 'Catches faults of WebAssembly cheaply',
  } satisfies Record<Fuse['name'], string>,
  commands: (name: SecurityState['commands']): string =>
    name === 'bubblewrap' ? 'bubblewrap' : name === 'seatbelt' ? 'Seatbelt' : 'none on this machine',
  refusedTitle: 'Refused to pages',
  nothingRefused: 'Nothing since the start.',
  refused: (what: Refused, count: number): string => plural(count, ...refusedWhat[what]),
  refusedHint:
    'The newest are in desktop.log, in the folder “desktop” of the data folder; of many at once, their number.',
  since: (time: string): string => `Since ${time}, when the program that does the work started.`,
  host: 'Host',
  by: 'For',
  times: 'Requests',
  last: 'Last',
  noHosts: 'None.',
  left: (count: number): string => `${plural(count, 'older entry is', 'older entries are')} not listed.`,
  notSeen: 'What commands and MCP servers on this machine ask for by themselves is not seen here.',
  again: 'Look again',
  purposes: {
    model: 'models',
    fetch: 'web pages',
    search: 'web search',
    mcp: 'MCP servers',
    telemetry: 'telemetry',
    store: 'store on a server',
    updates: 'updates',
    other: 'other',
  } satisfies Record<Purpose, string>,
} as const;
