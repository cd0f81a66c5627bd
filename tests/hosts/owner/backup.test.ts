/** `triad backup` and `triad restore` on real homes: beside a program that owns the data folder, and after damage. */
import { createHash } from 'node:crypto';
import { cp, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plainAnswer, spawnOne } from '../../support/fake-model/scenarios.ts';
import { connectTo, inProcess } from '../support/engine.ts';
import { becomesOwner, waits } from '../support/owner.ts';
import { machine, type Machine } from '../support/process.ts';
import { fullTest } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

interface Made {
  folder: string;
  bytes: number;
  conversations: number;
  workflows: number;
  events: number;
}

/** A program that owns the home: commands of the test's own process are its clients, without a process for each. */
async function owned(home: Machine): Promise<{ pid: number | undefined; end: () => Promise<void> }> {
  const { child, out, exit } = await home.app();
  await becomesOwner(home, { child });
  await expect.poll(out, waits).toContain('http://');
  const end = async () => {
    child.kill('SIGTERM');
    await exit;
  };
  return { pid: child.pid, end };
}

async function backUp(triad: Machine['triad'], ...args: string[]): Promise<Made> {
  const { code, out, err } = await triad(['backup', '--json', ...args]);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Made;
}

/** Changes a byte in the middle of each file that holds what was committed. */
async function damage(store: string, files = /\.(log|sst)$/): Promise<void> {
  for (const name of (await readdir(store)).filter((file) => files.test(file))) {
    const path = join(store, name);
    const { size } = await stat(path);
    if (size === 0) continue;
    const at = Math.floor(size / 2);
    const file = await open(path, 'r+');
    await file.write(Buffer.of(((await readFile(path))[at] ?? 0) ^ 0xff), 0, 1, at);
    await file.close();
  }
}

test('a damaged store is rebuilt, and its backup can still be restored', async () => {
  const home = await machine(spawnOne());
  const here = inProcess(home, 'disk');
  expect((await here(['run', '--approve', 'all', 'Ask a helper'])).code).toBe(0);
  const before = await here(['sessions', 'list', '--json']);
  const [{ id = '' } = {}] = JSON.parse(before.out) as { id: string }[];
  const trace = await here(['sessions', 'trace', id, '--json']);
  const replaced = join(home.home, 'replaced', id);
  await mkdir(replaced, { recursive: true });
  await writeFile(join(replaced, 'one.before'), 'what an agent replaced');
  await expect.poll(() => readdir(home.home), waits).toContain('sessions');
  const made = await backUp(here);
  expect(made).toMatchObject({ conversations: 1, workflows: 1 });
  expect(made.events).toBeGreaterThan(20);

  const checked = await here(['doctor', '--full']);
  expect(checked.out).toMatch(/journal: it belongs to the store, .* in the database/);
  expect(checked.out).toMatch(/journal: \d+ events? in it: as in the store/);
  // A process opens a folder once: the home as it is now, at another place.
  const copy = await folderWith({});
  await cp(home.home, copy, { recursive: true, filter: (path) => basename(path) !== 'instance.json' });
  await rm(join(copy, 'replaced', id), { recursive: true });
  await damage(join(copy, 'store'));
  const place = { env: { TRIAD_HOME: copy } };
  const there = inProcess(home, 'disk');
  const rebuilt = await home.triad(['sessions', 'list', '--json'], '', place);
  expect([rebuilt.code, rebuilt.out]).toEqual([0, before.out]);
  expect(rebuilt.err).toMatch(
    /^triad: The store was damaged(?:, or an older copy of it was put back,)? and was rebuilt( from its archive)? with 1 conversation and \d+ events\. Nothing is missing\. The (?:damaged|replaced) store is kept beside it\.\n$/,
  );
  const backup = join(copy, 'backups', basename(made.folder));

  const restored = await there(['restore', backup], '', place);
  expect([restored.code, restored.out]).toEqual([0, '']);
  expect(restored.err).toMatch(/^Restored the backup of .*: 1 conversation, 1 workflow, \d+ events\.\nWhat was there /);
  // The engine holds a folder that it once opened as long as its process lives.
  const after = (args: string[]) => home.triad(args, '', place);
  expect(await after(['sessions', 'trace', id, '--json'])).toEqual(trace);
  expect(await after(['sessions', 'list', '--json'])).toEqual(before);
  expect(await readFile(join(copy, 'replaced', id, 'one.before'), 'utf8')).toBe('what an agent replaced');
  // What was there is kept, and what is no part of a backup stays.
  const names = await readdir(copy);
  expect(await readdir(join(copy, names.find((name) => name.startsWith('set-aside-')) ?? ''))).toEqual(
    expect.arrayContaining(['archive', 'sessions', 'store']),
  );
});

fullTest([
  'tests/hosts/owner/backup.test.ts › restore rejects a folder in use, a folder without a backup and a changed backup',
  'tests/core/store/backups/prune.test.ts › an incomplete backup replaces no other backup, does not count and is not suggested',
])('a backup is made to any folder while an owner runs, a restore is not, and old backups are removed', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'disk');
  const owner = await owned(home);
  await here(['run', 'x']);
  await expect.poll(() => readdir(home.home), waits).toContain('sessions');
  const own = join(home.folder, 'mine');
  const made = await backUp(here, own);
  expect(made).toMatchObject({ folder: own, conversations: 1, workflows: 1 });
  expect((await readdir(own)).sort()).toEqual(['archive', 'manifest.json', 'sessions', 'store']);
  expect(JSON.stringify(await readdir(own, { recursive: true }))).not.toMatch(/secret|instance|config/);
  expect(await here(['restore', own])).toEqual({
    code: 1,
    out: '',
    err: `triad: Triad is running with this data folder (pid ${owner.pid}): stop it, then restore again\n`,
  });
  // Older ones go, but only those of this kind, and what was never finished.
  await owner.end();
  await writeFile(join(home.home, 'config.toml'), '[backups]\nkeep = 2\n');
  await mkdir(join(home.home, 'backups', 'mine'), { recursive: true });
  const later = [await backUp(here), await backUp(here), await backUp(here)];
  expect((await readdir(join(home.home, 'backups'))).map((name) => join(home.home, 'backups', name)).sort()).toEqual(
    [...later.slice(1).map(({ folder }) => folder), join(home.home, 'backups', 'mine')].sort(),
  );
});

fullTest(
  'tests/hosts/owner/backup.test.ts › restore rejects a folder in use, a folder without a backup and a changed backup',
)('restore rejects a folder without a backup and a damaged backup, and changes nothing', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'disk');
  const owner = await owned(home);
  await here(['run', 'x']);
  const made = await backUp(here);
  await owner.end();
  const before = await readdir(home.home);
  const refusals = async (folder: string) => {
    const { code, out, err } = await here(['restore', folder]);
    expect([code, out]).toEqual([2, '']);
    expect(await readdir(home.home)).toEqual(before);
    return err;
  };
  expect(await refusals(join(home.folder, 'nowhere'))).toMatch(/^triad: There is no folder .*\n$/);
  expect(await refusals(home.folder)).toMatch(/^triad: .* is no backup: .*\n$/);
  await damage(join(made.folder, 'store'));
  expect(await refusals(made.folder)).toMatch(/^triad: The backup in .* is damaged \(store\/.* has changed .*\n$/);
  await rm(join(made.folder, 'store', 'CURRENT'));
  expect(await refusals(made.folder)).toMatch(/^triad: The backup in .* is damaged \(.*\n$/);
  expect((await here(['backup', home.folder])).err).toMatch(/ is not empty: name a new folder\n$/);
  // One whose manifest was not written yet is none.
  await cp(made.folder, join(home.home, 'backups', 'half'), { recursive: true });
  await rm(join(home.home, 'backups', 'half', 'manifest.json'));
  expect(await refusals(join(home.home, 'backups', 'half'))).toMatch(/ is no backup: /);
});

fullTest('tests/hosts/owner/incomplete-backup.test.ts › a store whose CURRENT file is missing is rebuilt')(
  'restores what can be read of a damaged store in another folder',
  async () => {
    const home = await machine(plainAnswer());
    for (const prompt of ['one', 'two']) await home.triad(['run', prompt]);
    const store = join(await folderWith({}), 'store');
    await cp(join(home.home, 'store'), store, { recursive: true });
    await damage(store, /\.log$/);
    const here = inProcess(home, 'disk');
    expect((await here(['restore', store])).code).toBe(0);
    expect((await here(['run', 'three'])).code).toBe(0);
  },
);

test('restore rejects a folder in use, a folder without a backup and a changed backup', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'kept');
  const restore = async (folder: string) => {
    const { code, err } = await here(['restore', folder], '', { env: { TRIAD_STORE: '' } });
    return [code, err];
  };
  const folder = join(home.folder, 'backup');
  expect(await restore(folder)).toEqual([2, expect.stringMatching(/^triad: There is no folder .*\n$/)]);
  await mkdir(join(folder, 'store'), { recursive: true });
  expect(await restore(folder)).toEqual([2, expect.stringMatching(/^triad: .* is no backup: .*\n$/)]);
  await writeFile(join(folder, 'store', 'CURRENT'), 'b');
  const sha256 = { 'store/CURRENT': createHash('sha256').update('a').digest('hex') };
  const manifest = { format: 1, madeAt: new Date().toISOString(), schema: 1, holds: null, bytes: 1, sha256 };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const damage = /^triad: The backup in .* is damaged \(store\/CURRENT has changed .*\n$/;
  expect(await restore(folder)).toEqual([2, expect.stringMatching(damage)]);
  expect((await readdir(home.home)).filter((name) => /set-aside|restoring/.test(name))).toEqual([]);

  const owner = await connectTo({ ...home, env: { ...home.env, TRIAD_STORE: 'mem://' } });
  onTestFinished(() => owner.close());
  const inUse = `Triad is running with this data folder (pid ${process.pid}): stop it, then restore again`;
  expect(await restore(folder)).toEqual([1, `triad: ${inUse}\n`]);
});
