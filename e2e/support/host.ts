/** The browser host as a real process with a home of its own. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { CLI } from '../../tests/support/program.ts';
import { readAppOrigin } from '../../tests/support/test-browser.ts';
import { endProcess, startProcess } from './process.ts';

const START_MS = 20_000;

export interface HostOptions {
  home: string;
  /** Where the host is started: the folder of new conversations. */
  workspace: string;
  /** 0: any free one. */
  port?: number;
  /** First label of the page's host name below `localhost`. Shared hosts only: a process asks the system's resolver. */
  label?: string;
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
  const child = startProcess({
    args: [CLI, 'serve', '--port', String(port)],
    folder: workspace,
    env: { TRIAD_HOME: home, ...env },
    stdio: 'pipe',
  });
  let notes = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (notes += text));
  try {
    const url = await firstLine(child);
    const origin = await readAppOrigin(url);
    return {
      url,
      origin,
      port: Number(new URL(origin).port),
      notes: () => notes,
      crash: () => endProcess(child, 'SIGKILL'),
      stop: () => endProcess(child, 'SIGTERM'),
    };
  } catch (error) {
    await endProcess(child, 'SIGKILL');
    throw new Error(`The host did not start: ${notes.trim()}`, { cause: error });
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const output = stdout as Readable;
  let printed = '';
  const ready = (async () => {
    for await (const piece of output.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
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
  output.resume();
  return line;
}
