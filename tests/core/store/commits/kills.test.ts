/**
 * `kill -9` at steps of commits, flushes, the reuse of a journal file, the replay of a start, the recovery of a damaged
 * store, a purge and a backup: the next start has every event that was committed, and all rows as they follow from
 * them. `TEST_SEED` chooses the plans and the steps.
 */
import fc from 'fast-check';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupsOf } from '#core/store/backups/backups.ts';
import { compareFiles } from '#core/store/backups/manifest.ts';
import { conversationId } from '../../../support/recording.ts';
import { inFullRun, TEST_SEED } from '../../../support/samples.ts';
import { damageStore } from '../../../soak/flips/positions.ts';
import { Deaths, STORE_MOMENTS } from '../../../soak/deaths.ts';
import type { StoreMoment } from '../../../soak/die-at.ts';
import { Random } from '../../../soak/random.ts';
import { DELETED_AT, DONE, type PlansToPlay } from '../child/play-plans.ts';
import { startChild } from '../child/run.ts';
import { type Digests, digestsOf } from '../everything.ts';
import { conversation, eventsOf, type Plan, plan } from '../random-history.ts';
import { openOn, schemaDir, testFolder } from '../support.ts';

const plans = fc.array(plan, { minLength: 1, maxLength: 3 });

/** A store, and the moments at which processes with it are killed, one after the other. */
interface Life {
  task: PlansToPlay['task'];
  /** Null: the process closes the store, which is damaged then. */
  first: StoreMoment | null;
  /** Kills of the next starts. */
  starts: readonly StoreMoment[];
}

const LIVES: readonly Life[] = [
  { task: 'none', first: 'commit', starts: ['replay', 'replay'] },
  { task: 'none', first: 'flush', starts: ['replay', 'replay'] },
  { task: 'none', first: 'reuse', starts: ['replay', 'replay'] },
  { task: 'close', first: null, starts: ['recovery', 'recovery'] },
  { task: 'purge', first: 'purge', starts: ['replay', 'replay'] },
  { task: 'backup', first: 'backup', starts: [] },
];
const KILLS = LIVES.reduce((sum, { first, starts }) => sum + Number(first !== null) + starts.length, 0);

/** What can be read of a store that applied so many of the events at once, and was never killed. */
async function never(some: readonly Plan[], committed: number, isTrashed = false): Promise<Digests> {
  const opened = await openOn('mem');
  const { store } = opened;
  const events = eventsOf(some).slice(0, committed);
  await store.commit([conversation]);
  for (const event of events) await store.commit([{ event }]);
  if (isTrashed) await store.trash(conversationId, DELETED_AT);
  const digests = await digestsOf(store, inFullRun);
  await opened.close();
  return digests;
}

class KilledStore {
  readonly #data: string;
  readonly #store: string;
  readonly #task: PlansToPlay;
  #lines: string[] = [];

  constructor(data: string, task: PlansToPlay) {
    this.#data = data;
    this.#store = join(data, 'store');
    this.#task = task;
  }

  /** Number of events whose commit resolved; null before that of the conversation. */
  get committed(): number | null {
    const line = this.#lines.findLast((one) => one !== DONE);
    return line === undefined ? null : Number(line);
  }

  get isDone(): boolean {
    return this.#lines.includes(DONE);
  }

  async play(env: Record<string, string> = {}): Promise<void> {
    const child = startChild('play-plans.ts', [this.#store, schemaDir, JSON.stringify(this.#task)], { env });
    await child.ended;
    this.#lines = child.lines;
  }

  async start(env: Record<string, string> = {}): Promise<string[]> {
    const { lines, ended } = startChild('read-all.ts', [this.#store, schemaDir, inFullRun ? '' : 'quick'], { env });
    await ended;
    return lines;
  }

  /** Kills the process that plays the plans, then starts after it. */
  async die({ first, starts }: Life, deaths: Deaths, random: Random): Promise<void> {
    const [file, copy] = [`${this.#data}.steps`, `${this.#data}.copy`];
    if (first === null) {
      await this.play();
      await damageStore(this.#store, random);
    } else await deaths.die(first, { random, file, run: (env) => this.play(env), restore: () => this.#remove() });
    for (const moment of starts) {
      await rm(copy, { recursive: true, force: true });
      await cp(this.#data, copy, { recursive: true });
      const restore = async () => {
        await this.#remove();
        await cp(copy, this.#data, { recursive: true });
      };
      await deaths.die(moment, { random, file, run: (env) => this.start(env), restore });
    }
  }

  #remove(): Promise<void> {
    return rm(this.#data, { recursive: true, force: true });
  }
}

/** What the next start finds is what was committed, whole. */
async function check(life: KilledStore, data: string, { plans: some, task }: PlansToPlay): Promise<void> {
  const lines = await life.start();
  const found = JSON.parse(lines.at(-1) ?? '') as Digests;
  const total = eventsOf(some).length;
  if (task === 'purge') {
    const isWhole = found.stored > 0;
    expect(life.isDone && isWhole, 'a purge that resolved').toBe(false);
    expect(found).toEqual(isWhole ? await never(some, total, true) : await nothing());
    if (!isWhole) expect(await filesWith(data, conversationId)).toEqual([]);
    return;
  }
  if (life.committed === null && found.stored === 0)
    return expect([await never(some, 0), await nothing()]).toContainEqual(found);
  expect(found.stored).toBeGreaterThanOrEqual(life.committed ?? 0);
  expect(found).toEqual(await never(some, found.stored));
  for (const backup of backupsOf(data)) {
    await compareFiles(backup.folder, backup);
    expect(backup).toMatchObject({ missing: null, holds: { conversations: 1, events: total } });
  }
}

async function nothing(): Promise<Digests> {
  const opened = await openOn('mem');
  const digests = await digestsOf(opened.store, inFullRun);
  await opened.close();
  return digests;
}

/** Files of the journal and the archive that contain a text. */
async function filesWith(data: string, text: string): Promise<string[]> {
  const names = await readdir(data, { recursive: true });
  const paths = names.filter((name) => /^(?:journal|archive)[/\\].*\./.test(name));
  const contents = await Promise.all(paths.map((path) => readFile(join(data, path), 'latin1')));
  return paths.filter((path, index) => path.includes(text) || contents[index]?.includes(text));
}

test('after each kill no committed event is missing, and every count is exact', { timeout: 1_800_000 }, async () => {
  const base = await testFolder();
  const deaths = new Deaths();
  for (const [n, some] of fc.sample(plans, { numRuns: LIVES.length, seed: Number(TEST_SEED) }).entries()) {
    const played = LIVES[n]!;
    const seed = `kill ${TEST_SEED} ${n}`;
    const data = join(base, String(n));
    // Without a flush, the next start replays every commit.
    const flushChance = played.first === 'commit' ? 0.1 : 0.6;
    const task = { plans: some, seed, task: played.task, flushChance };
    const life = new KilledStore(data, task);
    await life.die(played, deaths, new Random(seed));
    await check(life, data, task).catch((error: unknown) => {
      const moments = [played.first, ...played.starts].join(', ');
      throw new Error(`life ${n} of TEST_SEED=${TEST_SEED} (${moments})`, { cause: error });
    });
    await rm(data, { recursive: true });
  }
  console.log('kills:', deaths.counts);
  // A process may end before it comes to its moment.
  expect(deaths.total).toBeGreaterThanOrEqual(KILLS - 2);
  for (const moment of STORE_MOMENTS) expect(deaths.countAt(moment), moment).toBeGreaterThan(0);
});
