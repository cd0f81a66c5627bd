/** Commands as a run would start them, with real processes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RunningCommands } from '#core/workspace/shell/command-processes.ts';
import { findSandbox, NO_OPTIONS, probeSandbox } from '#core/workspace/shell/sandbox.ts';
import type { ShellCommand } from '#core/workspace/shell/shell-process.ts';
import { findProgram } from '#core/workspace/shell/programs.ts';
import { folderWith, workspaceIn } from '../../../support/workspace.ts';

export const sandbox = await findSandbox(process.env);
/** Where a program for it is installed under CI, a sandbox that does not hold fails the tests. */
const mustBe = process.env['CI'] !== undefined && (await findProgram('bwrap', process.env, null)) !== null;
export const skipped = sandbox === null && !mustBe;
export const words = skipped
  ? `not run: ${await probeSandbox(process.env).then(({ words }) => words)}`
  : 'in the sandbox';

/** With and without; a sandbox that is missing is left out, and said so by the tests that need it. */
export const BOTH = [['without a sandbox', null] as const, ...(skipped ? [] : [['in a sandbox', sandbox] as const])];

let files = 0;

/** Everything that a command needs, in a new workspace. */
export async function shellIn(more: Partial<ShellCommand> = {}): Promise<Omit<ShellCommand, 'command'>> {
  const folder = more.workspace?.folder ?? (await folderWith());
  const outputs = await folderWith();
  const running = new RunningCommands();
  onTestFinished(() => running.killAll());
  return {
    workspace: workspaceIn(folder),
    folder,
    saidIn: null,
    sandbox: null,
    network: false,
    write: 'all',
    env: process.env,
    options: NO_OPTIONS,
    file: join(outputs, `output-${(files += 1)}`),
    fileBytes: 10_000_000,
    resultBytes: 20_000,
    timeoutMs: 30_000,
    graceMs: 200,
    signal: new AbortController().signal,
    running,
    onOutput: () => {},
    ...more,
  };
}

/** The living processes that have a word on their command line. */
export function processesWith(word: string): Promise<number[]> {
  const read = (pid: string, name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'latin1');
    } catch {
      return '';
    }
  };
  // All at once: to ask for each by a thread costs five times as much.
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(word) && !/\) Z /.test(read(pid, 'stat')))
    .map(Number);
  return Promise.resolve(found);
}

/** A number of seconds for `sleep` that no other process sleeps. */
export const uniqueSleep = (): string =>
  `${1000 + (process.pid % 1000)}.${String((files += 1)).padStart(3, '0')}${process.pid}`;
