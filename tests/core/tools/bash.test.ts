/** Commands of an agent: asked about as what they are, run in the sandbox, shown while they run, and gone with their run. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bashJobs } from '#core/tools/bash-jobs.ts';
import type { BackgroundCommand, NewOutput } from '#core/workspace/shell/background.ts';
import type { RunShell } from '#core/workspace/shell/run-shell.ts';
import { type Person, workspacesWithoutGit } from '../../support/compose.ts';
import { type HarnessOptions, startEngine } from '../../support/engine.ts';
import { type Block, type Script, toolUse } from '../../support/fake-model/script.ts';
import { runCalls, scriptCalls } from '../../support/tool-calls.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';
import { processesWith, sandbox } from '../workspace/shell/support.ts';
import { fullTest } from '../../support/samples.ts';

const bash = (command: string, more: Record<string, unknown> = {}) => toolUse('bash', { command, ...more });
/** What it can write matters to some of these tests: only for theirs git looks at the folder, with many processes. */
const reads = (command: string, more: Record<string, unknown> = {}) => bash(command, { ...more, read_only: true });
const jobs = (input: Record<string, unknown>) => toolUse('bash_jobs', input);
const allow = (pattern: string, tool = 'bash', effect = 'allow') =>
  `[[permissions.rules]]\neffect = "${effect}"\ntool = "${tool}"\npattern = ${JSON.stringify(pattern)}\n\n`;

const start = (script: Script, options: HarnessOptions = {}) => {
  const person = () => ({ kind: 'allow', confirmed: true }) as const;
  return startEngine(script, { files: { 'a.txt': 'one\ntwo\n' }, person, ...options });
};
/** The person allows all these calls, in the second step too. */
const working = (calls: readonly Block[], options?: HarnessOptions) => start(scriptCalls(calls), options);
const outputs = (calls: readonly Block[], options?: HarnessOptions) =>
  runCalls(calls, (script) => start(script, options));

/** Whether a process has these words in its command line, apart by blanks. */
const isRunning = async (words: string): Promise<boolean> =>
  (await processesWith(words.replaceAll(' ', '\0'))).length > 0;

describe.skipIf(!sandbox)('in a sandbox', () => {
  test('returns output, exit code and folder, and does not run a command that became irreversible', async () => {
    const calls = [
      bash('mkdir sub && cd sub && echo hello > b.txt; echo c > c.txt; cat ../a.txt >&2; exit 3'),
      reads('cat b.txt'),
      bash('echo late > ../late.txt'),
    ];
    // What git ignores comes while the last is asked about.
    const person: Person = ({ request: { subject, title } }) => {
      const { folder } = subject as { folder: string };
      if (title.includes('late.txt')) {
        mkdirSync(join(folder, 'data'));
        writeFileSync(join(folder, '.gitignore'), 'data/\n');
        writeFileSync(join(folder, 'data/rows.csv'), 'mine');
      }
      return { kind: 'allow' };
    };
    const { engine, entries } = await outputs(calls, { person });
    expect(entries.map(({ status, output }) => [status, output])).toEqual([
      ['error', 'one\ntwo\n[exit code 3, in sub]\n[files changed: sub/b.txt, sub/c.txt]'],
      ['completed', 'hello\n[exit code 0, in sub]'],
      [
        'error',
        expect.stringMatching(/^What it changes in data\/ could not be undone: .*, as it could when it was approved/),
      ],
    ]);
    expect(await readdir(engine.folder)).not.toContain('late.txt');
    expect(entries[0]?.metadata).toMatchObject({ exitCode: 3, bytes: 8, network: false, folder: 'sub' });
    expect(entries[0]?.metadata).toMatchObject({ path: 'sub/b.txt', also: ['sub/c.txt'], files: 2 });
    expect(await readFile(join(engine.folder, 'sub/b.txt'), 'utf8')).toBe('hello\n');
  });

  fullTest([
    'tests/core/tools/bash.test.ts › a stop ends a command with all processes that it started',
    'tests/core/workspace/shell/shell-process.test.ts › returns the exit code and both outputs in the order of writing',
  ])('streams output while a command runs, and repeats the last output without new output', async () => {
    const engine = await working([reads('echo first; while ! test -e go; do sleep 0.05; done; echo second')]);
    const ended = engine.ask('Work');
    const first = await engine.event('tool-output', ({ tail }) => tail === 'first\n');
    expect(first).toMatchObject({ bytes: 6, agent: 'lead' });
    await engine.event('tool-output', (event) => event !== first && event.tail === 'first\n');
    await mkdir(join(engine.folder, 'go'));
    await ended;
    expect(engine.of('tool-end')[0]?.entry.output).toBe('first\nsecond\n[exit code 0]');
    // Nothing of it is stored.
    expect(engine.durable().some(({ type }) => (type as string) === 'tool-output')).toBe(false);
  });

  test('shortens a long output, whose rest can be read, and passes no key to a command', async () => {
    const programs = { ...process.env, ANTHROPIC_API_KEY: 'sk-ours', MY_TOKEN: 'theirs', LC_TEST: 'plain' };
    const calls = [
      toolUse('bash', { command: 'seq -f "line %g" 20000', read_only: true }, { id: 'long' }),
      toolUse('read_output', { call: 'long', offset: 10_000, limit: 1 }),
      toolUse('bash', { command: 'env', read_only: true }, { id: 'short' }),
      toolUse('read_output', { call: 'short' }),
    ];
    const [long, rest, env, none] = (await outputs(calls, { programs })).entries;
    expect(Buffer.byteLength(long?.output ?? '')).toBeLessThan(50 * 1024);
    expect(long?.output).toMatch(
      /^line 1\n[\s\S]*\n\[\d+ of 208894 bytes, from line \d+ on, are left out; read_output \{"call":"long","offset":\d+\} gives them\.\]\n[\s\S]*line 20000\n\[exit code 0\]$/,
    );
    expect(rest?.output).toMatch(/^line 10000\n/);
    expect(env?.output).toContain('LC_TEST=plain');
    expect(env?.output).not.toMatch(/sk-ours|theirs/);
    expect(none).toMatchObject({ status: 'error' });
  });

  fullTest([
    'tests/core/workspace/shell/shell-process.test.ts › sends SIGTERM at the time limit and keeps the last output of the command',
    'tests/core/workspace/shell/shell-process.test.ts › has no input, keeps characters whole and replaces invalid bytes',
  ])('ends a command at its time limit, and gives a command empty input', async () => {
    const calls = [reads('sleep 4711', { timeout_seconds: 1 }), reads('read -r answer; echo "got:$answer"')];
    const [late, asking] = (await outputs(calls)).entries;
    expect(late).toMatchObject({ status: 'error', metadata: { timedOut: true } });
    expect(late?.output).toMatch(/^\[ended after 1 s: give it more timeout_seconds/);
    expect(await isRunning('sleep 4711')).toBe(false);
    expect(asking?.output).toBe('got:\n[exit code 0]');
  });

  test('a stop ends a command with all processes that it started', async () => {
    const engine = await working([reads('(setsid sleep 4712 &) ; echo started; sleep 4712')]);
    const { workflowId } = await engine.send('Work');
    await engine.event('tool-output', ({ tail }) => tail === 'started\n');
    expect(await isRunning('sleep 4712')).toBe(true);
    await engine.runtime.request('workflow.stop', { workflowId });
    expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
    expect(await isRunning('sleep 4712')).toBe(false);
    expect(engine.of('tool-end')[0]?.entry.status).toBe('cancelled');
  });

  test('only bash_online reaches the network', async () => {
    const server = createServer((_, response) => response.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
    const workspaces = workspacesWithoutGit(await folderWith());
    const { engine, entries } = await outputs([reads(command), toolUse('bash_online', { command })], { workspaces });
    expect(entries.map(({ output }) => output.includes('reached'))).toEqual([false, true]);
    const asked = engine.of('approval-request').map(({ approval }) => approval);
    expect(asked.map(({ risk, description }) => [risk, description.includes('does not reach')])).toEqual([
      ['medium', true],
      ['high', false],
    ]);
    expect(asked[1]?.description).toMatch(
      /What it sends and what it changes cannot be undone\. It runs for at most 120 s$/,
    );
  });

  test('a background command can be read and killed, and ends with the run', async () => {
    const workspaces = workspacesWithoutGit(await folderWith());
    const calls = [
      reads('echo ready; sleep 4715', { background: true }),
      reads('sleep 4716', { background: true }),
      jobs({ action: 'kill', id: 'command-1' }),
      jobs({ action: 'list' }),
      jobs({ action: 'read', id: 'command-2' }),
    ];
    const said = (await outputs(calls, { workspaces })).entries.map(({ output }) => output);
    expect(said[2]).toMatch(/^command-1: was ended: echo ready; sleep 4715/);
    expect(said[3]).toMatch(/^command-1: was ended: .*\ncommand-2: runs: sleep 4716$/);
    expect(said[4]).toMatch(/^\[command-2: runs: sleep 4716; read on from 0\]$/);
    for (const words of ['sleep 4715', 'sleep 4716']) expect(await isRunning(words)).toBe(false);
  });

  fullTest('tests/core/tools/bash.test.ts › a background command can be read and killed, and ends with the run')(
    'assigns changes of a background command to its call, and reports unknown commands',
    async () => {
      const { engine, entries } = await outputs([
        bash('echo ready; sleep 0.1; echo written > by-it.txt; sleep 4713', { background: true }),
        reads('until test -s by-it.txt; do sleep 0.02; done'),
        jobs({ action: 'read', id: 'command-1' }),
        reads('sleep 4714', { background: true }),
        jobs({ action: 'kill', id: 'command-1' }),
        jobs({ action: 'list' }),
        jobs({ action: 'read' }),
        jobs({ action: 'kill', id: 'command-9' }),
      ]);
      const said = entries.map(({ output }) => output);
      expect(said[0]).toContain('command-1');
      expect(said[2]).toMatch(/^ready\n\[command-1: runs: echo ready; .* sleep 4713; read on from 6\]$/);
      expect(said[4]).toMatch(/^command-1: was ended: echo ready;/);
      expect(said[5]).toMatch(/^command-1: was ended: .*\ncommand-2: runs: sleep 4714$/);
      expect(said.slice(6)).toEqual([
        'Name the id of the command to read',
        'There is no command command-9 in the background (one that ran when the program was interrupted has ended)',
      ]);
      for (const words of ['sleep 4713', 'sleep 4714']) expect(await isRunning(words)).toBe(false);
      // What it changed is its call's.
      const { conversationId, runtime } = engine;
      const rows = await runtime.request('change.list', { conversationId });
      expect(rows.map(({ toolCallId, files }) => [toolCallId, files.map(({ path }) => path)])).toEqual([
        [entries[0]?.toolCallId, ['by-it.txt']],
      ]);
    },
  );

  describe('approval of commands', () => {
    const ruled = async (rules: string) => ({ configFolder: await folderWith({ 'config.toml': rules }) });

    test('is required unless rules of the person allow each part of the command', async () => {
      const allowed = ['echo hello && cat a.txt | cat a.txt'];
      const asked = ['echo hello > b.txt', 'echo "$(<a.txt)" | sh'];
      const calls = [...allowed, ...asked].map((command) => reads(command));
      const person: Person = () => ({ kind: 'reject', reason: '' });
      const options = await ruled(allow('echo *') + allow('cat a.txt'));
      const { engine } = await outputs(calls, { ...options, person });
      expect(engine.of('approval-decide').map(({ decision }) => decision.decidedBy)).toEqual([
        ...allowed.map(() => 'rule'),
        ...asked.map(() => 'person'),
      ]);
    });

    test('says which changes cannot be undone, and offers a grant for exactly the requested command', async () => {
      const files = {
        'a.txt': 'one\n',
        '.gitignore': 'data/\ndist/\n',
        'dist/out.js': 'made',
        '.git/HEAD': 'ref: refs/heads/main\n',
      };
      const calls = [
        bash('rm -rf .git dist; echo two > a.txt'),
        bash('git gc'),
        bash('cat a.txt'),
        bash('echo three > a.txt'),
        bash('echo four > a.txt', { read_only: true }),
      ];
      // Of these, what they ask matters, not what they do; and with the second one comes what cannot be kept.
      const rejected = ['git gc', 'cat a.txt', 'echo three > a.txt'];
      const person: Person = ({ request: { subject } }) => {
        const { input, folder } = subject as { input: { command: string }; folder: string };
        if (!rejected.includes(input.command)) return { kind: 'allow', confirmed: true };
        if (input.command === 'cat a.txt') {
          mkdirSync(join(folder, 'data'));
          writeFileSync(join(folder, 'data/rows.csv'), 'mine');
        }
        return { kind: 'reject', reason: '' };
      };
      const { engine, entries } = await outputs(calls, { files, person });
      const asked = engine
        .of('approval-request')
        .map(({ approval }) => [approval.reversible, approval.description.split('. ')[1]]);
      expect(asked).toEqual([
        [true, 'What it changes can be undone, except in dist/, which git ignores'],
        [false, 'What git stores in .git cannot be undone'],
        [true, 'What it changes can be undone'],
        [false, 'What it changes in data/ could not be undone: git ignores it, or it cannot be kept'],
        [true, 'It can write nothing there'],
      ]);
      const approval = engine.of('approval-request')[2]?.approval;
      expect(approval).toMatchObject({
        title: 'Run cat a.txt',
        description: `In a sandbox: it can change files in ${engine.folder} and nowhere else, and it does not reach the network. What it changes can be undone. It runs for at most 120 s`,
        reversible: true,
        risk: 'medium',
        grant: { tool: 'bash', pattern: 'cat a.txt' },
        subject: { kind: 'tool', tool: 'bash', input: { command: 'cat a.txt' } },
      });
      expect(approval).not.toHaveProperty('nameable');
      expect(entries[0]?.output).toContain("cannot remove '.git/HEAD': Read-only file system");
      expect(entries[4]?.output).toContain('a.txt: Read-only file system');
      // What went where nothing is kept is said all the same; what comes there is in the tests of snapshots.
      expect(entries.map(({ metadata }) => metadata['notKept'])).toEqual([
        ['dist/'],
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('two\n');
      expect(await readdir(engine.folder)).toContain('.git');
    });

    test('is not requested if a rule denies a part of the command in any spelling', async () => {
      const commands = ['echo hello; r"m" a.txt', '/bin/rm a.txt', 'env rm a.txt', `bash -c 'rm a.txt'`];
      const calls = commands.map((command, index) => bash(command, { read_only: index > 0 }));
      const workspaces = workspacesWithoutGit(await folderWith());
      const denied = { ...(await ruled(allow('rm *', 'bash', 'deny'))), workspaces };
      const { engine, entries } = await outputs(calls, denied);
      for (const { output } of entries)
        expect(output).toMatch(/^Rejected, nothing was done\. Reason: Your rule denies the tool bash on rm/);
      expect(entries).toHaveLength(commands.length);
      expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    });
  });
});

test.skipIf(process.platform === 'win32')(
  'an approval request without a sandbox names the risk, and no rule allows the command',
  async () => {
    // A machine on which nothing but a shell is found.
    const bin = await folderWith({});
    for (const name of ['bash', 'cat']) await symlink(`/bin/${name}`, join(bin, name));
    const configFolder = await folderWith({ 'config.toml': allow('cat *') });
    const options = { programs: { PATH: bin }, configFolder };
    const { engine, entries } = await outputs([bash('cat a.txt'), reads('cat a.txt')], options);
    expect(entries[0]?.output).toBe('one\ntwo\n[exit code 0]');
    // What could not be kept is not asked about.
    expect(entries[1]?.output).toBe('No sandbox protects this folder: read_only cannot be kept');
    const [question, ...others] = engine.of('approval-request');
    expect(others).toEqual([]);
    expect(question?.approval).toMatchObject({ risk: 'high', reversible: false });
    expect(question?.approval.description).toMatch(
      /^No sandbox protects this folder: .* no rule allows it unasked\. It runs for at most 120 s$/,
    );
    expect(question?.approval).not.toHaveProperty('grant');
  },
);

describe('bash_jobs', () => {
  const command: BackgroundCommand = {
    id: 'command-1',
    command: 'make\nall',
    startedAt: 0,
    bytes: 0,
    isRunning: false,
    exitCode: 0,
    signal: null,
    timedOut: false,
    isStopped: false,
    failure: null,
    putBack: [],
  };
  const newOutput: NewOutput = { before: '', text: 'one\n', cursor: 4, more: 0, unkept: 0, isRunning: false };
  const runJobs = async (
    input: object,
    changes: Partial<BackgroundCommand> | null,
    output: Partial<NewOutput> = {},
  ) => {
    const job = { ...command, ...changes };
    const background = {
      list: () => (changes ? [{ ...command, id: 'command-0', exitCode: 9 }, job] : []),
      read: async () => ({ ...newOutput, ...output }),
      kill: async () => job,
    };
    const commands = { background } as unknown as RunShell;
    return call(bashJobs, input, contextWith(contextIn('/'), { shell: { commands } }));
  };

  test.for([
    [{ isRunning: true, exitCode: null }, 'runs'],
    [{}, 'exit code 0'],
    [{ exitCode: null, signal: 'SIGHUP' }, 'ended by SIGHUP'],
    [{ exitCode: null }, 'ended by a signal'],
    [{ timedOut: true }, 'ended: its time was up'],
    [{ isStopped: true }, 'was ended'],
    [{ failure: 'no disk' }, 'failed: no disk'],
  ] satisfies [Partial<BackgroundCommand>, string][])(
    'lists the first line and the state of %j: %s',
    async ([changes, state]) => {
      const result = await runJobs({ action: 'list' }, changes);
      const output = `command-0: exit code 9: make\ncommand-1: ${state}: make`;
      expect(result).toEqual({ status: 'completed', output, metadata: { commands: 2 } });
    },
  );

  test.for([
    [{}, 'one\n[command-1: exit code 0: make; that is all]'],
    [{ text: 'one' }, 'one\n[command-1: exit code 0: make; that is all]'],
    [{ isRunning: true }, 'one\n[command-1: exit code 0: make; read on from 4]'],
    [{ more: 9, isRunning: true }, 'one\n[command-1: exit code 0: make; 9 bytes more: read on from 4]'],
    [{ text: '', unkept: 7 }, '[command-1: exit code 0: make; that is all; 7 bytes were not kept]'],
  ] satisfies [Partial<NewOutput>, string][])('reads %j, with a hint how to continue', async ([output, text]) => {
    const result = await runJobs({ action: 'read', id: 'command-1' }, {}, output);
    expect(result).toEqual({ status: 'completed', output: text, metadata: { id: 'command-1', from: 4 } });
  });

  test('kills a command, and reads a command that is no longer listed', async () => {
    const result = await runJobs({ action: 'kill', id: 'command-1' }, { isStopped: true });
    expect(result).toEqual({ status: 'completed', output: 'command-1: was ended: make' });
    expect((await runJobs({ action: 'read', id: 'command-1' }, null)).output).toBe('one\n[that is all]');
  });

  test('shows an empty list, and rejects a call without an id', async () => {
    expect((await runJobs({ action: 'list' }, null)).output).toBe('You run nothing in the background.');
    for (const action of ['read', 'kill'])
      expect(await runJobs({ action }, null)).toEqual({
        status: 'error',
        output: `Name the id of the command to ${action}`,
      });
  });
});
