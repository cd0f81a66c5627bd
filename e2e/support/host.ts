/** The browser host as a real process with a home of its own; everything it started ends with it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const packaged = `${ROOT}node_modules/.bin/node`;
const START_MS = 20_000;
const STOP_MS = 5000;

export interface HostOptions {
  home: string;
  /** Where the host is started: the folder of new conversations. */
  workspace: string;
  /** 0: any free one. */
  port?: number;
  env?: Readonly<Record<string, string>>;
}

export interface Host {
  /** With the token that works once. */
  readonly url: string;
  /** Without it; for further tabs of a browser that has used the token. */
  readonly origin: string;
  readonly port: number;
  /** What it wrote to stderr so far. */
  notes(): string;
  /** Ends the whole process group at once, as a crash would. */
  crash(): Promise<void>;
  /** Asks it to stop; kills it where it does not. */
  stop(): Promise<void>;
}

export async function startHost({ home, workspace, port = 0, env = {} }: HostOptions): Promise<Host> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ANTHROPIC|TRIAD|NODE_|INIT_CWD)/.test(name),
  );
  const child = spawn(
    existsSync(packaged) ? packaged : process.execPath,
    [`${ROOT}src/hosts/cli.ts`, 'serve', '--port', String(port)],
    { cwd: workspace, env: { ...Object.fromEntries(inherited), TRIAD_HOME: home, ...env }, detached: true },
  );
  let notes = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text));
  try {
    const url = await firstLine(child);
    const { origin, port: own } = new URL(url);
    return {
      url,
      origin,
      port: Number(own),
      notes: () => notes,
      crash: () => end(child, 'SIGKILL'),
      stop: () => end(child, 'SIGTERM'),
    };
  } catch (error) {
    await end(child, 'SIGKILL');
    throw new Error(`The host did not start: ${notes.trim()}`, { cause: error });
  }
}

async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let printed = '';
  const ready = (async () => {
    for await (const piece of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += String(piece);
      const end = printed.indexOf('\n');
      if (end >= 0) return printed.slice(0, end);
    }
    throw new Error('It ended without printing its address');
  })();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('It printed no address in time')), START_MS);
    void ready.finally(() => clearTimeout(timer)).catch(() => undefined);
  });
  const line = await Promise.race([ready, late]);
  child.stdout.resume();
  return line;
}

async function end(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  const { pid } = child;
  killGroup(pid, signal);
  const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Gone meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
