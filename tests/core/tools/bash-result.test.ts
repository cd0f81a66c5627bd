/** Results and questions of the tools that run commands, for everything that a shell can report. */
import { setTimeout as wait } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { canonicalHash } from '#core/base/hash.ts';
import type { ChangeSet } from '#contract/change.ts';
import { bashTools } from '#core/tools/bash.ts';
import type { Question } from '#core/tools/tool.ts';
import type { Lender } from '#core/workspace/lent/lenders.ts';
import { type Ran, type RunShell, ShellHost } from '#core/workspace/shell/run-shell.ts';
import { allowed } from '../../support/asked.ts';
import { type ContextChanges, contextIn, contextWith, folderWith } from '../../support/workspace.ts';

const host = Object.assign(new ShellHost({}, null), { sandbox: async () => null });
/** A machine with a sandbox, on which no change is kept. */
const withSandbox = Object.assign(new ShellHost({}, null), { sandbox: async () => ({}) });

const output = (head: string, more: Partial<Ran['output']> = {}): Ran['output'] => ({
  head,
  tail: '',
  bytes: Buffer.byteLength(head),
  cut: 0,
  unkept: 0,
  ...more,
});

const lending = (terminal: Lender | null) => (kind: string) => (kind === 'terminal' ? terminal : null);

/** Runs the tool in a shell that reports `ran`; returns the result, and what the shell was called with. */
async function runIn(input: { command: string }, ran: Partial<Ran>, more: Partial<Calling> = {}) {
  const { name = 'bash', question, lent = null } = more;
  const tool = bashTools(more.host ?? host).find((one) => one.name === name)!;
  const folder = more.folder ?? (await folderWith());
  const calls: unknown[][] = [];
  const result = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    stopped: null,
    output: output('hi\n'),
    folder,
    folderReset: false,
    changed: null,
    ...ran,
  };
  const run = async (asked: Parameters<RunShell['run']>[0], ...rest: unknown[]) => {
    calls.push([asked, ...rest]);
    await more.work?.(asked);
    return result;
  };
  const start = async (...asked: unknown[]) => {
    calls.push(asked);
    return 'command-3';
  };
  const commands = { run, start } as unknown as RunShell;
  const own = contextWith(contextIn(folder), { shell: { commands }, files: { lent: lending(lent) } });
  const context = contextWith(own, more.context ?? {});
  const approval = question ? allowed({ question }) : null;
  return { folder, calls, result: await tool.execute(tool.input.parse(input), context, approval) };
}

interface Calling {
  name: string;
  host: ShellHost;
  folder: string;
  question: Question;
  lent: Lender;
  context: ContextChanges;
  work: (asked: Parameters<RunShell['run']>[0]) => Promise<void>;
}

const makeChangeSet = (count: number, notKept: string[] = []) =>
  ({
    files: Array.from({ length: count }, (_, index) => ({ path: `f${index}`, before: null, after: null })),
    notKept,
  }) as unknown as ChangeSet;

test.for<[string, Partial<Ran>, string, string, object]>([
  ['success', {}, 'completed', 'hi\n[exit code 0]', {}],
  ['no output', { output: output('') }, 'completed', '[exit code 0]', { bytes: 0 }],
  ['blank lines', { output: output('a\n\n') }, 'completed', 'a\n\n[exit code 0]', {}],
  ['failure', { exitCode: 3 }, 'error', 'hi\n[exit code 3]', { exitCode: 3 }],
  [
    'a timeout with exit code 0',
    { timedOut: true },
    'error',
    'hi\n[ended after 120 s: give it more timeout_seconds, or run it in the background]',
    { timedOut: true },
  ],
  ['a stop', { stopped: 'signal' as never, exitCode: 1 }, 'cancelled', 'hi\n[stopped before it was done]', {}],
  ['a signal', { exitCode: null, signal: 'SIGKILL' }, 'error', 'hi\n[ended by SIGKILL]', { exitCode: null }],
  ['an unknown signal', { exitCode: null }, 'error', 'hi\n[ended by a signal]', { exitCode: null }],
  ['a change of nothing', { changed: makeChangeSet(0) }, 'completed', 'hi\n[exit code 0]', {}],
  [
    'one changed file',
    { changed: makeChangeSet(1, ['dist/']) },
    'completed',
    'hi\n[exit code 0]\n[files changed: f0]',
    { path: 'f0', undoable: true, notKept: ['dist/'] },
  ],
  [
    'many changed files',
    { changed: makeChangeSet(12) },
    'completed',
    'hi\n[exit code 0]\n[files changed: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more]',
    { path: 'f0', undoable: true, files: 12 },
  ],
  [
    'a lost folder',
    { folderReset: true },
    'completed',
    'hi\n[exit code 0]\n[the working folder was outside of the workspace, or is gone: it is the workspace folder again]',
    {},
  ],
  [
    'a mount of the sandbox',
    { exitCode: 1, output: output('mv: cannot move a: Device or resource busy\n') },
    'error',
    'mv: cannot move a: Device or resource busy\n[exit code 1]\n[the sandbox protects files with keys, their folders, and the settings and hooks of git from changes]',
    {},
  ],
  [
    'a lost end',
    { output: output('hi\n', { unkept: 7 }) },
    'completed',
    'hi\n[exit code 0]\n[the last 7 bytes of its output were not kept]',
    {},
  ],
  ['a terminal', { terminalId: 't1' }, 'completed', 'hi\n[exit code 0]', { terminalId: 't1' }],
])('reports %s', async ([, ran, status, text, metadata]) => {
  const { result } = await runIn({ command: 'make' }, ran);
  expect(result).toMatchObject({ status, output: text });
  const { also, ...shown } = result.metadata ?? {};
  const { output: of = output('hi\n'), exitCode = 0 } = ran;
  const facts = { command: 'make', exitCode, bytes: of.bytes, timedOut: false, network: false, folder: '' };
  expect(shown).toStrictEqual({ ...facts, ...metadata });
  expect(also).toEqual(
    ran.changed?.files.length === 12
      ? makeChangeSet(12)
          .files.slice(1)
          .map(({ path }) => path)
      : undefined,
  );
});

test('reports the shell folder and at most 1000 files of each kind', async () => {
  const folder = await folderWith();
  const { result } = await runIn({ command: 'cd sub' }, { folder: `${folder}/sub` }, { folder });
  expect(result).toMatchObject({ output: 'hi\n[exit code 0, in sub]', metadata: { folder: 'sub' } });
  const notKept = makeChangeSet(1001).files.map((file) => file.path);
  const { metadata } = (await runIn({ command: 'make' }, { changed: makeChangeSet(1002, notKept) })).result;
  expect(metadata).toMatchObject({ files: 1002, also: { length: 1000 }, notKept: { length: 1000 } });
});

test('stores a long output in its file, and deletes the file of a short output', async () => {
  const folder = await folderWith();
  const file = `${folder}/output`;
  const context = { outputs: { path: () => file } };
  const work = () => writeFile(file, 'all of it');
  const long = output('one\n', { tail: 'nine\n', bytes: 40, cut: 31 });
  const { result } = await runIn({ command: 'seq' }, { output: long }, { folder, context, work });
  expect(result.output).toBe(
    'one\n\n[31 of 40 bytes, from line 2 on, are left out; read_output {"call":"t","offset":2} gives them.]\nnine\n[exit code 0]',
  );
  expect(existsSync(file)).toBe(true);
  await runIn({ command: 'seq' }, {}, { folder, context, work });
  expect(existsSync(file)).toBe(false);
});

test('passes the command, its limits and its write permission to the shell', async () => {
  const asked = { network: false, write: 'all', saidIn: null, timeoutMs: 120_000 };
  const { calls, folder } = await runIn({ command: 'make' }, {}, { context: { shell: { folder: () => 'sub' } } });
  expect(calls[0]).toMatchObject([{ ...asked, command: 'make', folder: `${folder}/sub` }, { runId: 'r' }, null]);
  const question = await getQuestion({ command: 'make' }, withSandbox);
  const online = { name: 'bash_online', question, host: withSandbox };
  const second = await runIn({ command: 'make', timeout_seconds: 7 } as { command: string }, {}, online);
  expect(second.calls[0]).toMatchObject([{ ...asked, network: true, saidIn: '', timeoutMs: 7000 }, {}, null]);
  expect(second.result.metadata).toMatchObject({ network: true });
  // Without an approval the sandbox decides.
  const reads = { command: 'make', read_only: true };
  expect((await runIn(reads, {}, { host: withSandbox })).calls[0]).toMatchObject([{ write: 'nothing' }, {}, null]);
  expect((await runIn(reads, {})).result).toEqual({
    status: 'error',
    output: 'No sandbox protects this folder: read_only cannot be kept',
  });
});

test('does not run a command that was approved as reversible but is no longer reversible', async () => {
  const question = { ...(await getQuestion({ command: 'make' }, withSandbox)), reversible: true };
  const { result, calls } = await runIn({ command: 'make' }, {}, { question, host: withSandbox });
  expect(result.output).toBe(
    'What it changes cannot be undone: there is no git, or the folder is too large, as it could when it was approved: ask again',
  );
  expect(calls).toEqual([]);
});

test('runs only in the approved terminal or shell', async () => {
  const terminal = { gone: new AbortController().signal } as Lender;
  const question = await getQuestion({ command: 'make' }, host, 'bash', { files: { lent: lending(terminal) } });
  const { calls, result } = await runIn({ command: 'make' }, {}, { question, lent: terminal });
  expect(calls[0]?.[2]).toBe(terminal);
  expect(result.metadata).toMatchObject({ network: true });
  const gone = await runIn({ command: 'make' }, {}, { question });
  expect(gone.calls).toEqual([]);
  expect(gone.result.output).toMatch(/^The client that lent its terminal has gone: nothing was run\. Call it again/);
  // A shell of Triad was approved: a terminal does not take its place.
  const own = { question: await getQuestion({ command: 'make' }, host), lent: terminal };
  expect((await runIn({ command: 'make' }, {}, own)).calls[0]?.[2]).toBeNull();
});

test('starts a command in the background', async () => {
  const { result, calls } = await runIn({ command: 'make', background: true } as { command: string }, {});
  expect(calls[0]).toMatchObject([{ command: 'make', write: 'all' }, { runId: 'r' }]);
  expect(result).toEqual({
    status: 'completed',
    output:
      'It runs in the background as command-3. bash_jobs reads what it prints, and ends it; it ends with you at the latest.',
    metadata: { command: 'make', background: 'command-3' },
  });
});

test('streams the last 12,000 characters of output while the command runs, and nothing afterwards', async () => {
  const shown: [string, number][] = [];
  const progress = (tail: string, bytes: number) => void shown.push([tail, bytes]);
  const work: Calling['work'] = async ({ onOutput }) => {
    onOutput('a'.repeat(9000), 9000);
    onOutput('b'.repeat(9000), 18_000);
    await wait(220);
    onOutput('c', 18_001);
  };
  await runIn({ command: 'make' }, {}, { context: { call: { progress } }, work });
  expect(shown[0]).toEqual(['a'.repeat(3000) + 'b'.repeat(9000), 18_000]);
  await wait(220);
  expect(shown.flat()).not.toContain(18_001);
});

async function getQuestion(
  input: object,
  of: ShellHost,
  name = 'bash',
  context: ContextChanges = {},
): Promise<Question> {
  const tool = bashTools(of).find((one) => one.name === name)!;
  return (await tool.question!(tool.input.parse(input), contextWith(contextIn(await folderWith()), context)))!;
}

test.for([
  [{ command: 'make' }, 'bash', { title: 'Run make', risk: 'medium', reversible: false, nameable: true }],
  [{ command: 'make', read_only: true }, 'bash', { title: 'Run make', risk: 'medium', reversible: true }],
  [{ command: 'make\nmake all' }, 'bash', { title: 'Run make …', risk: 'medium' }],
  [{ command: `${'m'.repeat(300)}\nmake` }, 'bash', { title: expect.stringMatching(/m…$/) as string }],
  [{ command: '\nmake\n' }, 'bash', { title: 'Run make', risk: 'medium' }],
  [{ command: 'make' }, 'bash_online', { title: 'Run make', risk: 'high', reversible: false, nameable: true }],
] as const)('requests approval of %j in a sandbox with %s', async ([input, name, expected]) => {
  const question = await getQuestion(input, withSandbox, name);
  expect(question).toMatchObject(expected);
  expect(question.nameable).toBe(question.reversible ? undefined : true);
});

test('describes the permissions and the start folder of a command', async () => {
  const folder = await folderWith({ 'sub/a': '' });
  const context = contextWith(contextIn(folder), { shell: { folder: () => 'sub' } });
  const input = { command: 'make', read_only: true };
  const question = await getQuestion(input, withSandbox, 'bash', context);
  expect(question).toMatchObject({
    title: 'In sub, run make',
    description: `It begins in sub, where an earlier command has left the shell. In a sandbox: it can read files in ${folder}, and it does not reach the network. It can write nothing there. It runs for at most 120 s`,
  });
  const hash = canonicalHash({ tool: 'bash', input });
  const subject = { kind: 'tool', tool: 'bash', input, folder, preview: null, hash };
  expect(question.subject).toStrictEqual({ ...subject, startsIn: 'sub' });
  const here = await getQuestion(input, withSandbox, 'bash', contextIn(folder));
  expect(here.subject).toStrictEqual(subject);
  expect((await getQuestion({ command: 'make' }, withSandbox, 'bash_online', context)).description).toBe(
    `It begins in sub, where an earlier command has left the shell. In a sandbox: it can change files in ${folder} and nowhere else, and it reaches the network. What it sends and what it changes cannot be undone. It runs for at most 120 s`,
  );
});

test.each([
  ['git commit -m a', true],
  ['for f in *; do git add "$f"; done', true],
  ['bash -c "git commit -m a"', true],
  ['git commit -m "$(cat <<\'E\'\na\nE\n)"', true],
  ['git log --oneline', false],
  ['for f in *; do git log "$f"; done', false],
  ['for f in *; do cat digit "$f"; done', false],
  ['eval "$x"', false],
])('reports of %j whether the command may write to .git: %s', async (command, isWriting) => {
  const { description } = await getQuestion({ command }, withSandbox);
  expect(description.includes('What git stores in .git cannot be undone')).toBe(isWriting);
});

test('has no sandbox in the home folder and its parent folders', async () => {
  const folder = await folderWith({ 'home/project/a': '' });
  const home = Object.assign(new ShellHost({ HOME: `${folder}/home` }, null), { sandbox: async () => ({}) });
  const descriptionIn = async (name: string) =>
    (await getQuestion({ command: 'make' }, home, 'bash', contextIn(folder + name))).description;
  expect(await descriptionIn('/home')).toMatch(/^No sandbox protects this folder: /);
  expect(await descriptionIn('')).toMatch(/^No sandbox protects this folder: /);
  expect(await descriptionIn('/home/project')).toMatch(/^In a sandbox: /);
});

test('requests approval of a command without a sandbox, in the background and in a terminal', async () => {
  const own = await getQuestion({ command: 'make', background: true, timeout_seconds: 9 }, host);
  expect(own).toMatchObject({ risk: 'high', reversible: false });
  expect(own).not.toHaveProperty('nameable');
  expect(own.description).toMatch(/^No sandbox protects .*\. It goes on in the background for at most 9 s$/);
  const lent = { files: { lent: lending({} as Lender) } };
  const inTerminal = await getQuestion({ command: 'make' }, withSandbox, 'bash', lent);
  expect(inTerminal).toMatchObject({ risk: 'high', reversible: false, subject: { terminal: true } });
  expect(inTerminal.description).toMatch(
    /^In a terminal of .*\. It reaches the network, though .*\. No rule allows it unasked\. It runs for at most 120 s$/,
  );
  const online = await getQuestion({ command: 'make' }, withSandbox, 'bash_online', lent);
  expect(online.description).toContain('. It reaches the network. No rule allows it unasked. ');
  // Nothing of these is shown in a terminal.
  for (const more of [{ background: true }, { read_only: true }])
    expect((await getQuestion({ command: 'make', ...more }, withSandbox, 'bash', lent)).subject).not.toHaveProperty(
      'terminal',
    );
  await expect(getQuestion({ command: 'make', read_only: true }, host)).rejects.toMatchObject({ code: 'bad_input' });
});
