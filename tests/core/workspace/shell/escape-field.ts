/** A person's machine in small, from which nothing may be read and in which nothing may change. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const HIDDEN = [
  'own/config.toml',
  ...['ws/.triad/sessions/one.md', 'ws/.triad/config.toml', 'ws/.env', 'ws/sub/.env', 'ws/customers.csv'],
  ...['ws/deep/.aws/config', 'home/.ssh/id_ed25519', 'home/.aws/credentials', 'home/.netrc', 'home/.config/Slack/a'],
  ...['home/.config/gh/hosts.yml', 'home/.cargo/credentials.toml'],
];
const PLAIN = ['outside/file.txt', 'outside/file2.txt', 'home/.bashrc', 'ws/.git/modules/m/hooks/keep', 'ws/m/.git'];

export interface Field {
  root: string;
  bait: string;
  connections: string[];
  outer: ChildProcess;
  env: Record<string, string>;
  close: () => Promise<void>;
}

/** A person's home, the program's folder, a workspace and servers; not in /tmp or /dev, which a sandbox does not show anyway. */
export async function field(): Promise<Field> {
  const root = await realpath(await mkdtemp('/var/tmp/triad-escapes-'));
  const bait = basename(root);
  await fill(root);
  const shared = [`/tmp/${bait}`, `/dev/shm/${bait}`];
  for (const path of shared) await writeFile(path, 'bait');
  const connections: string[] = [];
  const { tcp, udp, close } = await serve(root, bait, connections);
  const outer = spawn('sleep', ['600'], { stdio: 'ignore' });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(root, 'home'),
    OUT: join(root, 'outside'),
    OWN: join(root, 'own'),
    OUTER: String(outer.pid),
    BAIT: bait,
    TCP: String(tcp),
    UDP: String(udp),
    NODE: process.execPath,
    LD_PRELOAD: '/no/such.so',
    SSH_AUTH_SOCK: '/x',
    DBUS_SESSION_BUS_ADDRESS: 'x',
    DISPLAY: ':0',
    GITHUB_TOKEN: 'x',
  };
  return {
    root,
    bait,
    connections,
    outer,
    env,
    async close() {
      outer.kill('SIGKILL');
      await close();
      for (const path of [root, ...shared]) await rm(path, { recursive: true, force: true });
    },
  };
}

async function fill(root: string): Promise<void> {
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const path of HIDDEN) await put(path, `HIDDEN: ${path}\n`);
  for (const path of PLAIN) await put(path, `plain ${path}\n`);
  const ws = join(root, 'ws');
  for (const folder of [ws, join(ws, 'below')]) await promisify(execFile)('git', ['init', '-q', '--template=', folder]);
  await mkdir(join(ws, '.git/hooks'));
  await mkdir(join(ws, 'node_modules/x'), { recursive: true });
  await symlink('.env', join(ws, 'alias.txt'));
  await symlink(join(root, 'outside'), join(ws, 'out-link'));
  await symlink(join(root, 'own'), join(ws, 'own-link'));
  await symlink(join(root, 'home/.ssh/id_ed25519'), join(ws, 'key-link.txt'));
  await link(join(ws, '.env'), join(ws, 'notes.txt'));
  await link(join(ws, '.env'), join(ws, 'node_modules/x/readme.md'));
  await link(join(root, 'home/.ssh/id_ed25519'), join(ws, 'key-copy.txt'));
}

/** Every kind of server that could be reached; says who came. */
async function serve(
  root: string,
  bait: string,
  connections: string[],
): Promise<{ tcp: number; udp: number; close: () => Promise<void> }> {
  const listen = async (place: { path: string } | { port: number; host: string }): Promise<Server> => {
    const server = createServer((socket) => {
      connections.push(JSON.stringify(place));
      socket.destroy();
    });
    await once(server.listen(place), 'listening');
    return server;
  };
  const paths = [`\0${bait}`, join(root, 'outside/bait.sock'), join(root, 'ws/bait.sock')];
  const servers = await Promise.all([{ port: 0, host: '127.0.0.1' }, ...paths.map((path) => ({ path }))].map(listen));
  const udp = createSocket('udp4').on('message', (_, { port }) => {
    connections.push('udp');
    udp.send('x', port);
  });
  await once(udp.bind(0, '127.0.0.1'), 'listening');
  const close = async (): Promise<void> => {
    udp.close();
    await Promise.all(servers.map((server) => once(server.close(), 'close')));
  };
  return { tcp: (servers[0]!.address() as AddressInfo).port, udp: udp.address().port, close };
}

/** All that must stay as it is, with contents, kinds, permissions and times. */
export async function stateOf({ root, bait }: Field): Promise<Record<string, string>> {
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
