/** A program of this checkout as a process of its own; everything that it started ends with it. */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const packaged = `${ROOT}node_modules/.bin/node`;
/** Every test has a home of its own, so what its program compiled would be compiled again for the next. */
const COMPILED = `${ROOT}node_modules/.cache/triad-e2e`;
const STOP_MS = 5000;

export interface ProcessOptions {
  args: readonly string[];
  folder: string;
  env: Readonly<Record<string, string>>;
  stdio: StdioOptions;
}

/** Nothing of whoever runs the tests reaches it but what any program has. */
export function environmentWith(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TRIAD|NODE_|INIT_CWD)/.test(name));
  return { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: COMPILED, ...env };
}

export function startProcess({ args, folder, env, stdio }: ProcessOptions): ChildProcess {
  return spawn(existsSync(packaged) ? packaged : process.execPath, args, {
    cwd: folder,
    env: environmentWith(env),
    stdio,
    // Of a channel, where there is one: bytes as they are.
    serialization: 'advanced',
    // A group of its own, which can be ended at once.
    detached: true,
  });
}

/** SIGTERM is a wish, and becomes an order when nothing follows from it. */
export async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    killGroup(pid, signal);
    const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(timer);
  }
  // What it left behind: some packages start Chromium by a script, which dies without it.
  killGroup(pid, 'SIGKILL');
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Gone meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
