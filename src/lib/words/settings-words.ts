/** The words of the settings and of the demo. */
import type { KeyElsewhere } from '#contract/providers/key-elsewhere.ts';
import { keyElsewhereSentence } from '#contract/providers/key-elsewhere-text.ts';
import { attentionWords } from './attention-words.ts';
import { plural } from './sentences.ts';

export const demoWords = {
  heading: 'The demo: everything is real but the answers',
  steps: [
    'Send the first message below: after each answer the next one is offered. The demo looks at your folder and asks you for sub-agents.',
    'You are asked before each sub-agent starts. Say yes, say no, or change its prompt and see what becomes of it.',
    'Every answer is scripted and says so; what you write is not read. Nothing leaves this machine. One small file is made in your folder if you say yes to it, and you can undo that.',
  ],
  /** One for each act of the script; what they say does not matter to it. */
  messages: [
    'What is in this folder? Let one sub-agent count the files.',
    'Let a permanent agent look for what was left to do.',
    'Let three agents look for texts, tests and web addresses at the same time, and write down what they report.',
    'Have a report on this folder written: one agent collects facts, one writes, one checks.',
  ],
  messagesLabel: 'Four messages, one after the other',
  next: 'Next in the demo',
  end: 'The demo ends here. If you let it write its file, that stands under Changes, where you can undo it.',
  toSettings: 'Set up a model',
} as const;

const labels: Readonly<Record<string, string>> = {
  'models.default': 'Default model',
  'models.aliases.sonnet': 'sonnet',
  'models.aliases.haiku': 'haiku',
  'models.aliases.opus': 'opus',
  'limits.max_sub_agents': 'Sub-agents per workflow',
  'limits.max_concurrent': 'Sub-agents at the same time',
  'limits.max_iterations_ceiling': 'Most turns of any agent',
  'limits.doom_loop_threshold': 'Identical calls in a row',
  'limits.child_minutes': 'Time of a sub-agent',
  'limits.unattended_wait_minutes': 'Wait for a provider without a client',
  'limits.inactivity_seconds': 'Inactivity limit',
  'limits.approval_seconds': 'Time to answer',
  'permissions.mode': 'Approval mode',
  'approvals.on_timeout': 'When nobody answers in time',
  'limits.run.max_iterations': 'Turns',
  'limits.workflow.max_iterations': 'Turns',
  'providers.active': 'Provider in use',
  'providers.embeddings': 'Provider of embeddings',
  'providers.anthropic.web_search': 'The endpoint searches itself',
  'context.auto_compact': 'Compact by itself',
  'context.compact_at': 'Compact from',
  'sandbox.unix_sockets': 'Unix sockets for commands with the network',
  'sessions.project': 'Keep sessions in their project',
  'backups.keep': 'Backups to keep',
  'backups.max_age_days': 'Keep backups for',
  'backups.daily': 'Daily backup',
  'updates.check': 'Look for updates of the desktop app',
  'telemetry.endpoint': 'Address of a collector',
  'telemetry.content': 'Send content too',
  'web.search.url': 'Address of a search',
  'web.search.key_header': 'Header of its key',
  'web.search.results': 'Results',
  'web.search.max_uses': 'Searches of one model request',
  ...attentionWords.labels,
  'desktop.tray': 'Icon beside the clock',
  'desktop.keep_awake': 'Stay awake at work',
  'desktop.quick_entry': 'Keys for a new conversation',
  'desktop.spell_check': 'Spelling',
};
/** Where core, which writes of the file, names values that the page calls something else. */
const helps: Readonly<Record<string, string>> = {
  'attention.notifications':
    'Notifications of the system: never, for what waits for your answer, or for the end of a workflow too. A browser has to allow them first.',
  'desktop.tray':
    'An icon beside the clock of the system, with what runs and what waits; while a workflow runs the app goes on there without a window. It is usual on Windows.',
  'desktop.spell_check':
    'Marks misspelt words where you write. Only macOS brings dictionaries; elsewhere one of your language is fetched once from a server of Google, if you choose that.',
};
/** The providers that come with the program. */
const NAMED: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic, or a compatible endpoint',
  openai: 'OpenAI, or a compatible endpoint',
};
const lastWords: Readonly<Record<string, string>> = {
  max_tokens: 'Tokens',
  max_cost_usd: 'Cost',
  max_minutes: 'Time',
};
/** Of one provider, below its own table. */
const ofProvider: Readonly<Record<string, string>> = {
  type: 'API',
  base_url: 'Endpoint',
  max_concurrent: 'Requests at the same time',
  'defaults.model': 'Default model',
  'defaults.max_tokens': 'Longest answer',
  'embeddings.model': 'Embedding model',
  'embeddings.dimensions': 'Numbers of a vector',
};
const ofModel: Readonly<Record<string, string>> = {
  context_window: 'Context window',
  max_output: 'Longest answer',
  supports_tools: 'Calls tools',
  supports_vision: 'Sees pictures',
  supports_extended_thinking: 'Thinks before it answers',
  supports_temperature: 'Takes a temperature',
};

function providerLabel(path: string): string | undefined {
  const [, name = '', key = ''] = /^providers\.([^.]+)\.(.+)$/.exec(path) ?? [];
  if (key === 'web_search') return `The endpoint of ${name} searches itself`;
  const {
    quoted,
    plain,
    last = '',
  } = /^models\.(?:"(?<quoted>.+)"|(?<plain>[^".]+))\.(?<last>\w+)$/.exec(key)?.groups ?? {};
  const ofOne = ofModel[last];
  return ofOne === undefined ? ofProvider[key] : `${ofOne} of ${quoted ?? plain}`;
}

function boundsOf(min: number | null, max: number | null): string {
  if (max === null) return min === null ? '' : `From ${min}.`;
  return min === null ? `Up to ${max}.` : `${min} to ${max.toLocaleString('en')}.`;
}

export const settingsWords = {
  title: 'Settings',
  providerKind: 'Provider',
  providerName: (name: string, type: string) =>
    type === 'demo' ? 'The demo: scripted answers, offline' : (NAMED[name] ?? name),
  isActive: 'in use',
  newProvider: 'Another provider…',
  name: 'Name',
  needName: 'Give the provider a name first.',
  speaks: 'Protocol',
  types: {
    'openai-chat': 'OpenAI Chat Completions',
    'openai-responses': 'OpenAI Responses',
    anthropic: 'Anthropic Messages',
  },
  saveAndUse: 'Save and use',
  saveOnly: 'Save',
  removeProvider: 'Remove',
  removeProviderSure: 'Remove it with its key',
  lookThere: 'Detect the protocol',
  nothingThere: 'No model server answers at this address: check it, or choose its protocol yourself',
  ownModelHint: 'Asked by agents that name none. Empty: they must name one.',
  key: 'API key',
  keyOptional: 'API key, where the endpoint wants one',
  keyPlaceholder: (source: string, variable: string) =>
    source === 'store' ? 'stored; paste another to replace it' : source === 'environment' ? `from ${variable}` : '',
  keyFromEnvironment: (variable: string) => `The key comes from ${variable} and wins over one stored here.`,
  keyElsewhere: (elsewhere: KeyElsewhere) => `${keyElsewhereSentence(elsewhere)}.`,
  keyInFile: 'The key stands in the settings file and wins over one stored here.',
  keyStored: (backend: string) => `A key is stored in ${backend} and sent to this endpoint only.`,
  keyWarning: (warning: string) => `${warning}.`,
  keyWhere: (backend: string) => `It will be kept in ${backend}, and sent only to the endpoint that you save with it.`,
  removeKey: 'Remove key',
  endpoint: 'Endpoint',
  endpointHint: (hasOwn: boolean) =>
    `${hasOwn ? 'Empty for the vendor’s own. ' : ''}A server on this machine usually needs no key.`,
  badEndpoint: (problem: string) => `The endpoint ${problem}`,
  endpointFromEnvironment: (name: string) =>
    `The endpoint comes from ${name.toUpperCase()}_BASE_URL and wins over one stored here.`,
  servers: 'On this machine',
  serverModels: (value: number) => plural(value, 'model', 'models'),
  find: 'Find local servers',
  findAgain: 'Look again',
  finding: 'Looking…',
  noServers: 'No model server answers on the usual ports of this machine.',
  model: 'Model',
  modelHint: 'Asked instead of sonnet, haiku and opus.',
  modelAsConfigured: 'as set in “Models”',
  test: 'Test',
  testing: 'Testing…',
  works: 'It works',
  worksNot: 'It does not work',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
  ready: 'Ready',
  notReady: 'Not set up',
  aliasesHint: 'Agents ask for a model by one of these names; each stands for the id of a model.',
  pricesHint:
    'Prices come with Triad; your own stand in prices.toml beside the settings file. "triad config prices" shows them all.',
  search: {
    hint: 'Agents that have the tool web_search ask you before each search. A provider that searches itself does so only where a rule of yours allows it without asking.',
    key: 'Key of that search',
    keep: 'Keep',
    kept: (host: string | null, place: string) =>
      host === null ? `It will be kept in ${place}.` : `A key is kept in ${place} and sent to ${host} only.`,
  },
  limitsHint: 'What starts from now on goes by these; what runs keeps what it started with.',
  label: (path: string) => labels[path] ?? providerLabel(path) ?? lastWords[path.split('.').at(-1) ?? ''] ?? path,
  /** What a setting is for. */
  help: ({ path, description }: { path: string; description: string }) => helps[path] ?? description,
  /** Why its value was refused; follows its name. */
  problem: (reason: string) => reason,
  /** Bounds that nobody reaches are not worth a word. */
  bounds: (min: number | null, max: number | null) => boundsOf(min, max !== null && max < 1_000_000 ? max : null),
  language: 'Language',
  /** Each in its own language, for those who do not read the other. */
  languages: { system: 'As the system', en: 'English', fr: 'Français' },
  theme: 'Colours',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  contrast: 'Contrast',
  contrasts: { system: 'As the system', normal: 'Normal', more: 'High' },
  textSize: 'Size of text',
  textSizes: { small: 'Small', normal: 'Normal', large: 'Large' },
  motion: 'Motion is reduced where your system asks for it. These choices are kept on this device only.',
  memory: 'Memory',
  memoryHint:
    'Notes that agents keep for later workflows in the same folder. Only agents of the same name read them. What a temporary agent notes belongs to its run and goes with its conversation.',
  noMemory: 'No agent has kept a note yet.',
  memoryFailed: 'The notes could not be loaded',
  deleteNote: 'Delete',
  deleteNoteSure: 'Delete for good',
  keepNote: 'Keep',
  noteDeleted: (name: string) => `The note “${name}” is deleted`,
  browsers: 'Browsers',
  browsersHint: 'Every browser that opened a printed URL stays let in, also after a restart of Triad.',
  signOutOthers: 'Sign out other browsers',
  signedOut: (count: number) =>
    count === 0 ? 'No other browser was signed in' : `${plural(count, 'other browser', 'other browsers')} signed out`,
  notSignedOut: 'The other browsers could not be signed out: try again once the connection is back',
  trash: 'Trash',
  trashHint: 'Deleted conversations are kept for a while and can be restored.',
  openTrash: 'Open the trash',
  failed: 'The settings could not be loaded',
  version: (value: string) => `Triad ${value}`,
} as const;
