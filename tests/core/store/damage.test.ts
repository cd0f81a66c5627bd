/** Files of a store that were damaged while nobody looked: what is lost is noticed, by the opening or by the check. */
import { cp, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Missing, Unlisted } from '#contract/missing.ts';
import { newId } from '#core/base/ids.ts';
import { Random } from '../../soak/random.ts';
import { startChild } from './child/run.ts';
import { testFolder } from './support.ts';
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

const PLACES = 40;
const TOGETHER = 20;
/** A little less than a block of a table file, in bytes. */
const APART = 12_288;

async function answers(task: string, folders: readonly string[]): Promise<Answer[]> {
  const child = startChild('damage.ts', [task, ...folders]);
  await child.ended;
  expect(child.lines).toHaveLength(folders.length);
  return child.lines.map((line) => JSON.parse(line) as Answer);
}

/** Copies a store with its version and its journal. The store `NAME/store` has both beside it. */
async function copyOf(store: string, to: string): Promise<string> {
  await cp(store, to, { recursive: true });
  await cp(`${store}.schema-version`, `${to}.schema-version`);
  await cp(join(dirname(store), 'journal'), join(to, 'journal'), { recursive: true });
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
  'tests/core/store/rows/event-blocks.test.ts › a changed row returns no events or the correct events, never wrong events';
const READABLE = 'tests/core/store/rows/dense.test.ts › reads all readable rows around a damaged block at any position';

fullTest([QUERY_FAILURES, ROWS, READABLE])(
  'reports four flipped bytes anywhere in a table file, unless all reads are still correct',
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

fullTest(UNLISTED)('counts the rows that no list can read after damage', async () => {
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

test('changes that the log of the engine lost are replayed from the journal', async () => {
  const store = join(await testFolder(), 'store');
  await answers('seed-few', [store]);
  const [cut, whole] = await afterHarm(store, [
    async (folder) => {
      const { path, size } = await logOf(folder);
      await truncate(path, size - 10);
    },
    () => Promise.resolve(),
  ]);
  expect(whole?.answer).toMatchObject({ missing: [] });
  expect(cut?.answer).toEqual(whole?.answer);
});

test('reports a missing engine log as damage', async () => {
  const store = join(await testFolder(), 'store');
  await answers('seed-few', [store]);
  const [gone] = await afterHarm(store, [async (folder) => rm((await logOf(folder)).path)]);
  expect(gone?.answer?.error).toMatch(/^The store in .* is damaged: .*triad restore /);
});

const LOG = 'tests/core/store/damage.test.ts › reports a missing engine log as damage';

fullTest([LOG, QUERY_FAILURES])('reports a lost table file as damage', async () => {
  const store = join(await testFolder(), 'store');
  await answers('seed-many', [store]);
  // The next opening writes the log into a table.
  await answers('read', [store]);
  const [gone] = await afterHarm(store, [async (folder) => rm((await fileOf(folder, '.sst')).path)]);
  expect(gone?.answer?.error).toMatch(/is damaged: .*triad restore/);
});
