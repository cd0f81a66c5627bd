/** Which sandbox there is, and what it is told. */
import { chmod, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { OpenEntry } from '#core/workspace/open-entry.ts';
import { composeBubblewrap } from '#core/workspace/shell/bubblewrap.ts';
import type { OutsideView } from '#core/workspace/shell/outside-view.ts';
import { findProgram } from '#core/workspace/shell/programs.ts';
import { findSandbox, NO_OPTIONS, type Sandbox, probeSandbox } from '#core/workspace/shell/sandbox.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import type { WorkspaceMounts } from '#core/workspace/shell/mounts.ts';
import { folderWith, workspaceIn } from '../../../support/workspace.ts';
import { sandbox, shellIn, skipped, words } from './support.ts';

/** The mounts of a workspace, with entries that only have a path. */
function makeMounts(names: Partial<Record<keyof WorkspaceMounts, readonly string[]>>): WorkspaceMounts {
  const entries = (paths: readonly string[] = []) => paths.map((path) => ({ path, fd: 9 }) as OpenEntry);
  return {
    readOnly: entries(names.readOnly),
    unmovable: entries(names.unmovable),
    hiddenFolders: entries(names.hiddenFolders),
    selfContained: [],
    hiddenFiles: entries(names.hiddenFiles),
    empty: [...(names.empty ?? [])],
  };
}

const OUTSIDE: OutsideView = {
  home: '/home/me',
  readable: [
    { path: '/usr', source: '/usr' },
    { path: '/home/me/.nvm', source: '/data/nvm' },
  ],
  links: [{ path: '/bin', target: 'usr/bin' }],
  hidden: [{ path: '/etc/shadow', isFolder: false }],
  caches: '/home/me/.local/share/triad/caches/1',
  env: {},
};
const MOUNTS = makeMounts({
  readOnly: ['/home/me/ws/.git/config'],
  unmovable: ['/home/me/ws/.git'],
  hiddenFolders: ['/home/me/ws/.triad'],
  hiddenFiles: ['/home/me/ws/.env'],
  empty: ['/home/me/ws/.git/hooks'],
});

test('mounts the allowlist first, then the workspace, then the hidden files over the workspace', () => {
  const root = { path: '/home/me/ws', fd: 20 } as OpenEntry;
  const layers = [{ root, mounts: MOUNTS, isWritable: true }];
  const confinement = {
    outside: OUTSIDE,
    layers,
    network: false,
    start: '/home/me/ws/a',
    gitSettings: '/x/gitconfig',
    filterFd: null,
    variables: {},
  };
  const { args, descriptors } = composeBubblewrap(confinement, []);
  const line = args.join(' ');
  const order = [
    '--symlink usr/bin /bin',
    '--tmpfs /tmp ',
    '--perms 0700 --size 1073741824 --tmpfs /home/me ',
    '--ro-bind /data/nvm /home/me/.nvm',
    '--ro-bind /x/gitconfig /home/me/.gitconfig',
    '--bind-fd 6 /home/me/ws ',
    '--ro-bind /dev/null /home/me/ws/.env',
    '--bind-fd 7 /home/me/ws/.git ',
    '--ro-bind-fd 8 /home/me/ws/.git/config',
    '--tmpfs /home/me/ws/.git/hooks',
    '--tmpfs /home/me/ws/.triad',
    '--remount-ro / ',
    '--json-status-fd 4 --block-fd 5 --chdir /home/me/ws/a',
  ];
  const positions = order.map((part) => line.indexOf(part));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(descriptors).toEqual([20, 9, 9]);
  expect(line).not.toContain('--ro-bind / /');
  expect(line).toContain('--cap-drop ALL');
  expect(line).toContain('--unshare-net');
  const readOnly = composeBubblewrap(
    { ...confinement, layers: [{ ...layers[0]!, isWritable: false }], network: true },
    [],
  );
  expect(readOnly.args).not.toContain('--unshare-net');
  expect(readOnly.args).not.toContain('--bind-fd');
});

test('reports why a machine has no sandbox', async () => {
  expect([await findSandbox({}, 'win32'), await probeSandbox({}, 'win32').then(({ words }) => words)]).toEqual([
    null,
    'No sandbox for commands: there is none for win32',
  ]);
  expect(await probeSandbox({ PATH: '' }, 'darwin').then(({ words }) => words)).toBe(
    'No sandbox for commands: sandbox-exec is missing',
  );
});

test.skipIf(skipped)(`reports which sandbox is in use (${words})`, async () => {
  expect(await probeSandbox(process.env).then(({ words }) => words)).toMatch(
    /^Commands run in bubblewrap \(\/.*bwrap\)$/,
  );
});

test.skipIf(skipped)(
  'a folder with a protected file cannot be moved to a path where a later command could read that file',
  async () => {
    const files = {
      'config/eu/prod.json': 'HIDDEN',
      'sub/.m2/settings.xml': 'HIDDEN',
      'own/data/a': 'HIDDEN',
      'free/.env': 'HIDDEN',
    };
    const folder = await folderWith(files);
    // Nothing that keeps every command from starting, either.
    await symlink('nowhere', join(folder, '.git'));
    const secrets = { ...NO_FILES, patterns: ['config/*/prod.json'] };
    const own = [join(folder, 'own/data'), join(folder, '.triad/sessions')];
    const run = async (command: string): Promise<string> => {
      const asked = await shellIn({
        workspace: workspaceIn(folder, { secrets, own }),
        write: 'files',
        sandbox,
        command,
      });
      return (await runShell({ ...asked, command })).output.head;
    };
    await run('mv config c; mv config/eu eu; mv sub s; mv sub/.m2 m; mv own o; mv free moved');
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['config', 'free', 'own', 'sub']));
    expect(await run('grep -r . .')).not.toContain('HIDDEN');
  },
);

test('does not use a program in the workspace', async () => {
  const folder = await folderWith({ 'bin/only-here': '' });
  await chmod(join(folder, 'bin/only-here'), 0o755);
  const env = { PATH: `bin:${folder}/bin` };
  expect(await findProgram('only-here', env, null)).toBe(join(folder, 'bin/only-here'));
  expect(await findProgram('only-here', env, folder)).toBeNull();
  expect(await findProgram('bash', env, folder)).toMatch(/^\/(usr\/)?bin\/bash$/);
});

test.skipIf(skipped)(
  `starts no sandbox in the home folder, a folder above, or a folder of the program (${words})`,
  async () => {
    const home = await folderWith({ 'ws/a.txt': '' });
    const launch = (folder: string, own: string[] = []) =>
      sandbox!.launch(
        { workspace: workspaceIn(folder, { own }), start: folder, network: false, write: 'all', options: NO_OPTIONS },
        { ...process.env, HOME: home },
      );
    await expect(launch(home)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(launch(dirname(home))).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(launch(join(home, 'ws'), [join(home, 'ws')])).rejects.toMatchObject({ code: 'not_allowed' });
    await (await launch(join(home, 'ws'))).cleanUp();
  },
);

test.skipIf(skipped)(`the network is reachable only if the command may use the network (${words})`, async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const command = `exec 5<> /dev/tcp/127.0.0.1/${port}; cat <&5`;
  const [open, closed] = await Promise.all(
    [true, false].map(async (network) => runShell({ ...(await shellIn({ sandbox, network })), command })),
  );
  server.close();
  expect([open?.output.head, closed?.exitCode]).toEqual(['hello', 1]);
});

test.skipIf(skipped)(
  `git works in the sandbox, and signals only reach processes of the command (${words})`,
  async () => {
    const shell = await shellIn({ sandbox });
    await promisify(execFile)('git', ['init', '-q', shell.folder]);
    await writeFile(join(shell.folder, 'a.txt'), 'a');
    const git = 'git -c user.name=a -c user.email=a@b';
    const result = await runShell({
      ...shell,
      file: `${shell.file}-2`,
      command: `${git} add -A && ${git} commit -qm one && git log --oneline | wc -l`,
    });
    expect(result.output.head.trim()).toBe('1');
    const killed = await runShell({ ...shell, file: `${shell.file}-3`, command: 'kill -9 -1; sleep 0.3' });
    expect(killed.stopped).toBeNull();
  },
);

test.skipIf(skipped)(
  `starts the sandbox again if a path disappeared while the sandbox was made (${words})`,
  async () => {
    const shell = await shellIn({ sandbox });
    let launches = 0;
    const late: Sandbox = {
      ...sandbox!,
      async launch(...asked) {
        const launch = await sandbox!.launch(...asked);
        launches += 1;
        const place = launch.args.indexOf('--args');
        const args = launch.args.toSpliced(place, 0, '--ro-bind', '/usr', '/usr', '--tmpfs', '/usr/gone');
        return launches > 1 ? launch : { ...launch, args };
      },
    };
    const result = await runShell({ ...shell, sandbox: late, command: 'echo once >> log; cat log' });
    expect([launches, result.output.head]).toEqual([2, 'once\n']);
  },
);
