/** A flood of short workflows, then what a person asks for: how long it takes, and when all that is written behind is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CLI } from '../../support/program.ts';
import { clock } from '../clock.ts';
import { type Figure, figure } from '../figure.ts';
import type { Caught, FloodOperations, Flooded } from '../flood-process.ts';
import { Peer } from '../peer.ts';
import type { Session } from '../session.ts';

const PROCESS = join(import.meta.dirname, '../flood-process.ts');
/** Workflows at a time. */
const LANES = 16;
const COMMAND_BAR = { atMost: 1000 };

/** Two floods in one home: the program that had the first ends with its last workflow, the other goes on. */
export async function floodFigures(session: Session): Promise<Figure[]> {
  const { flood: count } = session.sizes;
  const server = await session.server('plain');
  const url = await server.ask('url');
  const home = await session.folder('flood');
  const program = new Program(home, await session.folder('flood/workspace'), url);
  const first = await flooded(url, home, count, () => Promise.resolve());
  const cold = await commandFigures(program, 'right after', count);
  const second = await flooded(url, home, count, (peer) => peer.ask('catchUp'));
  return [
    ...rateFigures([first.flooded, second.flooded], count),
    ...cold,
    ...markdownFigures(second.then, second.flooded.behind),
    ...(await commandFigures(program, 'once all is written', 2 * count)),
  ];
}

async function flooded<T>(url: string, home: string, count: number, then: (peer: Peer<FloodOperations>) => Promise<T>) {
  const peer = await Peer.start<FloodOperations>(PROCESS, [url, home]);
  try {
    const times = await peer.ask('flood', { count, lanes: LANES });
    return { flooded: times, then: await then(peer) };
  } finally {
    await peer.close();
  }
}

function rateFigures(floods: readonly Flooded[], count: number): Figure[] {
  const note = `${count} of one request each, ${LANES} at a time, each in a conversation of its own; the worse of two`;
  return [
    figure({
      id: 'flood-rate',
      title: 'short workflows',
      unit: '1/min',
      bar: { atLeast: 3000 },
      ours: Math.min(...floods.map(({ ms }) => (count * 60_000) / ms)),
      note,
    }),
    figure({
      id: 'flood-cpu',
      title: 'processor time of a short workflow',
      unit: 'ms',
      ours: Math.max(...floods.map(({ cpuMs }) => cpuMs / count)),
      note,
    }),
    figure({
      id: 'flood-blocked',
      title: 'main loop blocked by short workflows',
      unit: 'ms',
      bar: { atMost: 50 },
      ours: Math.max(...floods.map(({ blockedMs }) => blockedMs)),
      note,
    }),
  ];
}

function markdownFigures({ markdownMs, cpuMs, blockedMs }: Caught, behind: number): Figure[] {
  const note = `after the last of the second flood, when ${behind} sessions had none; nothing asks for it`;
  return [
    figure({
      id: 'flood-markdown',
      title: 'Markdown of all sessions complete',
      unit: 's',
      bar: { atMost: 60 },
      ours: markdownMs / 1000,
      note,
    }),
    figure({
      id: 'flood-markdown-cpu',
      title: 'processor time meanwhile, a session',
      unit: 'ms',
      ours: behind === 0 ? 0 : cpuMs / behind,
      note: 'all threads, with lists and search, which are written behind, too',
    }),
    figure({
      id: 'flood-markdown-blocked',
      title: 'main loop blocked meanwhile',
      unit: 'ms',
      bar: { atMost: 50 },
      ours: blockedMs,
      note,
    }),
  ];
}

/** Each command once: the first ones pay for what the flood has left behind. */
async function commandFigures(program: Program, when: string, count: number): Promise<Figure[]> {
  const note = `${count} workflows; the whole of ${program.name}, ${when}`;
  const [newest = ''] =
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(await program.text('sessions', 'list')) ?? [];
  const onSession = (action: string) => ['sessions', action, newest];
  const commands = [
    ['sessions', 'search', 'answer'],
    ['sessions', 'list'],
    ['sessions', 'agents'],
    onSession('show'),
    onSession('trace'),
    ['changes'],
    onSession('export'),
    onSession('project'),
    onSession('delete'),
    onSession('restore'),
    ['sessions', 'clean', '--older-than', '30d'],
  ];
  const figures: Figure[] = [];
  for (const args of commands) {
    const title = args.map((arg) => (arg === newest ? 'ID' : arg)).join(' ');
    const start = clock();
    await program.text(...args);
    const ours = clock() - start;
    figures.push(
      figure({ id: `flood-${when} ${title}`.replaceAll(' ', '-'), title, unit: 'ms', bar: COMMAND_BAR, ours, note }),
    );
  }
  return [...figures, await startFigure(program, when, note)];
}

async function startFigure(program: Program, when: string, note: string): Promise<Figure> {
  const start = clock();
  await program.text('run', '--approve', 'all', 'Say hello');
  return figure({
    id: `flood-${when} start`.replaceAll(' ', '-'),
    title: 'a workflow of its own program, start to end',
    unit: 'ms',
    bar: COMMAND_BAR,
    ours: clock() - start,
    note,
  });
}

/** The command line as a person has it. */
class Program {
  readonly name = CLI;
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(home: string, cwd: string, url: string) {
    this.#cwd = cwd;
    this.#env = { ...process.env, TRIAD_HOME: home, ANTHROPIC_API_KEY: 'bench-key', ANTHROPIC_BASE_URL: url };
  }

  /** What it says; rejects where it ends badly. */
  async text(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [CLI, ...args], { cwd: this.#cwd, env: this.#env });
    const exit = once(child, 'exit');
    let [out, complaint] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (complaint += data.toString()));
    await exit;
    if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}: ${complaint.trim()}`);
    return out;
  }
}
