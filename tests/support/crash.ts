/** Starts, kills and restarts the real process of `crash-host.ts`, each time on a store in a folder. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableEvent } from '#contract/event.ts';
import type { Store } from '#core/store/store.ts';
import type { LifeParts, Result } from './crash-life.ts';
import type { FakeModel } from './fake-model/server.ts';
import { Random } from '../soak/random.ts';
import { builtProgram } from './program.ts';
import { inFullRun, TEST_SEED } from './samples.ts';
import { eventsIn } from './commit-items.ts';

const HOST = builtProgram(join(import.meta.dirname, 'crash-host.ts'));
const RESUMER = builtProgram(join(import.meta.dirname, 'crash-resumer.ts'));
/** Of one process that resumes. */
const LIVES_EACH = 10;
/** Workflows that are killed with one process. */
const TOGETHER = 8;
/** Number of kills in a test file, outside the full run. */
const SAMPLE = 1;
/** Highest number of kills in a test file, in the full run. */
const FULL_SAMPLE = 12;
/** As many processes at a time as the machines that run this have cores. */
const LANES = 2;
/** Time limit of a host process, in milliseconds. It also suffices on a busy machine, so only a hanging host reaches it. */
const HOST_LIMIT_MS = 300_000;

/** What crosses to the process. */
/**
 * In the middle of a call: so many milliseconds after its start was stored; when a file is in the workspace; when new
 * content lies beside the file that it is to replace, before or after the old one was kept; or when it has ended, which
 * is never stored.
 */
export type Moment = { ms: number } | { file: string } | { keep: 'before' | 'after' } | 'ended';

export interface HostedLife extends Omit<LifeParts, 'store' | 'workspaces' | 'signal'> {
  data: string;
  /**
   * Kill the process the instant after this event, or one of this type (the first, or the one of this number), is
   * stored. Where a workflow has fewer events than this number, before its last one.
   */
  killAfter?: number | DurableEvent['type'] | `${DurableEvent['type']}#${number}`;
  /** Instead: kill it in the middle of the first call. */
  killIn?: Moment;
}

export interface Life extends HostedLife {
  /** Gets the process, to kill it in other ways. */
  started?: (child: ChildProcess) => void;
}

/** What was stored in the end; null when the process was killed. */
export async function live({ started, ...life }: Life): Promise<Result | null> {
  const results = await host([life], started);
  return results?.[0] ?? null;
}

/** Several lives in one process, which is killed when all of them are where they are to be killed. Null when it was. */
export function host(lives: readonly HostedLife[], started?: Life['started']): Promise<Result[] | null> {
  const child = spawn(process.execPath, [HOST, JSON.stringify(lives)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HOST_LIMIT_MS,
  });
  started?.(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(null);
      else if (code === 0) resolve(JSON.parse(out) as Result[]);
      else reject(new Error(`the host ended with ${signal ?? code}: ${err}`));
    });
  });
}

/**
 * Starts a workflow and kills it after an event, or after the first checkpoint of a message. Returns a function that
 * resumes the workflow. In the full run both use processes of their own. Otherwise both run in this process, on a store
 * in memory that fails after the event.
 */
export async function liveUntil(
  killAfter: Exclude<HostedLife['killAfter'], number | undefined> | 'checkpoint',
  life: Omit<HostedLife, 'mode' | 'killAfter' | 'killIn'>,
  onlyFirst: Pick<HostedLife, 'says' | 'compacts' | 'settings'> = {},
): Promise<() => Promise<Result>> {
  if (inFullRun && killAfter !== 'checkpoint') {
    if ((await live({ ...life, ...onlyFirst, mode: 'start', killAfter })) !== null)
      throw new Error(`not killed after ${killAfter}`);
    return async () => (await live({ ...life, mode: 'resume' }))!;
  }
  const [{ lifeOf }, { memoryStore }] = await Promise.all([import('./crash-life.ts'), import('./stores/pooled.ts')]);
  const { data: _, ...parts } = life;
  const memory = await memoryStore();
  const kill = new AbortController();
  const { signal } = kill;
  const store = failAfter(killAfter, memory, () => kill.abort());
  const start = lifeOf({ ...parts, ...onlyFirst, mode: 'start', store, groupSize: 1, signal });
  const hasEnded = await start.then(
    () => true,
    (error: unknown) => {
      if (!signal.aborted) throw error;
      return false;
    },
  );
  if (hasEnded) throw new Error(`it ended before ${killAfter}`);
  return () => lifeOf({ ...parts, mode: 'resume', store: memory });
}

/** Returns a store that rejects every commit after the event, and ignores `close`. */
function failAfter(killAfter: string, store: Store, onFailure: () => void): Store {
  const [kind, position = '1'] = killAfter.split('#');
  let remaining = Number(position);
  const commit: Store['commit'] = async (items) => {
    const events = eventsIn(items);
    if (remaining === 0) throw new Error('The process has died');
    await store.commit(items);
    const isCheckpoint = events.length === 0 && items.some((item) => 'table' in item && item.table === 'open_message');
    if (kind === 'checkpoint' ? isCheckpoint : events.some(({ type }) => type === kind)) remaining -= 1;
    if (remaining === 0) onFailure();
  };
  return { ...store, commit, close: () => Promise.resolve() };
}

/** A workflow that is killed after one event, and what must hold once it was resumed. */
export interface KillPoint {
  /** Closed in the end. */
  model: FakeModel;
  life: Pick<Life, 'data' | 'folder' | 'grant' | 'definitions'>;
  /** `asked`: how many requests the model had got when the process was killed. */
  check: (result: Result, asked: number) => void | Promise<void>;
}

/**
 * Kills a workflow after each of these events, a few workflows with one process. Then resumes and checks each of them.
 * The full run takes at most `FULL_SAMPLE` events, which `TEST_SEED` chooses. `npm test` takes `SAMPLE` events of
 * different kinds, for which `sample` is true.
 */
export async function killAfterEach(
  events: readonly DurableEvent[],
  prepare: (seq: number) => Promise<KillPoint>,
  sample: (event: DurableEvent) => boolean = () => true,
): Promise<void> {
  const chosen = inFullRun ? chooseBySeed(events) : aFew(events.filter(sample));
  const waiting = chosen.map(({ seq }) => seq);
  const lane = async (): Promise<void> => {
    const resumer = new Resumer();
    try {
      while (waiting.length > 0) await killTogether(waiting.splice(0, TOGETHER), prepare, resumer);
    } finally {
      // Where one lane fails, the other one need not go on.
      waiting.length = 0;
      resumer.end();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function chooseBySeed(events: readonly DurableEvent[]): DurableEvent[] {
  const random = new Random('kill after each', TEST_SEED);
  const ranked = events.map((event) => ({ event, rank: random.next() })).sort((a, b) => a.rank - b.rank);
  return ranked.slice(0, FULL_SAMPLE).map(({ event }) => event);
}

/** The first event, and of each type the middle one of the lead and the middle one of its sub-agents; of those a few from the middle. */
function aFew(events: readonly DurableEvent[]): DurableEvent[] {
  const kinds = Map.groupBy(events, ({ type, parentRunId }) => `${type} ${parentRunId === null}`);
  const middle = [...kinds.values()].map((kind) => kind[Math.floor(kind.length / 2)]!);
  const whole = [...new Set([events[0]!, ...middle])].sort((a, b) => a.seq - b.seq);
  const step = whole.length / (SAMPLE + 1);
  return [...new Set(Array.from({ length: SAMPLE }, (_, index) => whole[Math.floor((index + 1) * step)]!))];
}

async function killTogether(
  seqs: readonly number[],
  prepare: (seq: number) => Promise<KillPoint>,
  resumer: Resumer,
): Promise<void> {
  const points = await Promise.all(
    seqs.map(async (seq) => {
      const { model, life, check } = await prepare(seq);
      return { seq, model, life: { ...life, url: model.url }, check };
    }),
  );
  try {
    const whole = await host(points.map(({ seq, life }) => ({ ...life, mode: 'start', killAfter: seq })));
    if (whole !== null) throw new Error(`not killed after ${seqs.join(', ')}`);
    for (const { seq, model, life, check } of points) {
      try {
        const asked = model.requests.length;
        await check(await resumer.resume(life), asked);
      } catch (error) {
        if (error instanceof Error) error.message = `killed after ${seq}: ${error.message}`;
        throw error;
      }
    }
  } finally {
    for (const { model, life } of points) {
      await model.close();
      await rm(life.data, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** What a killed process has left, and where its model is. */
export type Left = Pick<Life, 'data' | 'url' | 'folder' | 'definitions'>;
export type Resumed = { ok: true; result: Result } | { ok: false; why: string };

/**
 * Goes on with what killed processes have left, one after the other: in the process of the test, which knows nothing of
 * them either; in the full run, where there are many, in a few others.
 */
export class Resumer {
  #child: ChildProcess | null = null;
  #served = 0;

  resume(left: Left): Promise<Result> {
    return inFullRun ? this.#elsewhere(left) : here(left);
  }

  async #elsewhere(left: Left): Promise<Result> {
    // The engine frees little of a store that was closed.
    if (this.#served % LIVES_EACH === 0) this.end();
    this.#served += 1;
    const child = (this.#child ??= fork(RESUMER, { serialization: 'advanced', execArgv: [] }));
    const resumed = await new Promise<Resumed>((resolve, reject) => {
      const gone = (code: number | null): void => reject(new Error(`the resumer ended with ${code}`));
      child.once('exit', gone);
      child.once('message', (answer) => {
        child.off('exit', gone);
        resolve(answer as Resumed);
      });
      child.send(left);
    });
    if (!resumed.ok) throw new Error(resumed.why);
    return resumed.result;
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}

/** Loaded when it is needed: not all that kill a process resume it. */
async function here({ data, ...left }: Left): Promise<Result> {
  const [{ lifeOf }, { openStore }] = await Promise.all([import('./crash-life.ts'), import('#core/store/surreal.ts')]);
  return lifeOf({ ...left, mode: 'resume', store: await openStore({ url: `rocksdb://${data}` }) });
}
