/** Files of a store that were damaged while nobody looked: what is lost is noticed, by the opening or by the check. */
import { cp, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Missing, Unlisted } from '#contract/missing.ts';
import { newId } from '#core/base/ids.ts';
import { openStore } from '#core/store/surreal.ts';
import { Random } from '../../soak/random.ts';
import { startChild } from './child/run.ts';
import { conversationRow, put, testFolder } from './support.ts';
import { fullTest } from '../../support/samples.ts';

interface Answer {
  missing?: Missing[];
  counts?: string | null;
  hash?: string;
  /** How many the lists have, and how many the store knows to be in none. */
  listed?: Unlisted;
  unlisted?: Unlisted;
  error?: string;
  detail?: string | null;
}

const PLACES = 120;
const TOGETHER = 20;
/** A little less than a block of a table file, in bytes. */
const APART = 12_288;

async function answers(task: string, folders: readonly string[]): Promise<Answer[]> {
  const child = startChild('damage.ts', [task, ...folders]);
  await child.ended;
  expect(child.lines).toHaveLength(folders.length);
  return child.lines.map((line) => JSON.parse(line) as Answer);
}

async function copyOf(store: string, to: string): Promise<string> {
  await cp(store, to, { recursive: true });
  await cp(`${store}.schema-version`, `${to}.schema-version`);
  return to;
}

/** The largest file with this ending. */
async function fileOf(folder: string, ending: string): Promise<{ path: string; size: number }> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), size: (await stat(join(folder, name))).size })),
  );
  const [largest] = files.toSorted((a, b) => b.size - a.size);
  if (!largest) throw new Error(`${folder} has no ${ending}`);
  return largest;
}

async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const bytes = Buffer.alloc(4);
  await file.read(bytes, 0, 4, at);
  await file.write(
    bytes.map((byte) => byte ^ 0xff),
    0,
    4,
    at,
  );
  await file.close();
}

const QUERY_FAILURES = 'tests/core/store/opening/opening.test.ts › a failed query reports a full disk or damaged files';
const ROWS =
  'tests/core/store/rows/event-blocks.test.ts › a row that is not what was written has no events, never others';
const READABLE = 'tests/core/store/rows/dense.test.ts › all that can be read is, wherever blocks are damaged';

fullTest([QUERY_FAILURES, ROWS, READABLE])(
  'four flipped bytes at any place of a table are never silent',
  { timeout: 600_000 },
  async () => {
    const base = await testFolder();
    const store = join(base, 'store');
    await answers('seed', [store]);
    // Opened again, the engine puts into tables what stood in its log.
    const [whole] = await answers('read', [store]);
    expect(whole).toMatchObject({ missing: [], counts: null });
    const random = new Random(7);
    const places = await Promise.all(
      Array.from({ length: PLACES }, async (_, index) => {
        const { path, size } = await fileOf(store, index % 5 === 0 ? '.blob' : '.sst');
        return { path, at: Math.floor(random.next() * (size - 4)) };
      }),
    );
    // `unsaid`: something is lost, and no reader fails; only the check knows.
    const counted = { silent: 0, unsaid: 0, opening: 0, reading: 0, harmless: 0 };
    for (let from = 0; from < places.length; from += TOGETHER) {
      const some = places.slice(from, from + TOGETHER);
      const folders = await Promise.all(
        some.map(async ({ path, at }, index) => {
          const folder = await copyOf(store, join(base, `copy-${from + index}`));
          await flip(path.replace(store, folder), at);
          return folder;
        }),
      );
      for (const [index, answer] of (await answers('read', folders)).entries()) {
        const shown = { ...some[index], ...answer };
        const noticed = answer.error !== undefined || (answer.missing ?? []).length > 0;
        if (answer.missing === undefined) counted.opening += 1;
        else if (noticed) counted.reading += 1;
        else if (answer.hash === whole?.hash) counted.harmless += 1;
        else counted.silent += 1;
        if (answer.error === undefined && answer.hash !== whole?.hash) counted.unsaid += 1;
        expect(noticed || answer.hash === whole?.hash, JSON.stringify(shown)).toBe(true);
        if (answer.error !== undefined) expect(answer.error).toMatch(/damaged.*restore/);
      }
      for (const folder of folders) await rm(folder, { recursive: true });
    }
    expect(counted.silent).toBe(0);
    expect(counted.reading + counted.opening).toBeGreaterThan(0);
    console.log('flipped bytes:', counted);
  },
);

/** Places in a table file where rows of what lists show lie. */
async function placesOfLists(path: string): Promise<number[]> {
  const content = await readFile(path);
  const places: number[] = [];
  for (let at = content.indexOf('listed'); at >= 0; at = content.indexOf('listed', at + APART)) places.push(at);
  return places;
}

const UNLISTED = 'tests/core/store/backups/lacks.test.ts › rows that are missing from the index of a list are counted';

fullTest(UNLISTED)('what no list can read any more is counted', async () => {
  const store = join(await testFolder(), 'store');
  await answers('seed-many', [store]);
  const [whole] = await answers('lists', [store]);
  expect(whole?.unlisted).toEqual({ conversations: 0, workflows: 0 });
  const harms = (await placesOfLists((await fileOf(store, '.sst')).path)).map(
    (at) => async (folder: string) => flip((await fileOf(folder, '.sst')).path, at),
  );
  const said = (await afterHarm(store, harms, 'lists')).flatMap(({ answer }) => (answer?.listed ? [answer] : []));
  const short = said.filter(({ listed }) => JSON.stringify(listed) !== JSON.stringify(whole?.listed));
  for (const kind of ['conversations', 'workflows'] as const) {
    const lost = short.filter(({ listed }) => listed?.[kind] !== whole?.listed?.[kind]);
    expect(lost, kind).not.toEqual([]);
    for (const { listed, unlisted } of lost) {
      expect(listed?.[kind]).toBeLessThan(whole?.listed?.[kind] ?? 0);
      expect(unlisted?.[kind]).toBeGreaterThan(0);
    }
  }
});

/** Each harm to its own copy of a store; returns what the next start says of it. */
async function afterHarm(
  store: string,
  harms: readonly ((folder: string) => Promise<void>)[],
  task = 'read',
): Promise<{ answer: Answer | undefined; folder: string }[]> {
  const folders = await Promise.all(harms.map((_, index) => copyOf(store, `${store}-${newId()}-${index}`)));
  for (const [index, harm] of harms.entries()) await harm(folders[index] ?? '');
  const said = await answers(task, folders);
  return folders.map((folder, index) => ({ answer: said[index], folder }));
}

const logOf = (folder: string) => fileOf(folder, '.log');
const harmsOfLog = [
  async (folder: string) => {
    const { path, size } = await logOf(folder);
    await truncate(path, size - 10);
  },
  async (folder: string) => {
    const { path, size } = await logOf(folder);
    await flip(path, Math.floor(size * 0.6));
  },
  async (folder: string) => rm((await logOf(folder)).path),
  async (folder: string) => {
    const { path, size } = await logOf(folder);
    await truncate(path, Math.floor(size / 2));
  },
  async (folder: string) => truncate((await logOf(folder)).path, 0),
];

/** Said by the next start after each of these harms; the last one is none. */
async function afterHarmOfLog(store: string, harms: typeof harmsOfLog): Promise<{ cut: string }> {
  await answers('seed-few', [store]);
  const said = await afterHarm(store, [...harms, () => Promise.resolve()]);
  expect(said.pop()?.answer).toMatchObject({ missing: [] });
  for (const { answer } of said) expect(answer?.error).toMatch(/^The store in .* is damaged: .*triad restore /);
  expect(said.map(({ answer }) => answer?.detail)).toEqual(
    ['is cut off', 'was changed', 'is gone', ...harms.slice(3).map(() => 'is cut off')].map(
      (what) => expect.stringMatching(`its log .* ${what}: `) as string,
    ),
  );
  return { cut: said[0]?.folder ?? '' };
}

test('a log that was cut off, changed or deleted is not gone on without, and an untouched store opens', async () => {
  await afterHarmOfLog(join(await testFolder(), 'store'), harmsOfLog.slice(0, 3));
});

const LOG =
  'tests/core/store/damage.test.ts › a log that was cut off, changed or deleted is not gone on without, and an untouched store opens';

fullTest([LOG, QUERY_FAILURES])(
  'what is left of a log can be gone on with; a lost definition of the schema is told',
  async () => {
    const store = join(await testFolder(), 'store');
    const { cut } = await afterHarmOfLog(store, harmsOfLog);
    await rm(join(cut, 'log-witness.json'));
    const [left] = await answers('read', [cut]);
    expect(left?.error).toBeUndefined();
    // Again after the engine has put its log away; a write that needs a definition of the schema which was lost says so.
    await startChild('damage.ts', ['lose-field', store]).ended;
    const [answer] = await answers('seed-few', [store]);
    expect(answer?.error).toMatch(/^The store in .* is damaged: .*triad restore /);
    expect(answer?.detail).toMatch(/no such field exists for table/i);
  },
);

test('an open store records the size of its log before it is closed', async () => {
  const folder = join(await testFolder(), 'store');
  const store = await openStore({ url: `rocksdb://${folder}` });
  await store.commit([], [put('conversation', conversationRow())]);
  const witness = () => readFile(join(folder, 'log-witness.json'), 'utf8').catch(() => '');
  await expect.poll(witness, { timeout: 10_000, interval: 20 }).toMatch(/"size":[1-9]/);
  await store.close();
});

const WITNESS = 'tests/core/store/damage.test.ts › an open store records the size of its log before it is closed';

fullTest([WITNESS, LOG, QUERY_FAILURES])('also after a kill, and a table that is gone', async () => {
  const [store, id] = [join(await testFolder(), 'store'), newId()];
  const writer = startChild('store.ts', ['write', store, id]);
  const witness = join(store, 'log-witness.json');
  // Twice: what is witnessed first is what was there a moment before.
  await expect.poll(async () => readFile(witness, 'utf8').catch(() => ''), { timeout: 10_000 }).toMatch(/"size":[1-9]/);
  writer.process.kill('SIGKILL');
  await writer.ended;
  const { size } = (JSON.parse(await readFile(witness, 'utf8')) as { logs: { size: number }[] }).logs[0] ?? { size: 0 };
  const [cut] = await afterHarm(store, [async (folder) => truncate((await logOf(folder)).path, size - 1)]);
  expect(cut?.answer?.detail).toMatch(/is cut off/);
  // Killed in the middle of anything, an untouched one opens.
  const [whole] = await answers('read', [store]);
  expect(whole?.error).toBeUndefined();
  const [gone] = await afterHarm(store, [async (folder) => rm((await fileOf(folder, '.sst')).path)]);
  expect(gone?.answer?.error).toMatch(/is damaged: .*triad restore/);
});
