/** Backups of a store that lost something, or everything: they say so, and the older, whole ones stay and are named. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullTest, inFullRun } from '../../support/samples.ts';
import { startChild } from '../../core/store/child/run.ts';
import { testFolder } from '../../core/store/support.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { inProcess } from '../support/engine.ts';
import { machine, type Machine } from '../support/process.ts';

/** A home with a store of a few workflows, copied for each test: a process opens a folder once. */
let seeded: string;
beforeAll(async () => {
  seeded = await mkdtemp(join(tmpdir(), 'triad-seeded-'));
});
afterAll(() => rm(seeded, { recursive: true, force: true }));

async function task(name: string, store: string): Promise<void> {
  const child = startChild('damage.ts', [name, store]);
  await child.ended;
}

/** Its backups with their manifests, the newest first. */
async function listBackups({ home }: Machine) {
  const folders = (await readdir(join(home, 'backups'))).map((name) => join(home, 'backups', name));
  const manifests = folders.map(async (folder) => {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as object;
    return { folder, ...(manifest as { madeAt: string; schema: string; missing: string | null }) };
  });
  return (await Promise.all(manifests)).sort((a, b) => (a.madeAt < b.madeAt ? 1 : -1));
}

const SESSION = '2026-01-01-something-000000000000';

async function homeWith(config = '[backups]\nkeep = 1\n'): Promise<Machine> {
  const home = await machine(plainAnswer());
  if ((await readdir(seeded)).length === 0) {
    await task('seed', join(seeded, 'store'));
    // Opened again, the engine puts into tables what stood in its log.
    await task('lists', join(seeded, 'store'));
    await mkdir(join(seeded, 'sessions', SESSION), { recursive: true });
    const metadata = JSON.stringify({ started_at: '2026-01-01T00:00:00.000Z' });
    await writeFile(join(seeded, 'sessions', SESSION, 'metadata.json'), metadata);
  }
  await writeFile(join(home.home, 'config.toml'), config);
  await cp(seeded, home.home, { recursive: true });
  return home;
}

/** The same home in another folder, where a store can be opened once more. */
async function movedHome(home: Machine): Promise<Machine> {
  const folder = await testFolder();
  await cp(home.home, folder, { recursive: true });
  await rm(join(folder, 'instance.json'), { force: true });
  return { ...home, home: folder, env: { ...home.env, TRIAD_HOME: folder } };
}

/** Inverts 64 bytes at places of the largest table. */
async function flip(store: string, places: readonly number[]): Promise<void> {
  const paths = (await readdir(store)).filter((name) => name.endsWith('.sst')).map((name) => join(store, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const path = paths[sizes.indexOf(Math.max(...sizes))] ?? '';
  const bytes = await readFile(path);
  for (const place of places)
    for (let at = Math.floor(bytes.length * place), end = at + 64; at < end; at += 1) bytes[at] = ~(bytes[at] ?? 0);
  await writeFile(path, bytes);
}

fullTest([
  'tests/hosts/owner/incomplete-backup.test.ts › a backup of a store with unreadable blocks is incomplete',
  'tests/core/store/backups/prune.test.ts › an incomplete backup replaces no other backup, does not count and is not suggested',
])('an incomplete backup reports the missing data, removes no complete backup and can be restored', async () => {
  const home = await homeWith();
  const whole = await inProcess(home, 'disk')(['backup']);
  expect([whole.code, whole.err]).toEqual([
    0,
    expect.stringContaining(', verified: 4 conversations, 31 workflows, ') as string,
  ]);
  const [first] = await listBackups(home);

  const lost = await movedHome(home);
  await task('lose', join(lost.home, 'store'));
  const { code, out, err } = await inProcess(lost, 'disk')(['backup']);
  expect(code).toBe(1);
  expect(err).toContain(', what can be read: 4 conversations, 31 workflows, ');
  const kept = join(lost.home, 'backups', (first?.folder ?? '').split('/').at(-1) ?? '');
  expect(err).toContain(
    `triad: This backup is not complete: 1 message or result cannot be found or read in the store. The newest complete one was made at ${first?.madeAt}; to put it back: triad restore ${kept}\n`,
  );
  expect(err).not.toContain('removed');
  expect(await listBackups(lost)).toMatchObject([
    { folder: out.trim(), missing: '1 message or result', schema: first?.schema },
    { folder: kept, missing: null },
  ]);
  // It can be restored all the same, with the same words.
  const restored = await inProcess(await movedHome(lost), 'disk')(['restore', out.trim()]);
  expect([restored.code, restored.err]).toEqual([
    0,
    expect.stringContaining('found or read of it: 1 message or result.') as string,
  ]);
});

test('a backup of a store with unreadable blocks is incomplete', async () => {
  const home = await homeWith();
  await flip(join(home.home, 'store'), [0.4, 0.5]);
  const { code, err } = await inProcess(home, 'disk')(['backup']);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/This backup is not complete: .*There is no complete one\./) as string,
  ]);
});

fullTest([
  'tests/core/store/opening/prepare.test.ts › warns about a store that was replaced by an empty one',
  'tests/core/store/backups/prune.test.ts › a backup of a store that replaced another store removes no older backup',
])('every start warns that the store was missing and names its backup, until that is restored', async () => {
  const home = await homeWith();
  expect((await inProcess(home, 'disk')(['backup'])).code).toBe(0);
  const gone = await movedHome(home);
  for (const part of ['store', 'archive', 'journal']) await rm(join(gone.home, part), { recursive: true });
  await mkdir(join(gone.home, 'replaced', 'of-what-was-there'), { recursive: true });
  const expectWarning = async (here: Machine, args: string[], sentence = 'its newest backup is of') => {
    const { code, err } = await inProcess(here, 'disk')(args);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        `triad: The store in ${join(here.home, 'store')} was gone, so an empty one was made at `,
      ) as string,
    ]);
    expect(err).toContain(sentence);
    return err;
  };
  await expectWarning(gone, ['sessions', 'list']);
  expect(await readdir(join(gone.home, 'replaced'))).toEqual(['of-what-was-there']);
  // Later starts too, and a backup of the empty one is not the one that is named.
  const second = await movedHome(gone);
  const [before] = await listBackups(second);
  const err = await expectWarning(second, ['backup'], `triad restore ${before?.folder}\n`);
  expect(err).toContain('There is nothing in it, so no older backup was removed for it.\n');
  expect(await listBackups(second)).toHaveLength(2);
  await expectWarning(await movedHome(second), ['sessions', 'list'], basename(before?.folder ?? ''));
  // Without a backup the sessions are what is left.
  const bare = await movedHome(second);
  await rm(join(bare.home, 'backups'), { recursive: true });
  const left = `there is no backup of it; its sessions can be read as Markdown in ${join(bare.home, 'sessions')}\n`;
  await expectWarning(bare, ['sessions', 'list'], left);
  const back = await movedHome(second);
  expect(
    (await inProcess(back, 'disk')(['restore', join(back.home, 'backups', basename(before?.folder ?? ''))])).code,
  ).toBe(0);
  expect(await inProcess(back, 'disk')(['sessions', 'list'])).toMatchObject({ code: 0, err: '' });
});

fullTest('tests/hosts/owner/incomplete-backup.test.ts › a store whose CURRENT file is missing is rebuilt')(
  'without a backup, an unreadable store fails with advice, and a lost CURRENT file is rebuilt',
  async () => {
    const base = await homeWith();
    const store = (home: Machine) => join(home.home, 'store');
    const list = async (home: Machine) =>
      join(store(home), (await readdir(store(home))).find((name) => name.startsWith('MANIFEST')) ?? '');
    const damagedBy = async (harm: (home: Machine) => Promise<void>) => {
      const home = await movedHome(base);
      await rm(join(home.home, 'archive'), { recursive: true, force: true });
      await harm(home);
      const { code, err } = await inProcess(home, 'disk')(['sessions', 'list']);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(
          'is damaged: there is no backup of it; its sessions can be read as Markdown in ',
        ) as string,
      ]);
      return { home, restored: await inProcess(home, 'disk')(['restore', store(home)]) };
    };
    const tables = async (home: Machine) =>
      (await readdir(store(home))).filter((name) => name.endsWith('.sst')).map((name) => join(store(home), name));
    const hopeless = [
      async (home: Machine) =>
        writeFile(
          await list(home),
          (await readFile(await list(home))).map((byte) => ~byte),
        ),
      async (home: Machine) => {
        for (const table of await tables(home)) await rm(table);
      },
    ];
    for (const harm of hopeless) {
      const { home, restored } = await damagedBy(harm);
      expect(restored).toEqual({
        code: 2,
        out: '',
        err: `triad: No conversation in the store in ${store(home)} can be read; its sessions can be read as Markdown in ${join(home.home, 'sessions')}. To begin with an empty one, move it away: mv ${store(home)} ${store(home)}.damaged\n`,
      });
    }
    // What opens and lists no conversation could not be gone on with.
    const listless = await movedHome(base);
    await task('lose-rows', store(listless));
    const refused = await inProcess(listless, 'disk')(['restore', store(listless)]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/^triad: No conversation in the store /) as string,
    ]);
    // Which list of files counts can be found out again, without the archive too.
    for (const harm of [rm, (path: string) => writeFile(path, 'garbage')]) {
      const home = await movedHome(base);
      await rm(join(home.home, 'archive'), { recursive: true, force: true });
      await harm(join(store(home), 'CURRENT'));
      const { code, err } = await inProcess(home, 'disk')(['sessions', 'list']);
      expect([code, err]).toEqual([0, expect.stringContaining('was rebuilt with 4 conversations') as string]);
    }
  },
);

test('rejects a backup inside a folder of the program', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, inFullRun ? 'disk' : 'kept');
  await mkdir(join(home.home, 'store'), { recursive: true });
  await symlink(join(home.home, 'store'), join(home.folder, 'link'));
  const places = ['store/mine', 'mine', 'sessions/mine', 'replaced/one/two'].map((place) => join(home.home, place));
  for (const place of [...places, join(home.folder, 'link', 'mine')])
    expect(await here(['backup', place])).toEqual({
      code: 2,
      out: '',
      err: `triad: ${place} is in a folder of Triad's own: name one outside of it, or none\n`,
    });
  if (inFullRun) expect((await here(['backup', join(home.home, 'backups', 'mine')])).code).toBe(0);
});

test('a store whose CURRENT file is missing is rebuilt', async () => {
  const home = await homeWith();
  const store = join(home.home, 'store');
  await rm(join(store, 'CURRENT'));
  const here = inProcess(home, 'disk');
  const { code, err } = await here(['sessions', 'list']);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(
      /^triad: The store was damaged and was rebuilt with 4 conversations and \d+ events\. Nothing is missing\./,
    ) as string,
  ]);
});
