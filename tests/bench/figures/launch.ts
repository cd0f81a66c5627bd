/** The command line from its launch to its first request, beside the floor's and an empty program with the same engine, and the memory of the whole workflow. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CLI, ROOT } from '../../support/program.ts';
import { clock } from '../clock.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import type { Session } from '../session.ts';
import { median } from '../statistics.ts';

const FLOOR = join(import.meta.dirname, '../floor-cli.ts');
const ENGINE = join(import.meta.dirname, '../engine-cli.ts');
const LAUNCH = 'launch → first request';
const MEMORY = 'peak memory of one workflow';
const LAUNCH_BAR = { timesFloor: 1.4 };
const MEMORY_BAR = { atMost: 180 };
const LOOK_MS = 4;

interface Launch {
  firstRequestMs: number;
  /** Null where the system does not tell. */
  peakMb: number | null;
}

export async function launchFigures(session: Session): Promise<Figure[]> {
  const { launches } = session.sizes;
  const server = await session.server('scripted', '0', '0');
  const url = await server.ask('url');
  const home = await session.folder('launch/home');
  const cwd = await session.folder('launch/workspace');
  const env = { ...process.env, TRIAD_HOME: home, ANTHROPIC_API_KEY: 'bench-key', ANTHROPIC_BASE_URL: url };
  const launch = async (args: string[]): Promise<Launch> => {
    const startedAt = clock();
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const peakMb = await ended(child);
    const [first] = await server.ask('take');
    if (!first) throw new Error('it made no request');
    return { firstRequestMs: first.receivedAt - startedAt, peakMb };
  };
  const words = ['run', '--approve', 'all', 'Look at all parts'];
  const packed = await packedLauncher(await session.folder('launch/package'));
  const mine = () => launch([CLI, ...words]);
  const asPackage = () => launch([packed, ...words]);
  const bare = () => launch([FLOOR]);
  // The first start makes the store and the compile cache.
  await mine();
  await asPackage();
  await bare();
  await engineMs();
  const engine: number[] = [];
  const results: Results = { ours: [], packed: [], floor: [] };
  for (let time = 0; time < launches; time += 1) {
    results.ours.push(await mine());
    results.packed.push(await asPackage());
    results.floor.push(await bare());
    engine.push(await engineMs());
  }
  return [...figuresOf(results, launches), engineFigure(results.ours, engine)];
}

interface Results {
  ours: Launch[];
  packed: Launch[];
  floor: Launch[];
}

/** The launcher of what `npm pack` packs, in a folder as `npm install` leaves it. */
async function packedLauncher(folder: string): Promise<string> {
  execFileSync(process.execPath, [join(ROOT, 'scripts/package/stage.ts')]);
  for (const part of ['bin/triad.cjs', 'build', 'dist/cli', 'package.json', 'schema'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/triad.cjs');
}

function figuresOf({ ours, packed, floor }: Results, launches: number): Figure[] {
  const start = (all: Launch[]) => median(all.map(({ firstRequestMs }) => firstRequestMs));
  const peaks = (all: Launch[]) => all.flatMap(({ peakMb }) => (peakMb === null ? [] : [peakMb]));
  const note = `node ${relative(process.cwd(), CLI)} run, from the second start on; median of ${launches}`;
  return [
    figure({
      id: 'launch',
      title: LAUNCH,
      unit: 'ms',
      bar: LAUNCH_BAR,
      note,
      ours: start(ours),
      floor: start(floor),
    }),
    figure({
      id: 'launch-package',
      title: `${LAUNCH}, as an installed package`,
      unit: 'ms',
      bar: LAUNCH_BAR,
      note: `bin/triad.cjs run; median of ${launches}`,
      ours: start(packed),
      floor: start(floor),
    }),
    peaks(ours).length === 0
      ? unmeasured('memory', MEMORY, MEMORY_BAR, 'this system has no /proc')
      : figure({
          id: 'memory',
          title: MEMORY,
          unit: 'MB',
          bar: MEMORY_BAR,
          note,
          ours: median(peaks(ours)),
          floor: median(peaks(floor)),
        }),
  ];
}

/** What no program with this store can go below. */
function engineFigure(ours: Launch[], engine: number[]): Figure {
  return figure({
    id: 'launch-engine',
    title: `${LAUNCH}, floor: the engine imported`,
    unit: 'ms',
    ours: median(ours.map(({ firstRequestMs }) => firstRequestMs)),
    floor: median(engine),
    note: 'the floor is a program that imports the engine, opens nothing and asks nothing',
  });
}

/** From the launch of an empty program until it has the engine. */
async function engineMs(): Promise<number> {
  const startedAt = clock();
  const child = spawn(process.execPath, [ENGINE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  const ms = clock() - startedAt;
  await exit;
  if (child.exitCode !== 0) throw new Error(`the program with the engine ended with ${child.exitCode}`);
  return ms;
}

/** Resolves at a good end with the highest resident memory that was seen. */
async function ended(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit');
  let complaint = '';
  child.stderr?.on('data', (data: Buffer) => (complaint += data.toString()));
  let peak: number | null = null;
  while (child.exitCode === null && child.signalCode === null) {
    peak = (await peakOf(child.pid)) ?? peak;
    await Promise.race([exit, wait(LOOK_MS)]);
  }
  if (child.exitCode !== 0) throw new Error(`it ended with ${child.exitCode}: ${complaint.trim()}`);
  return peak;
}

/** The kernel's own high-water mark, so that only what comes after the last look can be missed. */
async function peakOf(pid: number | undefined): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmHWM:\s+(\d+)/.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}
