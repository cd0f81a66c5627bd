/** The programs of the campaign of kills: their folders and environment, and what their clients see. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableEvent } from '#contract/event.ts';
import { COMPILED } from '../support/compiled.ts';
import { CLI } from '../support/program.ts';
import { markOf } from './campaign-model.ts';

/** Maximum duration of a program, in milliseconds. */
export const PATIENCE_MS = 90_000;

/** Printed once a purge is acknowledged. */
export const PURGED = 'purged\n';

export interface ProgramHome {
  home: string;
  workspace: string;
  pages: string;
  env: Record<string, string | undefined>;
}

export interface RunningProgram {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  exit: Promise<number | string>;
}

/** What the client of a workflow saw of it before its end. */
export interface Victim {
  saw: DurableEvent[];
  /** As the server's times. */
  killedAt: number;
  /** Whether it was told that its message is stored. */
  accepted: boolean;
  /** Whether the program that waited for the workflow got a person's Ctrl-C. */
  stopped: boolean;
  err: string;
}

/** `more`: additions to the environment. */
export function start(
  args: readonly string[],
  { env, workspace }: ProgramHome,
  more: Readonly<Record<string, string>> = {},
): RunningProgram {
  const child = spawn(process.execPath, args, {
    env: { ...env, ...more },
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const exit = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve(code ?? signal ?? 'gone');
    });
  });
  return { child, out: () => out, err: () => err, exit };
}

export async function createHome(folder: string, url: string): Promise<ProgramHome> {
  const [home, workspace, pages] = [join(folder, 'home'), join(folder, 'workspace'), join(folder, 'pages')];
  for (const made of [home, workspace, pages]) await mkdir(made, { recursive: true });
  await writeFile(join(workspace, 'README.md'), '# A workspace\n');
  await writeFile(join(pages, 'index.html'), '<html></html>');
  const { PATH } = process.env;
  const own = { TRIAD_HOME: home, HOME: home, INIT_CWD: workspace, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url };
  return { home, workspace, pages, env: { PATH, ...own, ...COMPILED } };
}

/** Durable events of whole lines; a killed process leaves half a line. */
export function seenIn(out: string): DurableEvent[] {
  const lines = out.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DurableEvent).filter((event) => 'seq' in event);
}

/** Starts a workflow whose message has the mark of a seed. */
export function startRun(seed: number, home: ProgramHome, more?: Readonly<Record<string, string>>): RunningProgram {
  return start([CLI, 'run', '--json', '--approve', 'all', `${markOf(seed)} Do it`], home, more);
}
