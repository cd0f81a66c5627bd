/**
 * Flips one bit in copies of a store, opens each copy twice and works in it. `node tests/soak/flips/flips.ts
 * [--positions 200] [--from SEED]` does so in stores of 50 and 700 sessions, and at a tenth of the positions in one of
 * 5,000. It prints a line for each fault and each store, and a table of outcomes by kind of file, and exits with 1 if
 * there is a fault.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Unlisted } from '#contract/missing.ts';
import { COMPILED } from '../../support/compiled.ts';
import { builtProgram } from '../../support/program.ts';
import { TEST_SEED } from '../../support/samples.ts';
import { readCount } from '../options.ts';
import { Random } from '../random.ts';
import { type BitPosition, choosePositions, type FileKind, flipBit } from './positions.ts';

/** Events of each conversation of a store, by its id. */
export type StoreHistory = Record<string, { events: number; hash: string }>;

interface StepFault {
  code: string;
  message: string;
  detail: string | null;
}

/** One use of a damaged store. */
export interface FlipUse {
  /** Steps that failed, by name. */
  steps: Record<string, StepFault>;
  /** Events that cannot be read, and conversations in which one differs. */
  lost: number;
  altered: number;
  /** Number of items in each list, and of those that the store reports to be in no list. */
  listed: Record<string, number>;
  unlisted: Unlisted | null;
  /** Exit code or signal of a process that ended too early; null for none. */
  died: string | null;
}

interface Flip {
  position: BitPosition;
  /** First and second opening. */
  uses: FlipUse[];
}

interface StoreTemplate {
  /** Data folder with `store/` and everything that is beside it. */
  data: string;
  /** File with its `StoreHistory`. */
  history: string;
}

const CHILD = builtProgram(join(import.meta.dirname, 'flipped-store.ts'));
/** Stores that one process opens one after the other. */
const STORES_PER_PROCESS = 8;
const LANES = 2;
/** Limit of one use of a store, in milliseconds. One of 5,000 sessions takes over 300 s on a busy machine. */
const USE_MS = 900_000;
const KB = 1024;
/** Leaves several small files, so that the next opening has to merge them. */
const pendingCompaction = (sessions: number) => ({
  SURREAL_ROCKSDB_FILE_COMPACTION_TRIGGER: '1000000',
  SURREAL_ROCKSDB_WRITE_BUFFER_SIZE: String((sessions < 200 ? 64 : 512) * KB),
});

/** Environment with which the engine merges no files, so that it meets no damaged block in the background. */
export const NO_COMPACTION = {
  SURREAL_ROCKSDB_FILE_COMPACTION_TRIGGER: '1000000',
  SURREAL_ROCKSDB_ENABLE_BLOB_GC: 'false',
};

const templates = new Map<number, Promise<StoreTemplate>>();

/** Returns a store with that many sessions and pending compactions. Made once per process. */
function makeTemplate(sessions: number): Promise<StoreTemplate> {
  const made = templates.get(sessions) ?? seedTemplate(sessions);
  templates.set(sessions, made);
  return made;
}

async function seedTemplate(sessions: number): Promise<StoreTemplate> {
  const folder = await mkdtemp(join(tmpdir(), 'triad-flips-'));
  const [data, history] = [join(folder, 'data'), join(folder, 'history.json')];
  await mkdir(data);
  const { lines, end } = await startChild(['seed', join(data, 'store'), String(sessions)], pendingCompaction(sessions));
  if (lines[0] === undefined || end !== null) throw new Error(`The store was not made: ${end ?? 'no history'}`);
  await writeFile(history, lines[0]);
  return { data, history };
}

/** Removes the stores of `makeTemplate`. */
export async function removeTemplates(): Promise<void> {
  for (const made of templates.values()) await rm(join((await made).data, '..'), { recursive: true, force: true });
  templates.clear();
}

async function startChild(args: readonly string[], env = {}): Promise<{ lines: string[]; end: string | null }> {
  const child = spawn(process.execPath, [CHILD, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), USE_MS);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    limit.refresh();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(limit);
  const end = code === 0 ? null : `${signal ?? code}: ${err.trim().slice(-400)}`;
  return { lines: out.split('\n').filter(Boolean), end };
}

/** Uses each store once. A process that dies counts for the store that it had open. */
async function useStores(history: string, folders: readonly string[], env = {}): Promise<FlipUse[]> {
  const uses: FlipUse[] = [];
  while (uses.length < folders.length) {
    const some = folders.slice(uses.length, uses.length + STORES_PER_PROCESS);
    const { lines, end } = await startChild(['use', history, ...some], env);
    uses.push(...lines.map((line) => JSON.parse(line) as FlipUse));
    if (lines.length < some.length)
      uses.push({ steps: {}, lost: 0, altered: 0, listed: {}, unlisted: null, died: end ?? 'ended' });
  }
  return uses;
}

interface FlipPlan {
  sessions: number;
  positions: number;
  seed: number | string;
  /** Default: all kinds. */
  kinds?: readonly FileKind[];
  /** Added to the environment of the process that opens a store, for each opening. */
  environments?: readonly Record<string, string>[];
}

/** Flips each position in a copy of its own. */
export async function flipBits({
  sessions,
  positions,
  seed,
  kinds,
  environments = [{}, {}],
}: FlipPlan): Promise<Flip[]> {
  const { data, history } = await makeTemplate(sessions);
  const chosen = await choosePositions(join(data, 'store'), positions, { random: new Random(seed, sessions), kinds });
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const flips: (readonly [number, Flip])[] = [];
    const own = [...chosen.entries()].filter(([index]) => index % LANES === lane);
    for (let from = 0; from < own.length; from += STORES_PER_PROCESS) {
      const some = own.slice(from, from + STORES_PER_PROCESS);
      const copies = await mkdtemp(join(tmpdir(), 'triad-flipped-'));
      const folders = await Promise.all(
        some.map(async ([index, position]) => {
          const copy = join(copies, String(index));
          await cp(data, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
          await flipBit(join(copy, 'store'), position);
          return join(copy, 'store');
        }),
      );
      const openings: FlipUse[][] = [];
      for (const environment of environments) openings.push(await useStores(history, folders, environment));
      for (const [at, [index, position]] of some.entries())
        flips.push([index, { position, uses: openings.map((uses) => uses[at]!) }]);
      await rm(copies, { recursive: true, force: true });
    }
    return flips;
  });
  const all = (await Promise.all(lanes)).flat().sort(([a], [b]) => a - b);
  return all.map(([, flip]) => flip);
}

/** Uses a copy once, after `damage` has changed the files in its folder. Default: an undamaged copy. */
export async function useCopy(
  sessions: number,
  damage: (store: string) => Promise<void> = () => Promise.resolve(),
  environment = {},
): Promise<FlipUse> {
  const { data, history } = await makeTemplate(sessions);
  const copies = await mkdtemp(join(tmpdir(), 'triad-copy-'));
  try {
    await cp(data, copies, { recursive: true });
    await damage(join(copies, 'store'));
    return (await useStores(history, [join(copies, 'store')], environment))[0]!;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Returns each difference from a use of the undamaged store, as a sentence. */
export function findFaults(flips: readonly Flip[]): string[] {
  return flips.flatMap(({ position, uses }) =>
    uses.flatMap((use, index) => {
      const at = `${position.file} offset ${position.offset} bit ${position.bit}, opening ${index + 1}`;
      const failed = Object.entries(use.steps).map(([name, { message, detail }]) => `${name}: ${message} (${detail})`);
      return [
        ...(use.died === null ? [] : [`${at}: the process died: ${use.died}`]),
        ...(use.lost === 0 ? [] : [`${at}: ${use.lost} events are missing`]),
        ...(use.altered === 0 ? [] : [`${at}: ${use.altered} conversations differ`]),
        ...failed.map((fault) => `${at}: ${fault}`),
      ];
    }),
  );
}

/** Returns the worst outcome of the two uses. */
function summarize({ uses }: Flip): 'died' | 'refused' | 'not writable' | 'list failed' | 'lost' | 'works' {
  const failed = new Set(uses.flatMap(({ steps }) => Object.keys(steps)));
  if (uses.some(({ died }) => died !== null)) return 'died';
  if (failed.has('open')) return 'refused';
  if (failed.has('write') || failed.has('write again')) return 'not writable';
  if (failed.size > 0) return 'list failed';
  return uses.some(({ lost, altered }) => lost + altered > 0) ? 'lost' : 'works';
}

/** Number of outcomes by kind of file. */
function tabulate(flips: readonly Flip[]): Record<string, Record<string, number>> {
  const table: Record<string, Record<string, number>> = {};
  for (const flip of flips) {
    const row = (table[flip.position.kind] ??= {});
    const outcome = summarize(flip);
    row[outcome] = (row[outcome] ?? 0) + 1;
  }
  return table;
}

if (import.meta.main) {
  const positions = readCount('positions', 200);
  const seed = readCount('from', Number(TEST_SEED));
  const flips: Flip[] = [];
  let faults = 0;
  for (const sessions of [50, 700, 5000]) {
    const storeFlips = await flipBits({
      sessions,
      positions: Math.ceil(sessions < 5000 ? positions : positions / 10),
      seed,
    });
    const storeFaults = findFaults(storeFlips);
    for (const fault of storeFaults) console.log(fault);
    console.log(`${sessions} sessions: ${storeFlips.length} positions, ${storeFaults.length} faults`);
    flips.push(...storeFlips);
    faults += storeFaults.length;
  }
  await removeTemplates();
  console.table(tabulate(flips));
  process.exitCode = faults > 0 ? 1 : 0;
}
