/** A command is a real process: what it says, how it ends, and that nothing of it stays. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Stopped } from '#core/base/stop.ts';
import { NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';
import { runShell } from '#core/workspace/shell/shell-process.ts';
import { eventually } from '../../../support/eventually.ts';
import { inFullRun } from '../../../support/samples.ts';
import { folderWith, BLOCK_MS, longestBlock, workspaceIn } from '../../../support/workspace.ts';
import { BOTH, processesWith, sandbox, shellIn, skipped, uniqueSleep, words } from './support.ts';

describe.for(BOTH)('%s', ([, box]) => {
  // What the way of its start changes nothing of is tried in one of them.
  const testOnce = test.runIf(inFullRun || box === BOTH.at(-1)?.[1]);

  testOnce('returns the exit code and both outputs in the order of writing', async () => {
    const heard: string[] = [];
    const shell = await shellIn({ sandbox: box, onOutput: (text) => heard.push(text) });
    const command = 'for i in 1 2 3; do echo out$i; echo err$i >&2; done; echo by-name > /dev/stderr; exit 7';
    const result = await runShell({ ...shell, command });
    const all = 'out1\nerr1\nout2\nerr2\nout3\nerr3\nby-name\n';
    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, stopped: null });
    expect(result.output).toEqual({ head: all, tail: '', bytes: all.length, cut: 0, unkept: 0 });
    expect([heard.join(''), await readFile(shell.file, 'utf8')]).toEqual([all, all]);
  });

  testOnce('has no input, keeps characters whole and replaces invalid bytes', async () => {
    const heard: string[] = [];
    const shell = await shellIn({ sandbox: box, onOutput: (text) => heard.push(text) });
    const command = `cat; printf '\\xe2\\x82'; sleep 0.05; printf '\\xac|\\xff|'; printf '\\xe2\\x82'`;
    const { output } = await runShell({ ...shell, command });
    expect(heard.join('')).toBe('€|�|�');
    expect(output.head).toBe('€|�|�');
  });

  testOnce('reports a syntax error, a missing command and a killed shell', async () => {
    const of = async (command: string) => runShell({ ...(await shellIn({ sandbox: box })), command });
    const [syntax, missing, killed] = await Promise.all([of('if'), of('no-such-program'), of('kill -9 $$')]);
    expect(syntax).toMatchObject({ exitCode: 2, output: { head: expect.stringContaining('syntax error') as string } });
    expect(missing).toMatchObject({ exitCode: 127, output: { head: expect.stringContaining('not found') as string } });
    expect([killed.exitCode === 137, killed.signal === 'SIGKILL']).toContain(true);
  });

  testOnce(
    'keeps the beginning and end of a long output, and limits its file while the command continues',
    async () => {
      const shell = await shellIn({ sandbox: box, fileBytes: 100_000, resultBytes: 1000 });
      const size = inFullRun ? 30_000_000 : 10_000_000;
      const work = runShell({ ...shell, command: `head -c ${size} /dev/zero | tr '\\0' '\\n'; echo €end; touch done` });
      const { value, longest } = await longestBlock(() => work);
      expect(longest).toBeLessThan(BLOCK_MS);
      const { head, tail, ...counts } = value.output;
      expect(head).toBe('\n'.repeat(500));
      expect(tail).toBe(`${'\n'.repeat(493)}€end\n`);
      expect(counts).toEqual({ bytes: size + 7, cut: size + 7 - 1000, unkept: size + 7 - 100_000 });
      expect(await readFile(shell.file, 'utf8')).toBe('\n'.repeat(100_000));
      expect(await readFile(join(shell.folder, 'done'), 'utf8')).toBe('');
    },
  );

  testOnce('sends SIGTERM at the time limit and keeps the last output of the command', async () => {
    const shell = await shellIn({ sandbox: box, timeoutMs: 400, graceMs: 20_000 });
    const command = `trap 'echo bye; exit 9' TERM; while :; do sleep 0.02; done`;
    const result = await runShell({ ...shell, command });
    expect(result).toMatchObject({ exitCode: 9, timedOut: true, stopped: null });
    expect(result.output.head).toContain('bye\n');
  });

  test('a stop kills all processes of a command, also processes that ignore SIGTERM', async () => {
    const seconds = uniqueSleep();
    const controller = new AbortController();
    const onOutput = (text: string): void => {
      if (text.includes('ready')) controller.abort(new Stopped('user'));
    };
    const shell = await shellIn({ sandbox: box, signal: controller.signal, onOutput });
    const command = `trap '' TERM; (trap '' TERM; sleep ${seconds} & sleep ${seconds} & wait) & sleep ${seconds} & echo ready; sleep ${seconds}; sleep ${seconds}`;
    const result = await runShell({ ...shell, command });
    expect(result.stopped?.kind).toBe('user');
    expect(await processesWith(seconds)).toEqual([]);
  });

  test('a daemon and a child that keeps the output open end with the call', async () => {
    const seconds = uniqueSleep();
    const shell = await shellIn({ sandbox: box });
    const command = `sleep ${seconds} & (setsid nohup sh -c 'touch up; (trap "" TERM HUP; sleep ${seconds}; sleep ${seconds}) & sleep ${seconds}' > /dev/null 2>&1 &); until [ -e up ]; do sleep 0.01; done; echo done`;
    const result = await runShell({ ...shell, command });
    expect(result).toMatchObject({ exitCode: 0, output: { head: 'done\n' } });
    expect(await processesWith(seconds)).toEqual([]);
  });

  testOnce('keeps the folder after cd for the next command, but never leaves the workspace', async () => {
    const outside = await folderWith();
    const shell = await shellIn({ sandbox: box });
    await mkdir(join(shell.folder, 'a b/c'), { recursive: true });
    await symlink(outside, join(shell.folder, 'link'));
    let { folder } = shell;
    let steps = 0;
    const step = async (command: string) => {
      const result = await runShell({ ...shell, file: `${shell.file}-${(steps += 1)}`, folder, command });
      ({ folder } = result);
      return result;
    };
    expect(await step('cd "a b"; exit 4')).toMatchObject({ exitCode: 4, folder: join(shell.folder, 'a b') });
    expect((await step('pwd; cd c')).output.head).toBe(`${join(shell.folder, 'a b')}\n`);
    expect(folder).toBe(join(shell.folder, 'a b/c'));
    expect(await step('cd /')).toMatchObject({ folder: shell.folder, folderReset: true });
    // What is written to the descriptors, and a folder that becomes a link, lead outside neither.
    const forged = `printf '${outside}\\n\\0' >&137; kill -9 $$`;
    expect(await step(forged)).toMatchObject({ folder: shell.folder, folderReset: true });
    await step('cd "a b"');
    await rm(folder, { recursive: true });
    await symlink(outside, folder);
    expect(await step('touch here; :')).toMatchObject({ folder: shell.folder, folderReset: true });
    expect(await readFile(join(shell.folder, 'here'), 'utf8')).toBe('');
  });

  test('the environment has no keys, no sockets of other programs and no variables that load code', async () => {
    const names = [
      'ANTHROPIC_API_KEY',
      'TRIAD_HOME',
      'GITHUB_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'MYSQL_PWD',
      'SSH_AUTH_SOCK',
      'DBUS_SESSION_BUS_ADDRESS',
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'XDG_RUNTIME_DIR',
      'LD_PRELOAD',
      'BASH_ENV',
      'BASH_FUNC_ls%%',
      'NODE_OPTIONS',
      'DOCKER_HOST',
    ];
    const env = {
      ...process.env,
      ...Object.fromEntries(names.map((name) => [name, 'SEEN'])),
      PROXY: 'http://a:SEEN@b/',
      MY_SETTING: 'SEEN',
      TZ: 'Europe/Paris',
    };
    const { output } = await runShell({
      ...(await shellIn({ sandbox: box, env })),
      command: `env; tr '\\0' '\\n' < /proc/self/environ; tr '\\0' ' ' < /proc/1/cmdline`,
    });
    expect(output.head).toContain('TZ=Europe/Paris');
    expect(output.head).not.toContain('SEEN');
  });
});

test('rejects a command that is stopped, invalid or too long, and passes on an error of its listener', async () => {
  const shell = await shellIn();
  const stopped = AbortSignal.abort(new Stopped('user'));
  await expect(runShell({ ...shell, command: 'touch x', signal: stopped })).rejects.toMatchObject({
    code: 'cancelled',
  });
  await expect(runShell({ ...shell, command: 'a\0b' })).rejects.toMatchObject({ code: 'bad_input' });
  await expect(runShell({ ...shell, command: '#'.repeat(140_000) })).rejects.toMatchObject({ code: 'bad_input' });
  const onOutput = (): void => {
    throw new Error('full');
  };
  await expect(runShell({ ...shell, command: 'echo x; sleep 50', onOutput })).rejects.toThrow('full');
});

test('killAll ends running commands and commands that start afterwards', async () => {
  const seconds = uniqueSleep();
  const shell = await shellIn({ onOutput: () => shell.running.killAll() });
  const first = await runShell({ ...shell, command: `echo; sleep ${seconds} & sleep ${seconds}` });
  const second = await runShell({ ...shell, file: `${shell.file}-2`, command: `sleep ${seconds}` });
  expect([first.signal, second.signal]).toEqual(['SIGKILL', 'SIGKILL']);
  expect(await processesWith(seconds)).toEqual([]);
});

test.skipIf(skipped).each([
  ['bubblewrap fails', ['--bind', '/no/such/folder', '/x'], 'bwrap: '],
  ['a mount is another one than meant', ['--remount-ro', '/tmp'], 'was replaced while the sandbox was made'],
])(`starts no command if %s (${words})`, async (_, more, detail) => {
  const shell = await shellIn({ sandbox });
  const broken = {
    ...sandbox!,
    launch: async (...asked: Parameters<NonNullable<typeof sandbox>['launch']>) => {
      const launch = await sandbox!.launch(...asked);
      const isLast = (arg: string) => arg === '--args';
      const args = launch.args.flatMap((arg) => (isLast(arg) ? [...more, arg] : [arg]));
      const check = detail === 'bwrap: ' ? launch.check : () => Promise.resolve(`/x ${detail}`);
      return { ...launch, args, check };
    },
  };
  await expect(runShell({ ...shell, sandbox: broken, command: 'touch started' })).rejects.toMatchObject({
    code: 'internal',
    detail: expect.stringContaining(detail) as string,
  });
  expect(existsSync(join(shell.folder, 'started'))).toBe(false);
});

test.skipIf(skipped)(`starts no sandbox in a system folder (${words})`, async () => {
  await expect(
    sandbox!.launch(
      { workspace: workspaceIn('/usr'), start: '/usr', network: false, write: 'all', options: NO_OPTIONS },
      process.env,
    ),
  ).rejects.toMatchObject({ code: 'not_allowed' });
});

test.skipIf(skipped)(`all processes of a command end when the program is killed (${words})`, async () => {
  const seconds = uniqueSleep();
  const { folder, file } = await shellIn();
  const program = join(import.meta.dirname, 'child/run-one.ts');
  const command = `(setsid nohup sleep ${seconds} > /dev/null 2>&1 &); sleep ${seconds}`;
  const child = spawn(process.execPath, [program, folder, file, command], { stdio: 'ignore' });
  await eventually(async () => expect(await processesWith(`sleep\0${seconds}`)).toHaveLength(2));
  child.kill('SIGKILL');
  await eventually(async () => expect(await processesWith(seconds)).toEqual([]));
});
