/** The words about MCP servers: their page, and what is asked and told of their tools. */
import type { Permission } from '#contract/agent.ts';
import type { McpProcess, McpServerView, McpToolView } from '#contract/mcp/mcp-methods.ts';
import { plural } from './sentences.ts';

const states: Readonly<Record<McpServerView['state'], string>> = {
  usable: 'usable',
  disabled: 'switched off',
  untrusted: 'not trusted',
  faulty: 'cannot be used',
  overridden: 'overridden',
};
const statuses: Readonly<Record<McpProcess['status'], string>> = {
  idle: 'not started',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
  stopped: 'stopped',
};
const permissions: Readonly<Record<Permission, string>> = {
  FilesystemRead: 'reading files',
  FilesystemWrite: 'changing files',
  SemanticSearch: 'searching by meaning',
  DatabaseRead: 'reading a database',
  DatabaseWrite: 'changing a database',
  NetworkAccess: 'reaching the network',
  Execute: 'running programs',
};
const toolStates: Readonly<Record<McpToolView['state'], string>> = { known: '', changed: 'changed', new: 'new' };

export const mcpWords = {
  title: 'MCP servers',
  list: 'MCP servers',
  failed: 'The MCP servers could not be listed',
  empty:
    'MCP servers are programs or addresses that give agents more tools, such as a browser, a database or an issue tracker. Add one by its command line or its address; a project brings its own in .mcp.json.',
  states,
  statuses,
  sources: { user: 'yours', project: 'of this folder' } satisfies Record<McpServerView['source'], string>,
  /** `file`: where it is written. */
  written: (source: string, file: string) => `${source}, in ${file}`,
  pid: (pid: number) => `process ${pid}`,
  sandboxed: 'in the sandbox',
  users: (users: number) => (users === 0 ? 'no run uses it' : `used by ${plural(users, 'run', 'runs')}`),
  version: (name: string, version: string) => `${name} ${version}`,
  sampling: 'may ask for model requests',
  heard: (when: string) => `last heard ${when}`,
  neverHeard: 'It has never said what it offers.',
  needs: (names: readonly Permission[]) =>
    names.length === 0 ? 'needs nothing' : `needs ${names.map((name) => permissions[name]).join(', ')}`,
  needsWhy: (names: readonly Permission[]) => names.join(', '),
  retryIn: (time: string) => `It can be tried again in ${time}.`,
  retryNow: 'The next use tries it again.',
  stopped: 'You stopped it: no run can use it until it is started again.',
  untrusted: 'It has no effect: nobody has trusted the file that brings it as it is.',
  toTrust: 'Look at it',
  overridden: 'You have a server of the same name, which is used in its place.',
  disabled: 'Runs do not get its tools.',
  buttons: {
    test: 'Test',
    start: 'Start',
    stop: 'Stop',
    restart: 'Restart',
    on: 'Switch on',
    off: 'Switch off',
    signIn: 'Sign in',
    signOut: 'Sign out',
    remove: 'Remove',
  },
  /** The name of a button for those who do not see beside what it stands. */
  buttonOf: (button: string, server: string) => `${button}: ${server}`,
  testing: 'Starting it, and asking what it offers…',
  working: 'One moment…',
  signedIn: 'signed in',
  signedOut: 'not signed in',
  openSignIn: (host: string) => `Sign in at ${host}`,
  signInHint: 'Opens outside of this page. What you agree to there ends here by itself.',
  noAddress: (url: string) => `The server wants this address to be opened, which is none of the web: ${url}`,
  tested: (time: string) => `It answered in ${time}.`,
  testFailed: (time: string) => `It did not work, after ${time}`,
  resources: (count: number) => `Resources (${count})`,
  prompts: (count: number) => `Prompts (${count})`,
  prompt: {
    use: 'Use in a message',
    copy: 'Copy',
    needed: (name: string) => `${name} (needed)`,
    none: 'It takes no arguments.',
    empty: 'The server answered with an empty text.',
  },
  tools: (count: number) => `Tools (${count})`,
  toolStates,
  notOffered: 'left out by the settings',
  arguments: 'Its arguments',
  log: 'Log',
  noLog: 'It has written nothing.',
  changed: (changed: number, fresh: number) => {
    const parts = [
      ...(changed > 0
        ? [`${plural(changed, 'tool is', 'tools are')} described in another way than when you agreed`]
        : []),
      ...(fresh > 0 ? [`${plural(fresh, 'tool is', 'tools are')} new`] : []),
    ];
    const until = [
      ...(changed > 0 ? ['each call of what changed is put to you'] : []),
      ...(fresh > 0 ? ['no agent gets what is new'] : []),
    ].join(', ');
    return `${parts.join(', ')}. Until you agree, ${until}.`;
  },
  accept: 'Agree to the changes',
  removeQuestion: (name: string) => `Remove the MCP server ${name}?`,
  removeText: 'It is ended and taken out of your settings, and its secrets out of the key store.',
  keep: 'Keep it',
  removed: (name: string) => `Removed: ${name}`,
  add: 'Add a server',
  form: {
    title: 'Add an MCP server',
    text: 'It is written into your settings, for all folders, and tested at once. A program runs with your rights: add only what you trust.',
    name: 'Name',
    reach: 'How it is reached',
    reaches: { stdio: 'a program on this machine', http: 'an address' } satisfies Record<McpServerView['kind'], string>,
    command: 'Command line',
    commandHint: 'such as npx -y @modelcontextprotocol/server-everything; no shell reads it',
    url: 'Address',
    values: { stdio: 'Environment', http: 'Headers' } satisfies Record<McpServerView['kind'], string>,
    valueName: (row: number) => `Name ${row}`,
    value: (row: number) => `Value ${row}`,
    secret: 'in the key store',
    secretOf: (row: number) => `Value ${row} in the key store`,
    more: 'One more',
    less: (row: number) => `Leave out ${row}`,
    cancel: 'Cancel',
    add: 'Add and test',
    unclosed: 'A quote in the command line is not closed.',
    noName: 'Each value needs a name.',
    twice: (name: string) => `The name ${name} stands there twice.`,
  },
  /** In a question, and in the envelope of a run. */
  server: 'Server',
  runs: 'Runs',
  says: (server: string) => `What the server “${server}” says of it, not Triad`,
  before: (server: string) => `What the server “${server}” said of it when you agreed, and says now`,
  sameWords: 'Its description is the same as when you agreed; its title or its arguments have changed.',
  silent: 'It says nothing.',
  toolsOf: (server: string) => `Tools of the MCP server ${server}`,
  lacks: (names: readonly string[]) => `Not here: ${names.join(', ')}`,
  editArguments: 'Edit as text',
  asTree: 'Show as a tree',
  modelRead: 'What the model read',
  rows: 'Rows',
  showRows: (count: number) => `Show all ${plural(count, 'row', 'rows')}`,
  moreRows: (count: number) => `${plural(count, 'row', 'rows')} more: the text has all.`,
} as const;

/** The words of a JSON tree. */
export const jsonWords = {
  fields: (count: number) => `{${plural(count, 'field', 'fields')}}`,
  items: (count: number) => `[${plural(count, 'item', 'items')}]`,
  whole: (characters: number) => `Show all ${characters} characters`,
  less: 'Show less',
} as const;
