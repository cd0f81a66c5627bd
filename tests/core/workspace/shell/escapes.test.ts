/** What is in the sandbox stays there: every attempt is real, and what came of it is looked at from outside. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RunningCommands } from '#core/workspace/shell/command-processes.ts';
import type { Sandbox } from '#core/workspace/shell/sandbox.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { workspaceIn } from '../../../support/workspace.ts';
import { type Attempt, ATTEMPTS } from './escape-attempts.ts';
import { sandbox, skipped, words } from './support.ts';

const HIDDEN = [
  'own/config.toml',
  ...['ws/.triad/sessions/one.md', 'ws/.triad/config.toml', 'ws/.env', 'ws/sub/.env', 'ws/customers.csv'],
  ...['ws/deep/.aws/config', 'home/.ssh/id_ed25519', 'home/.aws/credentials', 'home/.netrc', 'home/.config/Slack/a'],
  ...['home/.config/gh/hosts.yml', 'home/.cargo/credentials.toml'],
];
const PLAIN = ['outside/file.txt', 'outside/file2.txt', 'home/.bashrc', 'ws/.git/modules/m/hooks/keep', 'ws/m/.git'];

interface Field {
  root: string;
  bait: string;
  connections: string[];
  outer: ChildProcess;
  env: Record<string, string>;
  close(): Promise<void>;
}

/** A person's home, the program's folder, a workspace and servers; not in /tmp or /dev, which a sandbox does not show anyway. */
async function field(): Promise<Field> {
  const root = await realpath(await mkdtemp('/var/tmp/triad-escapes-'));
  const bait = root.split('/').at(-1)!;
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const path of HIDDEN) await put(path, `HIDDEN: ${path}\n`);
  for (const path of PLAIN) await put(path, `plain ${path}\n`);
  const ws = join(root, 'ws');
  for (const folder of ['ws', 'ws/below']) {
    await mkdir(join(root, folder), { recursive: true });
    await promisify(execFile)('git', ['init', '-q', '--template=', join(root, folder)]);
  }
  await mkdir(join(ws, '.git/hooks'));
  await symlink('.env', join(ws, 'alias.txt'));
  await symlink(join(root, 'outside'), join(ws, 'out-link'));
  await symlink(join(root, 'own'), join(ws, 'own-link'));
  await symlink(join(root, 'home/.ssh/id_ed25519'), join(ws, 'key-link.txt'));
  await mkdir(join(ws, 'node_modules/x'), { recursive: true });
  await link(join(ws, '.env'), join(ws, 'notes.txt'));
  await link(join(ws, '.env'), join(ws, 'node_modules/x/readme.md'));
  await link(join(root, 'home/.ssh/id_ed25519'), join(ws, 'key-copy.txt'));
  const shared = [`/tmp/${bait}`, `/dev/shm/${bait}`];
  for (const path of shared) await writeFile(path, 'bait');
  const connections: string[] = [];
  const servers = await Promise.all(
    [
      { port: 0, host: '::', ipv6Only: false },
      { path: `\0${bait}` },
      { path: join(root, 'outside/bait.sock') },
      { path: join(ws, 'bait.sock') },
    ].map(async (place) => {
      const server = createServer((socket) => {
        connections.push(JSON.stringify(place));
        socket.destroy();
      });
      await once(server.listen(place), 'listening');
      return server;
    }),
  );
  const udp = createSocket('udp4').on('message', (_, { port }) => {
    connections.push('udp');
    udp.send('x', port);
  });
  await once(udp.bind(0, '127.0.0.1'), 'listening');
  const outer = spawn('sleep', ['600'], { stdio: 'ignore' });
  const { port } = servers[0]!.address() as { port: number };
  const env = {
    ...{
      PATH: process.env['PATH'] ?? '',
      HOME: join(root, 'home'),
      OUT: join(root, 'outside'),
      OWN: join(root, 'own'),
    },
    ...{
      OUTER: String(outer.pid),
      BAIT: bait,
      TCP: String(port),
      UDP: String(udp.address().port),
      NODE: process.execPath,
    },
    ...{
      LD_PRELOAD: '/no/such.so',
      SSH_AUTH_SOCK: '/x',
      DBUS_SESSION_BUS_ADDRESS: 'x',
      DISPLAY: ':0',
      GITHUB_TOKEN: 'x',
    },
  };
  const close = async (): Promise<void> => {
    outer.kill('SIGKILL');
    udp.close();
    await Promise.all(servers.map((server: Server) => promisify(server.close.bind(server))()));
    for (const path of [root, ...shared]) await rm(path, { recursive: true, force: true });
  };
  return { root, bait, connections, outer, env, close };
}

/** All that must stay as it is, with contents, kinds, permissions and times. */
async function stateOf({ root, bait }: Field): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  const add = async (path: string): Promise<void> => {
    const stats = await stat(path).catch(() => null);
    if (!stats) return void (state[path] = 'missing');
    state[path] = `${stats.mode} ${stats.mtimeMs} ${stats.isFile() ? await readFile(path, 'utf8') : ''}`;
    if (stats.isDirectory()) for (const name of (await readdir(path)).sort()) await add(join(path, name));
  };
  const kept = [
    'outside',
    'own',
    'home',
    'ws/.triad',
    'ws/.env',
    'ws/.git/hooks',
    'ws/.git/config',
    'ws/.git/modules',
    'ws/m',
    'ws/below/.git/config',
    'ws/customers.csv',
  ];
  for (const path of kept) await add(join(root, path));
  for (const path of [`/tmp/${bait}`, `/dev/shm/${bait}`]) await add(path);
  return state;
}

/** Makes attempts in one command, and answers which ones worked; `output` is what all of them said. */
async function attempt(
  place: Field,
  box: Sandbox | null,
  attempts: readonly Attempt[],
): Promise<{ worked: Set<string>; output: string; ran: number }> {
  const ws = join(place.root, 'ws');
  const secrets = { patterns: ['customers.csv'], place: { file: null, line: null } };
  const outputs = await mkdtemp(join(process.env['TMPDIR'] ?? '/tmp', 'triad-escapes-'));
  for (const [index, { script }] of attempts.entries()) await writeFile(join(ws, `attempt-${index}`), script);
  const command = `for i in $(seq 0 ${attempts.length - 1}); do bash ./attempt-$i 2>&1; echo "<$i:$?>"; done`;
  try {
    const { output } = await runShell({
      ...{ command, folder: ws, sandbox: box, network: false, env: place.env, file: join(outputs, 'output') },
      ...{ fileBytes: 1e6, resultBytes: 1e6, timeoutMs: 50_000, graceMs: 200, running: new RunningCommands() },
      workspace: workspaceIn(ws, { own: [join(place.root, 'own'), join(ws, '.triad/sessions')], secrets }),
      signal: new AbortController().signal,
      onOutput: () => {},
    });
    const ended = [...output.head.matchAll(/<(\d+):(\d+)>/g)];
    const worked = ended.filter(([, , code]) => code === '0').map(([, index]) => attempts[Number(index)]!.name);
    return { worked: new Set(worked), output: output.head, ran: ended.length };
  } finally {
    await rm(outputs, { recursive: true, force: true });
  }
}

describe.skipIf(skipped)(`out of the sandbox (${words})`, () => {
  let place: Field;
  let before: Record<string, string>;
  let result: Awaited<ReturnType<typeof attempt>>;
  beforeAll(async () => {
    place = await field();
    before = await stateOf(place);
    vi.stubEnv('HOME', place.env['HOME']);
    result = await attempt(place, sandbox, ATTEMPTS);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await place.close();
  });

  test.for(ATTEMPTS)('$name', ({ name }) => {
    expect(result.ran).toBe(ATTEMPTS.length);
    expect(result.worked.has(name), result.output).toBe(false);
  });

  test('nothing outside changed, nothing hidden was read, nothing was connected to', async () => {
    expect(await stateOf(place)).toEqual(before);
    expect(result.output).not.toContain('HIDDEN:');
    expect(place.connections).toEqual([]);
    expect(place.outer.exitCode ?? place.outer.signalCode).toBeNull();
    // Its links lead where they led.
    expect(await readlink(join(place.root, 'ws/out-link'))).toBe(join(place.root, 'outside'));
  });
});

test('the attempts are worth something: without a sandbox they work', async () => {
  const place = await field();
  // Never the others: as root they would change the machine.
  const free = ATTEMPTS.filter((one) => one.free);
  try {
    const { worked, output } = await attempt(place, null, free);
    const failed = free.filter(({ name }) => !worked.has(name)).map(({ name }) => name);
    expect(failed, output).toEqual([]);
  } finally {
    await place.close();
  }
});
