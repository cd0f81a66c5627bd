/** What is typed behind `triad mcp`: what becomes of it, and one clear line where it makes no sense. */
import { describe, expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import type { McpProcess, McpServerView, McpTest, McpToolView } from '#contract/mcp/mcp-methods.ts';
import { serverOf } from '#hosts/cli/commands/mcp/given-server.ts';
import { checkMcp } from '#hosts/cli/commands/doctor/mcp.ts';
import { serverFacts, testLines } from '#hosts/cli/render/mcp-text.ts';
import { memoryClient } from '../../../support/memory-client.ts';
import { commandLine, memoryIo, typing } from '../../../support/memory-io.ts';

const view = (given: Partial<McpServerView>): McpServerView => ({
  name: 'web',
  source: 'user',
  file: '/config.toml',
  kind: 'http',
  runs: 'https://mcp.example',
  state: 'usable',
  fault: null,
  permissions: [],
  sampling: false,
  signIn: 'out',
  process: null,
  heardAt: null,
  tools: [],
  ...given,
});
const never = new AbortController().signal;

describe('an entry', () => {
  const typed = (given: Partial<Parameters<typeof serverOf>[0]>) => serverOf({ command: [], ...given }, '/work');

  test('for a command keeps its arguments, and stores secrets separately', () => {
    const { entry, secrets, open } = typed({
      command: ['npx', '-y', '--port=3'],
      env: ['A=b=c', 'GITHUB_TOKEN=t', 'OTHER_KEY=${MY_KEY}'],
      secret: ['ONE=1', 'TWO'],
      cwd: 'sub',
    });
    expect(entry).toEqual({
      command: 'npx',
      args: ['-y', '--port=3'],
      cwd: '/work/sub',
      env: {
        A: 'b=c',
        GITHUB_TOKEN: '${secret:GITHUB_TOKEN}',
        OTHER_KEY: '${MY_KEY}',
        ONE: '${secret:ONE}',
        TWO: '${secret:TWO}',
      },
      headers: {},
    });
    expect([secrets, open]).toEqual([{ GITHUB_TOKEN: 't', ONE: '1' }, ['TWO']]);
  });

  test('for an address keeps its headers, and stores secrets separately', () => {
    const { entry, secrets, open } = typed({
      url: 'https://mcp.example',
      header: ['Authorization: Bearer abc', 'X-Api-Key:k', 'X-Team: a: b', 'X-More: ${secret:MORE}'],
      secret: ['MORE'],
    });
    expect(entry).toMatchObject({
      url: 'https://mcp.example',
      headers: {
        Authorization: '${secret:Authorization}',
        'X-Api-Key': '${secret:X_Api_Key}',
        'X-Team': 'a: b',
        'X-More': '${secret:MORE}',
      },
    });
    expect([secrets, open]).toEqual([{ Authorization: 'Bearer abc', X_Api_Key: 'k' }, ['MORE']]);
  });

  test.for([
    [{}, /say how the server is reached: --url URL, or -- COMMAND/],
    [{ command: ['x'], url: 'https://a.example' }, /say how the server is reached/],
    [{ url: 'ftp://a.example' }, /^url must be an http or https address/],
    [{ url: 'https://a.example', env: ['A=b'] }, /^env changes nothing of a server with a url/],
    [{ command: ['x'], header: ['A: b'] }, /^headers changes nothing of a server with a command/],
    [{ command: ['x'], env: ['A'] }, /^--env takes NAME=VALUE/],
    [{ url: 'https://a.example', header: ['Bearer s3cret'] }, /^--header takes "NAME: VALUE", and one has no ":"$/],
    [{ command: ['x'], env: ['A=1', 'A=2'] }, /^A is given twice/],
    [{ command: ['x'], env: ['A=1'], secret: ['A=2'] }, /^A is given twice/],
    [{ command: ['x'], secret: ['A-B=s3cret'] }, /^--secret takes NAME or NAME=VALUE/],
    [{ url: 'https://a.example', secret: ['K=s3cret'] }, /^--secret K is sent nowhere: name it in a header, such as/],
    [{ command: ['x', '${secret:K}'], secret: ['K=s3cret'] }, /^other programs can read the arguments .* --secret K$/],
    [{ command: ['x', '--token', '${API_TOKEN}'] }, /^other programs can read .*: pass API_TOKEN as a variable/],
  ] as const)('rejects %j without repeating a secret', ([given, line]) => {
    expect(() => typed(given)).toThrow(line);
    expect(() => typed(given)).not.toThrow(/s3cret/);
  });
});

const triad = (args: string[], client: Client, setup: Parameters<typeof commandLine>[1] = {}) =>
  commandLine(client, setup)('mcp', ...args);

const answers = memoryClient({
  'mcp.list': () => [view({})],
  'mcp.add': () => view({}),
  'mcp.test': () => ({ server: view({}), error: null, durationMs: 1, resources: [], prompts: [] }),
});

test.for([
  ['', 'mcp needs a command: list, show, test, accept, add, remove, enable, disable, login, logout, prompt'],
  ['lst', "unknown command 'mcp lst': list, show, test,"],
  ['show wev', 'There is no MCP server "wev" here (did you mean web?)'],
  ['add a_b__c -- x', '"a_b__c" cannot name an MCP server: it must begin with'],
  ['add a npx -y x', `unknown option '-y': what starts the server, with its options, stands behind "--"`],
  ['prompt web hello word', '"word" is not KEY=VALUE'],
  ['add a --secret K -- x', 'The secret K is empty: give it as --secret K=VALUE, or pipe it in'],
] as const)('"triad mcp %s" is rejected in one clear line', async ([words, line]) => {
  const { code, out, err } = await triad(words === '' ? [] : words.split(' '), answers, { stdin: '' });
  expect([code, out, err.split('\n').length]).toEqual([2, '', 2]);
  expect(err).toContain(`triad: ${line}`);
});

test.for(['add a --', 'add a --env A=1 --'])(
  '"triad mcp %s" passes all following words to the server, including options',
  async (words) => {
    const own = ['x', '--version', '--json', '-y', '--', '--url', 'z'];
    await triad([...words.split(' '), ...own], answers, { stdin: '' });
    const sent = answers.requests.findLast(({ method }) => method === 'mcp.add')?.input;
    expect(sent).toMatchObject({ name: 'a', entry: { command: 'x', args: own.slice(1) } });
  },
);

test('reads secrets from the terminal, or without one from the input line by line', async () => {
  const add = ['add', 'a', '--secret', 'ONE', '--secret', 'TWO', '--', 'x'];
  const given = async (setup: Parameters<typeof commandLine>[1]) => {
    const { code } = await triad(add, answers, setup);
    const sent = answers.requests.findLast(({ method }) => method === 'mcp.add')?.input;
    return [code, (sent as { secrets: unknown }).secrets];
  };
  expect(await given({ stdin: 'a\r\nb\n' })).toEqual([0, { ONE: 'a', TWO: 'b' }]);
  const terminal = typing(['c', 'd']);
  expect(await given({ terminal })).toEqual([0, { ONE: 'c', TWO: 'd' }]);
  expect(terminal.shown()).toBe('ONE (not shown): TWO (not shown): ');
});

test('login prints the address and waits for the sign-in or for Ctrl-C', async () => {
  let looks = 0;
  const client = memoryClient({
    'mcp.login': () => ({ url: 'https://mcp.example/authorize?x=1' }),
    'mcp.list': () => [view({ signIn: (looks += 1) > 2 ? 'in' : 'out' })],
  });
  const done = await triad(['login', 'web'], client);
  expect([done.code, done.out]).toEqual([0, 'https://mcp.example/authorize?x=1\n']);
  expect(done.err).toMatch(/^Open this in your browser.*\nSigned in to web\.\n$/);
  const again = await triad(['login', 'web'], client);
  expect([again.code, again.out, again.err]).toEqual([0, '', expect.stringMatching(/^You are signed in to web\./)]);
  looks = -1000;
  const io = memoryIo({ client });
  const waiting = io.run(['mcp', 'login', 'web']);
  await expect.poll(() => io.out()).toContain('https://');
  io.interrupt();
  expect(await waiting).toBe(130);
});

test('doctor prints one line for each used server and one for all untrusted servers, and does not wait long', async () => {
  const client = memoryClient({
    'mcp.list': () => [
      view({ name: 'good' }),
      view({ name: 'bad', source: 'project' }),
      view({ name: 'slow' }),
      view({ name: 'off', state: 'disabled' }),
      view({ name: 'odd', state: 'faulty', fault: 'url is missing', file: '/w/.mcp.json' }),
      view({ name: 'a', state: 'untrusted', file: '/w/.mcp.json' }),
      view({ name: 'b', state: 'untrusted', file: '/w/.mcp.json' }),
    ],
    'mcp.test': async ({ name }) => {
      if (name === 'slow') await new Promise(() => undefined);
      const error = name === 'bad' ? 'It ended' : null;
      return { server: view({ name }), error, durationMs: 1, resources: [], prompts: [] };
    },
  });
  const found = await checkMcp(client, { folder: '/w', patienceMs: 40 }, never);
  expect(found.map(({ name, state, text, advice }) => [name, state, text, advice])).toEqual([
    ['MCP good', 'ok', 'answers, with 0 tools', null],
    ['MCP bad', 'warning', 'It ended', '"triad mcp test bad" says more'],
    [
      'MCP slow',
      'warning',
      expect.stringMatching(/^no answer after \d+ ms$/),
      '"triad mcp test slow" says more, "triad mcp disable slow" switches it off',
    ],
    ['MCP odd', 'warning', 'cannot be used: url is missing', 'correct it in /w/.mcp.json'],
    [
      'MCP',
      'warning',
      'not started, because nobody has trusted /w/.mcp.json as it is: a, b',
      'look at it with "triad trust"',
    ],
  ]);
});

test('show, test and doctor report that a server runs in the sandbox', async () => {
  const process: McpProcess = {
    status: 'ready',
    since: '2026-01-01T00:00:00.000Z',
    pid: 7,
    users: 0,
    error: null,
    retryAt: null,
    words: null,
    log: [],
    isSandboxed: true,
  };
  const server = view({ kind: 'stdio', signIn: 'none', process });
  const found: McpTest = { server, error: null, durationMs: 1, resources: [], prompts: [] };
  expect(serverFacts(server)).toContainEqual(['sandbox', 'yes']);
  expect(testLines(found, 80)[0]).toMatch(/^web answers in the sandbox \(/);
  const client = memoryClient({ 'mcp.list': () => [server], 'mcp.test': () => found });
  expect(await checkMcp(client, { folder: '/w' }, never)).toMatchObject([
    { text: 'answers in the sandbox, with 0 tools' },
  ]);
});

test('list marks changed and new tools, and accept shows and sends only these tools', async () => {
  const tool = (name: string, state: McpToolView['state'], before: string | null): McpToolView => ({
    name: `mcp__web__${name}`,
    tool: name,
    description: `Runs ${name}\nquickly`,
    inputSchema: {},
    permissions: [],
    hash: `hash of ${name}`,
    state,
    before,
    offered: true,
  });
  const tools = [tool('lamp', 'changed', 'Runs lamp'), tool('bell', 'new', null), tool('door', 'known', null)];
  const client = memoryClient({
    'mcp.list': () => [view({ signIn: 'none', heardAt: '2026-03-01T12:00:00.000Z', tools })],
    'mcp.accept': () => view({ tools: tools.map((current) => ({ ...current, state: 'known' as const })) }),
  });
  const run = (...args: string[]) => triad(args, client);
  const list = await run('list');
  expect(list.out).toMatch(/^NAME .*\nweb +usable +3 \(1 changed, 1 new\) +yours /);
  expect(list.err).toMatch(/^Calls of what has changed are put to you, .*"triad mcp accept web"\n$/);
  expect(await run('accept', 'web', 'lamp')).toEqual({
    code: 0,
    out: 'changed  lamp\n  before │ Runs lamp\n  now    │ Runs lamp\n         │ quickly\n',
    err: 'Agreed: 1 tool of web as shown. What you allowed of them holds again.\n',
  });
  await run('accept', 'web');
  const acceptInputs = client.requests.filter(({ method }) => method === 'mcp.accept').map(({ input }) => input);
  const [lamp, bell] = ['lamp', 'bell'].map((name) => ({ tool: name, hash: `hash of ${name}` }));
  expect(acceptInputs).toMatchObject([{ tools: [lamp] }, { tools: [lamp, bell] }]);
  expect((await run('accept', 'web', 'door')).err).toMatch(/^There is nothing to agree to: /);
  const unknown = 'triad: The MCP server web has no tool "bel" (did you mean bell?)\n';
  expect(await run('accept', 'web', 'bel')).toEqual({ code: 2, out: '', err: unknown });
});

test('test lists resources and prompts, and prompt prints the text of one', async () => {
  const promptArguments = [
    { name: 'city', description: '', required: true },
    { name: 'state', description: '', required: false },
  ];
  const client = memoryClient({
    'mcp.test': () => ({
      server: view({}),
      error: null,
      durationMs: 1,
      resources: [{ uri: 'demo://a.md', name: 'a', description: 'A document' }],
      prompts: [{ name: 'weather', description: 'Asks about it', arguments: promptArguments }],
    }),
    'mcp.prompt': ({ args }) => ({ text: `How is ${args?.['city']}?` }),
  });
  const { out } = await triad(['test', 'web'], client);
  expect(out).toMatch(/\n {2}1 resource\n {4}demo:\/\/a\.md {2}A document\n/);
  expect(out).toMatch(/\n {2}1 prompt\n {4}weather city=… \[state=…\] +Asks about it\n/);
  const prompt = await triad(['prompt', 'web', 'weather', 'city=Rome'], client);
  expect(prompt).toEqual({ code: 0, out: 'How is Rome?\n', err: '' });
});
