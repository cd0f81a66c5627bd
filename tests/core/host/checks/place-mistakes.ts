/** Mistakes that are none of a key: what others may write, what is no text, what lies where nothing reads it, what is named. */
import { agentText } from '../../../support/linking.ts';
import { Page, together, type World } from './world.ts';

const CONFIG = 'home/config.toml';
const DEMO = 'providers.active = "demo"\n';
const KEY = `sk-ant-${'a1B2'.repeat(8)}`;
const warning = { level: 'warning' } as const;

const one = (about: string, file: string, text: string | Uint8Array, line = 1, rest: object = {}): World => ({
  files: { [file]: text },
  mistakes: [{ about, file, line, ...rest }],
});

function bytes(text: string, ...more: number[]): Uint8Array {
  return Buffer.concat([Buffer.from(text), Buffer.from(more), Buffer.from('"\n')]);
}

function unreadable(): World[] {
  const large = `# ${'x'.repeat(1024 * 1024)}\n`;
  const utf16 = Buffer.from(`\uFEFF${DEMO}`, 'utf16le');
  const files = [CONFIG, 'home/prices.toml', 'project/.triad/config.toml', 'project/.mcp.json'];
  const ways: ((file: string) => World)[] = [
    (file) => one(`${file}: bytes that are no text`, file, bytes('# a\n# b\nx = "', 0xff, 0xfe), 3),
    (file) => one(`${file}: UTF-16`, file, utf16),
    (file) => one(`${file}: too large`, file, large),
    (file) => ({ files: {}, folders: [file], mistakes: [{ about: `${file}: a folder`, file, line: 1 }] }),
  ];
  return ways.map((way) => together(...files.map(way)));
}

const SECRETS = 'home/secrets.json';

function modes(): World[] {
  const secrets = '{"a":"b"}\n';
  const open = (about: string, file: string, text: string, mode: number): World => ({
    ...one(about, file, text),
    modes: { [file]: mode },
  });
  return [
    together(
      open('settings that others may write', CONFIG, DEMO, 0o666),
      open('prices that others may write', 'home/prices.toml', 'version = "2026-01-01"\n', 0o606),
      open('keys that others may write', SECRETS, secrets, 0o602),
      open('sealed keys that others may read', 'home/secrets.safe.json', secrets, 0o640),
      open('an agent that others may write', 'home/agents/x.md', agentText('x'), 0o666),
    ),
    together(
      open('settings that a group may write', CONFIG, DEMO, 0o620),
      open('keys that others may read', SECRETS, secrets, 0o644),
    ),
  ];
}

function keys(): World[] {
  return [
    { ...one('keys that are no JSON', SECRETS, '{'), modes: { [SECRETS]: 0o600 } },
    { ...one('keys that are no texts', SECRETS, '{"a":1}'), modes: { [SECRETS]: 0o600 } },
  ];
}

const LOST = [
  ...['config.json', 'config.yaml', 'settings.toml', 'triad.toml', 'prices.json'],
  ...['providers/ollama.toml', 'agents/base/one.toml', 'agents/one.yaml', 'agents/one.json', 'compositions/one.md'],
  ...['agents/acp/one.toml', 'compositions/acp/one.toml'],
];

/** The path that is told: of what lies in a folder, the folder. */
const toldOf = (path: string): string => path.split('/').slice(0, 2).join('/');

function lost(): World {
  return together(
    ...LOST.map((path): World => {
      const isDeep = path.split('/').length > 2;
      const todo = isDeep ? /folders in it are not read/ : /./;
      const mistake = { about: `yours: ${path}`, file: `home/${toldOf(path)}`, line: 1, todo, ...warning };
      return { files: { [`home/${path}`]: '' }, mistakes: [mistake] };
    }),
    ...['.triad/prices.toml', '.triad/settings.json', '.triad/providers/a.toml', '.triad/agents/base/one.md'].map(
      (path): World => {
        const file = `project/${path.split('/').slice(0, 3).join('/')}`;
        return {
          files: { [`project/${path}`]: '' },
          mistakes: [{ about: `the project's: ${path}`, file, line: 1, ...warning }],
        };
      },
    ),
  );
}

function named(): World {
  return new Page(CONFIG)
    .add('providers.active = "demo"')
    .add('[[permissions.rules]]', 'effect = "deny"')
    .wrong('a rule of a tool that there is not', 'tool = "wirte_file"', warning)
    .add('[[permissions.rules]]', 'effect = "deny"', 'tool = "grep"')
    .wrong('a rule of an agent that there is not', 'agent = "code-reviwer"', warning)
    .add('[mcp.servers.gone]')
    .wrong('a program that there is not', 'command = "no-such-program-here"', warning)
    .add('[mcp.servers.nowhere]', 'command = "node"')
    .wrong('a folder that there is not', 'cwd = "/no/such/folder"', warning)
    .wrong('a variable that is not set', '[mcp.servers.variable]', warning)
    .add('command = "node"', `env = { A = "\${NOT_SET_AT_ALL}" }`)
    .wrong('a secret that is not kept', '[mcp.servers.secret]', warning)
    .add('url = "http://127.0.0.1:1/"', `headers = { A = "\${secret:token}" }`)
    .add('[mcp.servers.clear]', 'url = "http://127.0.0.1:1/"')
    .wrong('a key in a header', `headers = { Authorization = "${KEY}" }`, { ...warning, column: 13 }).world;
}

function models(): World[] {
  return [
    new Page(CONFIG).wrong('who answers has no key', 'providers.active = "anthropic"', warning).world,
    new Page(CONFIG)
      .add('providers.active = "demo"', '[models]', 'enabled = ["opus"]')
      .wrong('a model that is not enabled', 'default = "haiku"').world,
    new Page(CONFIG).wrong('a key for the name of a model', `models.aliases.opus = "${KEY}"`, warning).add(DEMO.trim())
      .world,
  ];
}

const PROJECT = 'project/.triad/config.toml';

function projects(): World[] {
  const foreign = [
    'models.default = "opus"',
    'providers.active = "anthropic"',
    'approvals.on_timeout = "approve"',
    'web.search.results = 3',
    'backups.keep = 3',
    'permissions.mode = "auto"',
    'permissions.always_ask = ["a"]',
  ];
  const page = new Page(PROJECT);
  for (const line of foreign) page.wrong(`a project sets ${line}`, line);
  const values = new Page(PROJECT);
  values.wrong('a limit of a project that is too high', 'limits.max_sub_agents = 9');
  values.wrong('a key of a project that there is not', 'limits.max_sub_agnts = 1');
  values.wrong('a place of sessions that is none', 'sessions.project = "yes"');
  const idle = new Page(PROJECT).wrong('a limit that changes nothing', 'limits.max_sub_agents = 3', warning);
  const rules = new Page(PROJECT)
    .add('[[permissions.rules]]')
    .wrong('a key of a rule of a project that there is not', 'efect = "deny"');
  rules.mistakes.push({ about: 'a rule of a project without what it does', file: PROJECT, line: 1 });
  const lost = new Page(PROJECT)
    .add('[[permissions.rules]]', 'effect = "deny"')
    .wrong('a rule of a project about a tool that there is not', 'tool = "writ_file"', {
      ...warning,
      todo: /write_file/,
    });
  const broken = new Page(PROJECT).add('[limits]').wrong('a project: no TOML', 'max_sub_agents = = 1', { column: 18 });
  const clear = one(
    'a key in a project',
    'project/.triad/agents/x.md',
    `${agentText('x')}The key is ${KEY}.\n`,
    6,
    warning,
  );
  const waits = one('a file that is not trusted', PROJECT, Buffer.from('sessions.project = true\n'), 1, warning);
  return [page.world, values.world, together(idle.world, clear), broken.world, waits, rules.world, lost.world];
}

function servers(): World[] {
  const MCP = 'project/.mcp.json';
  const json = (about: string, text: string, line: number) => one(about, MCP, text, line);
  return [
    json('servers: no JSON', '{\n  "mcpServers": {\n    "a": }\n}\n', 3),
    json('servers: a list', '{"mcpServers": []}', 1),
    together({
      files: {
        [MCP]:
          '{\n "mcpServers": {\n  "a": {},\n  "b": {"command": 3},\n  "-": {"command": "x"},\n  "c": {"url": "ftp://x"},\n  "d": {"command": "x", "url": "http://x"}\n }\n}\n',
      },
      mistakes: [
        { about: 'servers: one without a way to it', file: MCP, line: 3 },
        { about: 'servers: a command that is a number', file: MCP, line: 4 },
        { about: 'servers: a name that is none', file: MCP, line: 5 },
        { about: 'servers: an address of another kind', file: MCP, line: 6 },
        { about: 'servers: two ways', file: MCP, line: 7 },
      ],
    }),
  ];
}

export function placeWorlds(): World[] {
  // Mistakes of several files at once, of which none keeps the others from being read.
  const lists = [[...models(), ...keys()], projects(), servers()];
  const mixed = Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, n) =>
    together(...lists.flatMap((worlds) => worlds[n] ?? [])),
  );
  return [...unreadable(), ...modes(), together(lost(), named()), ...mixed];
}
