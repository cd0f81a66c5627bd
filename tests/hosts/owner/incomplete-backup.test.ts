/** Backups of a store that lost something, or everything: they say so, and the older, whole ones stay and are named. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backupsOf, bestBackup } from '#core/store/backups/backups.ts';
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

const SESSION = '2026-01-01-something-000000000000';

async function homeWith(config = '[backups]\nkeep = 1\n'): Promise<Machine> {
  const home = await machine(plainAnswer());
  if ((await readdir(seeded)).length === 0) {
    await task('seed', join(seeded, 'store'));
    // Opened again, the engine puts into tables what stood in its log.
    await task('read', join(seeded, 'store'));
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

test('what is missing is said, counts as no backup to keep or to name, and removes none', async () => {
  const home = await homeWith();
  const whole = await inProcess(home, 'disk')(['backup']);
  expect([whole.code, whole.err]).toEqual([
    0,
    expect.stringContaining(', verified: 4 conversations, 31 workflows, ') as string,
  ]);
  const [first] = backupsOf(home.home);

  const lost = await movedHome(home);
  await task('lose', join(lost.home, 'store'));
  const { code, out, err } = await inProcess(lost, 'disk')(['backup']);
  expect(code).toBe(1);
  expect(err).toContain(', what can be read: 4 conversations, 31 workflows, ');
  const kept = join(lost.home, 'backups', (first?.folder ?? '').split('/').at(-1) ?? '');
  expect(err).toContain(
    `triad: This backup is not complete: 1 message or result cannot be found or read in the store. The newest one that is was made at ${first?.madeAt}; to put it back: triad restore ${kept}\n`,
  );
  expect(err).not.toContain('removed');
  expect(backupsOf(lost.home)).toMatchObject([
    { folder: out.trim(), missing: '1 message or result', schema: 6 },
    { folder: kept, missing: null },
  ]);
  expect(bestBackup(lost.home)?.folder).toBe(kept);
  // It can be restored all the same, with the same words.
  const restored = await inProcess(await movedHome(lost), 'disk')(['restore', out.trim()]);
  expect([restored.code, restored.err]).toEqual([
    0,
    expect.stringContaining('found or read of it: 1 message or result.') as string,
  ]);
});

test('blocks of a table that cannot be read are missing too', async () => {
  const home = await homeWith();
  await flip(join(home.home, 'store'), [0.2, 0.3]);
  const { code, err } = await inProcess(home, 'disk')(['backup']);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/This backup is not complete: .*There is no older backup that is\./) as string,
  ]);
});
