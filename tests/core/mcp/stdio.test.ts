/** A server is a real process: what it prints, how it ends, and that nothing of it stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServerProcess } from '#core/mcp/server-process.ts';
import { leftovers } from '#core/workspace/shell/leftovers.ts';
import { eventually } from '../../support/eventually.ts';
import { builtProgram } from '../../support/program.ts';
import { fullTest, inFullRun } from '../../support/samples.ts';
import { folderWith, BLOCK_MS, longestBlock } from '../../support/workspace.ts';
import { areAlive, commandOf, expectGone, liar, LIAR, never, reportOf, said, serverOf, useOf } from './support.ts';

const HOLDER = builtProgram(join(import.meta.dirname, 'child/hold-pool.ts'));
/** What the group of a server still has. */
const groupOf = (pid: number) => leftovers(pid, 'no mark');

describe('the start of a server', () => {
  test('uses the workspace or the configured folder, and passes only few environment variables', async () => {
    const [folder, other] = [await folderWith(), await folderWith()];
    const env = { ...process.env, ANTHROPIC_API_KEY: 'secret', GITHUB_TOKEN: 'secret', LD_PRELOAD: '', TMPDIR: '/tmp' };
    const own = { transport: commandOf(LIAR, [], { cwd: other, env: { MY_TOKEN: 'mine', TERM: 'own' } }) };
    const [first, second] = await Promise.all(
      [liar([], { transport: commandOf(LIAR, [], { env: {} }) }), liar([], own)].map((server) =>
        reportOf(useOf(server, folder, { env })),
      ),
    );
    expect([first?.cwd, second?.cwd]).toEqual([folder, other]);
    const allowed = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'TERM', 'TMPDIR', 'TRIAD_COMMAND', 'USER'];
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(first!.env)));
    expect(first?.env).toMatchObject({ PATH: process.env['PATH'], TMPDIR: '/tmp' });
    expect(second?.env).toMatchObject({ MY_TOKEN: 'mine', TERM: 'own' });
  });

  test('gives the server no open sockets of Triad except input and output, and no extra child process', async () => {
    const look = `
      for file in /proc/$$/fd/*; do
        case "\${file##*/} $(readlink $file)" in ([3-9]\\ socket*) echo "holds \${file##*/}" >&2; esac
      done
      echo "children: $(cat /proc/$$/task/$$/children)" >&2
      exit 0`;
    const use = useOf(serverOf('looker', { ...commandOf(''), command: '/bin/sh', args: ['-c', look] }));
    await use.server.tools(never).catch(() => undefined);
    // The one child is `cat`; the last line says how it ended.
    expect(use.pool.state(process.cwd())[0]?.log.slice(0, -1)).toEqual([expect.stringMatching(/^children: \d+ ?$/)]);
  });

  test.for([
    [
      'a command that is not there',
      serverOf('x', { ...commandOf(''), command: 'no-such-command' }),
      'could not be started: the command no-such-command was not found',
    ],
    [
      'a file that is no program',
      serverOf('x', { ...commandOf(''), command: import.meta.filename }),
      `could not be started: the command ${import.meta.filename} cannot be run`,
    ],
    [
      'a folder that is not there',
      serverOf('x', commandOf(LIAR, [], { cwd: '/no/such' })),
      'could not be started: there is no folder /no/such',
    ],
    [
      'one that closes its output',
      serverOf('x', { ...commandOf(''), command: '/bin/sh', args: ['-c', 'exec sleep 60 >&-'] }),
      'was ended by SIGTERM',
    ],
    ['one that ends at once', liar(['exits'], { name: 'x' }), 'ended with exit code 4; it said: No token in MY_TOKEN'],
    ['one that never answers', liar(['never-starts'], { name: 'x' }), 'did not answer within 0.4 s of its start'],
  ] as const)('fails with one sentence: %s', async ([, server, words]) => {
    const use = useOf(server, undefined, { handshakeMs: words.includes('0.4 s') ? 400 : 15_000 });
    const error = await use.server.tools(never).catch((fault: unknown) => fault);
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(`The MCP server "x" ${words}`) as string,
    });
    expect(use.pool.state(process.cwd())).toMatchObject([
      { status: 'failed', pid: null, error: (error as Error).message },
    ]);
  });
});

describe('output of a server', () => {
  test('lines that are no messages are logged with visible hidden characters, and otherwise ignored', async () => {
    const use = useOf(liar(['rubbish', 'speaks']));
    expect((await use.server.tools(never)).map(({ name }) => name)).toEqual(['work', 'other']);
    const log = () => use.pool.state(process.cwd())[0]!.log;
    // Its error output is another pipe than its answers.
    await expect
      .poll(() => log().map((line) => line.slice(0, 40)))
      .toEqual(
        expect.arrayContaining([
          'stdout: Starting up⟦U+001B⟧[2J…',
          'stdout: {"no": "message"}',
          'stdout: [1]',
          'one',
          'two⟦U+0007⟧',
          expect.stringMatching(/^long/),
        ]),
      );
    expect(log().find((line) => line.startsWith('long'))).toHaveLength(2001);
  });

  // What is wrong in a message itself is tried over HTTP as well.
  test.for([
    ['one-line', 'sent a message of more than 8 MiB'],
    ...(inFullRun
      ? ([
          ['asks-deaf', 'does not take what it is sent'],
          ['values', 'sent a message with more than 100000 values'],
          ['deep', 'sent a message of more than 200 levels'],
        ] as const)
      : []),
  ] as const)(
    'ends a server that exceeds a limit (%s) with one clear error, without blocking',
    async ([tool, words]) => {
      const use = useOf(liar(['deaf']));
      const { pid } = await reportOf(use);
      const { value, longest } = await longestBlock(() => said(use, tool).catch((error: unknown) => error));
      expect(value).toMatchObject({
        code: 'disconnected',
        message: `The MCP server "liar" ${words}, and was ended while the tool "${tool}" ran: whether that took effect is not known`,
      });
      expect(longest).toBeLessThan(BLOCK_MS);
      expect(await groupOf(pid)).toEqual([]);
    },
  );

  fullTest([
    'tests/core/mcp/output.test.ts › reads a flood of short lines and a long message completely, without blocking',
    'tests/core/mcp/output.test.ts › the log has the newest 200 lines',
  ])(
    'delivers a whole answer of 3 million characters, and answers after a flood of lines, without blocking',
    async () => {
      const use = useOf(liar());
      await use.server.tools(never);
      const big = await longestBlock(() => said(use, 'big'));
      expect(big.value).toBe('ü'.repeat(3 * 1024 * 1024));
      expect(big.longest).toBeLessThan(BLOCK_MS);
      const { value, longest } = await longestBlock(async () => [
        await said(use, 'small-lines', { megabytes: 20 }),
        await said(use, 'floods'),
      ]);
      expect(value).toEqual(['all sent', 'flooded']);
      expect(longest).toBeLessThan(BLOCK_MS);
      expect(use.pool.state(process.cwd())[0]?.log.length).toBe(200);
    },
  );

  fullTest([
    'tests/core/mcp/stdio.test.ts › a server that ignores signals and the end of its input is killed; signals do not end its watcher',
    'tests/core/mcp/stdio.test.ts › fails with one sentence: %s',
  ])('signals to the process group do not end the watcher, and a server that closes its output is ended', async () => {
    const use = useOf(liar(['deaf']));
    const { pid } = await reportOf(use);
    const before = await groupOf(pid);
    expect(before).toHaveLength(2);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(-pid, signal);
    // It has them behind it when it answers.
    await reportOf(use);
    expect(await groupOf(pid)).toEqual(before);
    await expect(said(use, 'closes-output')).rejects.toMatchObject({ code: 'disconnected' });
    expect(await groupOf(pid)).toEqual([]);
  });
});

describe('the end of a server', () => {
  test('a server that ignores signals and the end of its input is killed; signals do not end its watcher', async () => {
    const realSetTimeout = setTimeout;
    const spy = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((work: () => void, ms = 0) => realSetTimeout(work, ms / 10));
    onTestFinished(() => spy.mockRestore());
    const script = 'trap "" TERM HUP INT; echo ready; exec sleep 60';
    const program = { command: '/bin/sh', args: ['-c', script], env: {}, cwd: '/' };
    const server = await ServerProcess.start({ program, env: process.env, confinedBy: null, missedFile: null });
    await once(server.stdout, 'data');
    const before = await groupOf(server.pid);
    expect(before).toHaveLength(2);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(-server.pid, signal);
    await wait(30);
    expect(await groupOf(server.pid)).toEqual(before);
    await server.close();
    expect(await server.ended()).toBe('was ended by SIGKILL');
    expect(await groupOf(server.pid)).toEqual([]);
  });

  fullTest(
    'tests/core/mcp/stdio.test.ts › a server that ignores signals and the end of its input is killed; signals do not end its watcher',
  )('kills a server that ignores SIGTERM and the end of its input after two seconds, with its children', async () => {
    const use = useOf(liar(['deaf', 'kin']));
    const { pid, kin } = await reportOf(use);
    expect(areAlive([pid, ...kin])).toEqual([true, true, true]);
    const began = performance.now();
    await use.pool.end();
    expect(performance.now() - began).toBeGreaterThan(1900);
    expect(performance.now() - began).toBeLessThan(6000);
    await expectGone([pid, ...kin]);
    expect(await groupOf(pid)).toEqual([]);
  });

  test('does not wait for a server that ends with its input, and leaves no process', async () => {
    const use = useOf(liar(['ignores-signals']));
    const { pid } = await reportOf(use);
    const began = performance.now();
    await use.pool.end();
    expect(performance.now() - began).toBeLessThan(1500);
    expect(await groupOf(pid)).toEqual([]);
  });

  test('a killed server takes its child processes along', async () => {
    const use = useOf(liar(['kin']));
    const { pid, kin } = await reportOf(use);
    process.kill(pid, 'SIGKILL');
    await expectGone([pid, ...kin]);
    await eventually(async () => expect(await groupOf(pid)).toEqual([]));
  });

  // A kill with runs at work is tried with the whole program, beside the owner's tests.
  test.for(['SIGKILL', 'exit'] as const)('no server process outlives the program that started it (%s)', async (way) => {
    const child = spawn(process.execPath, [HOLDER, LIAR], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { pid, kin } = JSON.parse(line) as { pid: number; kin: number[] };
    expect(areAlive([pid, ...kin])).toEqual([true, true, true]);
    const [watcher] = (await groupOf(pid)).filter((one) => one !== pid && !kin.includes(one));
    const exited = once(child, 'exit');
    if (way === 'SIGKILL') child.kill(way);
    else child.stdin.end('exit\n');
    await exited;
    await expectGone([pid, ...kin, watcher!]);
  });
});
