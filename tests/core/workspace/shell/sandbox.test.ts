/** Which sandbox there is, and what it is told. */
import { chmod, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bubblewrapArguments } from '#core/workspace/shell/bubblewrap.ts';
import { type ClosedPlaces, closedPlaces } from '#core/workspace/shell/closed-places.ts';
import { findProgram } from '#core/workspace/shell/programs.ts';
import { findSandbox, type Sandbox, probeSandbox } from '#core/workspace/shell/sandbox.ts';
import { seatbeltProfile } from '#core/workspace/shell/seatbelt.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { folderWith, workspaceIn } from '../../../support/workspace.ts';
import { sandbox, shellIn, skipped, words } from './support.ts';

const PLACES: ClosedPlaces = {
  folders: new Set(['/home/me/.ssh', '/home/me/ws/.triad']),
  files: new Set(['/home/me/ws/.env', '/home/me/.ssh/agent', '/home/me/.netrc']),
  fixed: new Set(['/home/me/ws/.git/config']),
  held: new Set(['/home/me/ws/.git']),
  missing: new Set(['/home/me/ws/.git/hooks']),
};

test('places are mounted from above to below, and nothing in one that is hidden', () => {
  const asked = { folder: '/home/me/ws', start: '/home/me/ws/a', network: false, places: PLACES };
  const line = bubblewrapArguments(asked, [], 4).join(' ');
  const order = [
    '--ro-bind / /',
    '--tmpfs /home/me/.ssh',
    '--bind /home/me/ws /home/me/ws',
    '--ro-bind /dev/null /home/me/ws/.env',
    '--bind /home/me/ws/.git ',
    '--ro-bind /home/me/ws/.git/config',
    '--tmpfs /home/me/ws/.git/hooks',
    '--remount-ro /proc',
  ];
  const at = order.map((part) => line.indexOf(part));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
  expect(line).not.toContain('/home/me/.ssh/agent');
  expect(line).toContain('--cap-drop ALL');
  expect(line).toContain('--unshare-net');
  expect(line).toMatch(/--info-fd 4 --chdir \/home\/me\/ws\/a --$/);
  expect(bubblewrapArguments({ ...asked, network: true }, [], null)).not.toContain('--unshare-net');
});

test('a workspace in /tmp is seen there', () => {
  const line = bubblewrapArguments(
    {
      folder: '/tmp/a',
      start: '/tmp/a',
      network: false,
      places: { ...PLACES, files: new Set(['/tmp/a/.env', '/tmp/b/.env']) },
    },
    [],
    null,
  ).join(' ');
  expect(line.indexOf('--tmpfs /tmp ')).toBeLessThan(line.indexOf('--bind /tmp/a /tmp/a'));
  expect(line).toContain('/dev/null /tmp/a/.env');
  expect(line).not.toContain('/tmp/b');
});

test('the profile for macOS: the last rule that fits decides, and names are quoted', () => {
  const profile = seatbeltProfile({ folder: '/Users/me/w "s"', temporary: '/private/tmp/t', network: false }, PLACES);
  const lines = profile.split('\n');
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
  expect(lines.slice(0, 2)).toEqual(['(version 1)', '(allow default)']);
  expect(lines).toContain('(deny network*)');
  expect(lines[at('(allow file-write*')]).toContain(
    String.raw`(subpath "/Users/me/w \"s\"") (subpath "/private/tmp/t")`,
  );
  expect(at('(deny file-write*)')).toBeLessThan(at('(allow file-write*'));
  expect(at('(allow file-write*')).toBeLessThan(at('(deny file-write* (subpath'));
  expect(lines[at('(deny file-write* (subpath')]).toContain(
    '(subpath "/home/me/ws/.git/config") (subpath "/home/me/ws/.git/hooks")',
  );
  expect(lines.at(-1)).toBe(
    '(deny file-read* file-write* (subpath "/home/me/.ssh") (subpath "/home/me/ws/.triad") (subpath "/home/me/ws/.env") (subpath "/home/me/.ssh/agent") (subpath "/home/me/.netrc"))',
  );
  expect([...profile].filter((sign) => sign === '(').length).toBe([...profile].filter((sign) => sign === ')').length);
  expect(seatbeltProfile({ folder: '/a', temporary: '/b', network: true }, PLACES)).not.toContain('(deny network*)');
});

test('a machine without a sandbox says why', async () => {
  expect([await findSandbox({}, 'win32'), await probeSandbox({}, 'win32').then(({ words }) => words)]).toEqual([
    null,
    'No sandbox for commands: there is none for win32',
  ]);
  expect(await probeSandbox({ PATH: '' }, 'darwin').then(({ words }) => words)).toBe(
    'No sandbox for commands: sandbox-exec is missing',
  );
});

test.skipIf(skipped)(`one that is there says which (${words})`, async () => {
  expect(await probeSandbox(process.env).then(({ words }) => words)).toMatch(
    /^Commands run in bubblewrap \(\/.*bwrap\)$/,
  );
});

test.skipIf(skipped)(
  'what is closed because of where it lies cannot be moved to where the next command reads it',
  async () => {
    const files = {
      'config/eu/prod.json': 'HIDDEN',
      'sub/.m2/settings.xml': 'HIDDEN',
      'own/data/a': 'HIDDEN',
      'free/.env': '',
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
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['config', 'moved', 'own', 'sub']));
    expect(await run('grep -r . .')).not.toContain('HIDDEN');
  },
);

test('a program that lies in the workspace starts nothing', async () => {
  const folder = await folderWith({ 'bin/only-here': '' });
  await chmod(join(folder, 'bin/only-here'), 0o755);
  const env = { PATH: `bin:${folder}/bin` };
  expect(await findProgram('only-here', env, null)).toBe(join(folder, 'bin/only-here'));
  expect(await findProgram('only-here', env, folder)).toBeNull();
  expect(await findProgram('bash', env, folder)).toMatch(/^\/(usr\/)?bin\/bash$/);
});

test('the program’s own folder is no workspace', async () => {
  const folder = await folderWith();
  const asked = closedPlaces(workspaceIn(join(folder, 'a'), { own: [folder] }), folder, true);
  await expect(asked).rejects.toMatchObject({ code: 'not_allowed' });
});

test.skipIf(skipped)(`the network is there where it is permitted (${words})`, async () => {
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

test.skipIf(skipped)(`git works in the sandbox, and signals reach only the command’s own (${words})`, async () => {
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
});

test.skipIf(skipped)(`a place that is gone when the sandbox is made is looked at again (${words})`, async () => {
  const shell = await shellIn({ sandbox });
  let launches = 0;
  const late: Sandbox = {
    ...sandbox!,
    async launch(...asked) {
      const launch = await sandbox!.launch(...asked);
      launches += 1;
      return launches > 1
        ? launch
        : { ...launch, args: ['--ro-bind', '/', '/', '--tmpfs', '/usr/gone', ...launch.args] };
    },
  };
  const result = await runShell({ ...shell, sandbox: late, command: 'echo once >> log; cat log' });
  expect([launches, result.output.head]).toEqual([2, 'once\n']);
});
