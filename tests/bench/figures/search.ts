/** A search of lines through a large tree, with and without ripgrep, and ripgrep by itself. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFolderIdSync } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { findRipgrep } from '#core/tools/search/ripgrep.ts';
import { search } from '#core/tools/search/search.ts';
import { clock } from '../clock.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import type { Session } from '../session.ts';
import { longestBlock } from '../side.ts';
import { median } from '../statistics.ts';
import { NEEDLE, seedTree } from '../tree.ts';

const PATIENCE_MS = 120_000;

interface Run {
  ms: number;
  /** Processor time of this process; ripgrep's is its own. */
  cpuMs: number;
  /** That of the main thread, which nothing may block for long. */
  mainMs: number;
  blockedMs: number;
}

export async function searchFigures(session: Session): Promise<Figure[]> {
  const { searched, searches } = session.sizes;
  const folder = await session.folder('search');
  const matches = await seedTree(folder, searched);
  const ripgrep = await findRipgrep(process.env, { folder });
  const runs: Record<'alone' | 'without' | 'with', Run[]> = { alone: [], without: [], with: [] };
  // The first of each warms up what both read.
  for (let n = 0; n <= searches; n += 1) {
    const without = await ours(folder, null, matches);
    const both =
      ripgrep === null ? null : [await ours(folder, ripgrep, matches), await alone(ripgrep, folder, matches)];
    if (n === 0) continue;
    runs.without.push(without);
    if (both) for (const [at, side] of (['with', 'alone'] as const).entries()) runs[side].push(both[at]!);
  }
  const floor = runs.alone.length > 0 ? median(runs.alone.map(({ ms }) => ms)) : undefined;
  const what = `grep through ${searched} files`;
  if (ripgrep === null)
    return [...waysOf(what, 'without', runs.without), unmeasured('grep-with', what, {}, 'no ripgrep')];
  return [...waysOf(what, 'without', runs.without, floor), ...waysOf(what, 'with', runs.with, floor)];
}

function waysOf(what: string, way: 'with' | 'without', runs: readonly Run[], floor?: number): Figure[] {
  const title = `${what}, ${way} ripgrep`;
  const id = `grep-${way}`;
  const blocked = Math.max(...runs.map(({ blockedMs }) => blockedMs));
  const cpu = median(runs.map(({ cpuMs }) => cpuMs));
  const main = Math.max(...runs.map(({ mainMs }) => mainMs));
  return [
    figure({
      id,
      title,
      unit: 'ms',
      ours: median(runs.map(({ ms }) => ms)),
      ...(floor === undefined ? {} : { floor }),
      note: `floor: ripgrep by itself; ${cpu.toFixed(0)} ms of processor time here, at most ${main.toFixed(0)} of a run on the main thread`,
    }),
    figure({ id: `${id}-blocked`, title: `${title}: longest block`, unit: 'ms', bar: { atMost: 50 }, ours: blocked }),
  ];
}

async function ours(folder: string, ripgrep: string | null, matches: number): Promise<Run> {
  const workspace = { folder, root: readFolderIdSync(folder)!, own: [], sessions: [], secrets: NO_FILES };
  const asked = { kind: 'grep', pattern: NEEDLE, ignoreCase: false, glob: '**' } as const;
  const job = { ...asked, workspace, start: folder, hidden: [], includeIgnored: false };
  const signal = new AbortController().signal;
  return timed(async () => (await search(job, signal, { ripgrep, timeoutMs: PATIENCE_MS })).lines.length, matches);
}

async function alone(ripgrep: string, folder: string, matches: number): Promise<Run> {
  const run = promisify(execFile);
  const args = ['--no-config', '--hidden', '--line-number', NEEDLE, '.'];
  return timed(async () => (await run(ripgrep, args, { cwd: folder })).stdout.trim().split('\n').length, matches);
}

async function timed(work: () => Promise<number>, matches: number): Promise<Run> {
  const [start, before, main] = [clock(), process.cpuUsage(), process.threadCpuUsage()];
  const { value, blockedMs } = await longestBlock(work);
  const cpuMs = msOf(process.cpuUsage(before));
  const mainMs = msOf(process.threadCpuUsage(main));
  if (value !== matches) throw new Error(`${value} lines were found, not ${matches}`);
  return { ms: clock() - start, cpuMs, mainMs, blockedMs };
}

const msOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
