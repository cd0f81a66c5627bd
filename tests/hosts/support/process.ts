/** The real command line in a process of its own, with a home of its own, over HTTP to the scripted model. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { COMPILED } from '../../support/compiled.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import type { Script } from '../../support/fake-model/script.ts';
import { builtProgram, CLI } from '../../support/program.ts';
import { folderWith } from '../../support/workspace.ts';

const APP = builtProgram(join(import.meta.dirname, 'app-process.ts'));

export interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | string>;
}

interface Finished {
  code: number | string;
  out: string;
  err: string;
}

interface Place {
  folder?: string;
  env?: Record<string, string>;
}

export interface Machine {
  readonly model: FakeModel;
  readonly folder: string;
  readonly home: string;
  /** The variables of its processes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `place`: a folder and variables other than the machine's own. */
  start: (args: string[], input?: string, place?: Place) => Started;
  /** Its input and output are the caller's: nothing reads or ends them. */
  open: (args: string[]) => Started;
  /** Runs to its end. */
  triad: (args: string[], input?: string, place?: Place) => Promise<Finished>;
  /** The app in the browser, with a page of its own. */
  app: () => Promise<Started>;
  /** On a terminal of its own; what is written to the input is typed there. */
  onTerminal: (args: string[]) => Started;
}

/** Whether this machine can give a process a terminal of its own. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0;

/** `program`: what is started in the place of the command line. */
export async function machine(script: Script, program = CLI): Promise<Machine> {
  const home = await mkdtemp(join(tmpdir(), 'triad-home-'));
  const folder = await folderWith({ 'README.md': '# A workspace\n' });
  const model = await startFakeModel(script);
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await model.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });
  const env = {
    PATH: process.env['PATH'],
    TRIAD_HOME: home,
    HOME: home,
    INIT_CWD: folder,
    TERM: 'xterm',
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: model.url,
    // Every test has a home of its own, so what its program compiled would be compiled again for the next.
    ...COMPILED,
  };
  const launch = (command: string, args: string[], input: string | null | undefined, place: Place = {}): Started => {
    const cwd = place.folder ?? folder;
    // A session of its own: no terminal is inherited from whoever runs the tests.
    const child = spawn(command, args, { env: { ...env, INIT_CWD: cwd, ...place.env }, cwd, detached: true });
    running.add(child);
    const [out, err] = [input === null ? () => '' : textOf(child.stdout), textOf(child.stderr)];
    if (typeof input === 'string') child.stdin.end(input);
    const exit = new Promise<number | string>((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child);
        resolve(code ?? signal ?? 'gone');
      });
    });
    return { child, out, err, exit };
  };
  const start: Machine['start'] = (args, input = '', place = {}) =>
    launch(process.execPath, [program, ...args], input, place);
  return {
    model,
    folder,
    home,
    env,
    start,
    open: (args) => launch(process.execPath, [program, ...args], null),
    triad: async (args, input, place) => {
      const { out, err, exit } = start(args, input, place);
      return { code: await exit, out: out(), err: err() };
    },
    app: async () => {
      const pages = await folderWith({ 'index.html': '<html></html>' });
      return launch(process.execPath, [APP, pages], '');
    },
    onTerminal: (args) => {
      const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
      return launch('script', ['-qec', words, '/dev/null'], undefined);
    },
  };
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}
