/** A disk that becomes full at any step: the error names it, reads work, and the same step succeeds when there is space. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { cp, type FileHandle, open, readdir, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Closable } from '#core/store/closable.ts';
import { restore } from '#core/store/backups/restore.ts';
import { finishBackup } from '#core/store/backups/backups.ts';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { storeOn } from '#core/store/store-on.ts';
import { inFullRun, TEST_SEED } from '../../support/samples.ts';
import { startChild } from './child/run.ts';
import { Conversation, makeFilledStore } from './finished.ts';
import { openOn, testFolder } from './support.ts';

/** Writes between two that fail. */
const STRIDE = inFullRun ? 2 : 5;
const FIRST = Number(TEST_SEED) % STRIDE;

const FULL = {
  code: 'store_unwritable',
  message: expect.stringMatching(/^The disk of .* is full|^There is no room for a copy/) as string,
};

/** Makes one write of this process fail as on a full disk, after a half of it; counted from 0. */
async function failWrite(nth: number): Promise<{ isReached: () => boolean; restore: () => void }> {
  const handle = await open(import.meta.filename, 'r');
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  let writes = 0;
  const fails = () => writes++ === nth;
  const error = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  // oxlint-disable-next-line typescript/unbound-method -- they are called with their handle
  const { write, writeFile: writeAll } = methods;
  const { writeSync } = fs;
  const spies = [
    vi.spyOn(fs, 'writeSync').mockImplementation(((
      fd: number,
      bytes: Buffer,
      from: number,
      length: number,
      at: number,
    ) => {
      if (!fails()) return writeSync(fd, bytes, from, length, at);
      writeSync(fd, bytes, from, Math.floor(length / 2), at);
      throw error();
    }) as typeof writeSync),
    vi.spyOn(methods, 'write').mockImplementation(async function failing(this: FileHandle, ...input: unknown[]) {
      if (!fails()) return (await Reflect.apply(write, this, input)) as never;
      const [bytes, from, length, at] = input as [Buffer, number, number, number];
      await Reflect.apply(write, this, [bytes, from, Math.floor(length / 2), at]);
      throw error();
    }),
    vi.spyOn(methods, 'writeFile').mockImplementation(async function failing(this: FileHandle, ...input: unknown[]) {
      if (fails()) throw error();
      await (Reflect.apply(writeAll, this, input) as Promise<void>);
    }),
  ];
  syncBuiltinESMExports();
  const end = () => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  };
  return { isReached: () => writes > nth, restore: end };
}

/** Repeats a step that found no space. */
async function twice(step: () => Promise<unknown>, again = step): Promise<unknown> {
  try {
    return await step();
  } catch (error) {
    expect(error).toMatchObject(FULL);
    return again();
  }
}

interface Place {
  database: Closable;
  data: string;
  warnings: string[];
}

async function start({ database, data, warnings }: Place): Promise<Store> {
  const { store, recover } = storeOn(
    { ...database, close: () => Promise.resolve() },
    {
      folder: join(data, 'store'),
      archive: join(data, 'archive'),
      warn: (line) => warnings.push(line),
      mode: { kind: 'behind', journal: join(data, 'journal') },
    },
  );
  onTestFinished(() => store.close().catch(() => undefined));
  expect(await recover()).toEqual({ setAside: null, damage: null });
  return store;
}

/** Returns whether there was such a write. */
async function workWithFailure(nth: number): Promise<boolean> {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const place: Place = { database: opened.database, data: await testFolder(), warnings: [] };
  const store = await start(place);
  const failure = await failWrite(nth);
  onTestFinished(failure.restore);
  const [kept, deleted] = [new Conversation(store, { title: 'Kept' }), new Conversation(store)];
  for (const one of [kept, deleted]) await twice(() => one.create());
  const note = { scope: 'lead', folder: '/a', name: 'plan', text: 'x', updatedAt: kept.row.createdAt };
  await twice(() => store.commit([{ table: 'memory', key: ['lead\n/a', 'plan'], row: note }]));
  for (const one of [kept, deleted]) {
    await twice(
      () => one.add(),
      () => one.store(),
    );
    // A failed archive is tried again later; the person is told once.
    await store.settled().catch(() => store.settled());
    await twice(() => store.conversations({ limit: 1 }));
  }
  await store.trash(deleted.row.id, '2026-01-01T00:00:00.000Z');
  await twice(() => store.purge(deleted.row.id));
  failure.restore();
  expect(store.lost.aborted, `write ${nth}`).toBe(false);
  await kept.add();
  await store.settled();
  const events = await store.events(kept.row.id, 1, 999);
  expect(events.map(({ seq }) => seq)).toEqual(kept.recording.durable.map(({ seq }) => seq));
  expect(await store.archive!.check(kept.row.id)).toMatchObject({ notArchived: [], notStored: [], damagedParts: 0 });
  for (const line of place.warnings) expect(line).toMatch(/^The archive in .* cannot be written/);
  await store.close();
  const again = await start(place);
  expect(await again.events(kept.row.id, 1, 999)).toEqual(events);
  expect(await again.conversationIds()).toEqual([kept.row.id]);
  return failure.isReached();
}

test(
  'repeats any write of a commit, an archive or a purge without loss after a full disk',
  { timeout: 300_000 },
  async () => {
    let nth = FIRST;
    while (await workWithFailure(nth)) nth += STRIDE;
    expect(nth).toBeGreaterThan(8);
  },
);

test(
  'reports a full disk at any write of a start, and the next start creates the store',
  { timeout: 300_000 },
  async () => {
    const base = await testFolder();
    const folders: string[] = [];
    for (let isReached = true; isReached;) {
      const folder = join(base, String(folders.length), 'store');
      const failure = await failWrite(FIRST + STRIDE * folders.length);
      onTestFinished(failure.restore);
      const opening = openStore({ url: `rocksdb://${folder}` });
      const error: unknown = await opening.then(
        (store) => store.close(),
        (fault: unknown) => fault,
      );
      failure.restore();
      isReached = failure.isReached();
      if (!isReached) break;
      expect(error).toMatchObject(FULL);
      const names = await readdir(dirname(folder));
      expect(names.filter((name) => name.includes('aside'))).toEqual([]);
      // The engine holds the lock of a folder until its process ends.
      const copy = join(base, `copy-${folders.length}`);
      await cp(dirname(folder), copy, { recursive: true });
      folders.push(join(copy, 'store'));
    }
    expect(folders.length).toBeGreaterThan(3);
    const child = startChild('store.ts', ['open', folders.join('\n')]);
    await child.ended;
    expect(child.lines).toEqual(folders.map(() => 'opened'));
  },
);

/** Fills a disk; the returned function makes space again. */
async function fill(disk: string): Promise<() => Promise<void>> {
  const ballast = join(disk, 'ballast');
  for (const block of [1 << 20, 1 << 12])
    while (
      await writeFile(ballast, Buffer.alloc(block), { flag: 'a' }).then(
        () => true,
        () => false,
      )
    );
  return () => rm(ballast);
}

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)('a purge, a backup, a restore or a recovery on a full disk changes nothing', async ({ skip }) => {
  const disk = await testFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', disk]).status !== 0)
    return skip('no file system can be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const data = join(disk, 'data');
  const store = await openStore({ url: `rocksdb://${join(data, 'store')}`, archive: join(data, 'archive') });
  onTestFinished(() => store.close());
  const [kept, deleted] = [await new Conversation(store).create(), await new Conversation(store).create()];
  for (const one of [kept, deleted]) await one.add({ children: [{ agent: 'helper' }] });
  await store.trash(deleted.row.id, '2026-01-01T00:00:00.000Z');
  await store.settled();
  const backup = (await finishBackup(await store.beginBackup(), 0)).folder;
  const [other, damaged] = [join(disk, 'other'), join(disk, 'damaged')];
  await makeFilledStore(other);
  spawnSync('cp', ['-r', data, damaged]);
  await rm(join(damaged, 'store', 'CURRENT'));
  const openDamaged = () =>
    openStore({
      url: `rocksdb://${join(damaged, 'store')}`,
      archive: join(damaged, 'archive'),
      warn: () => undefined,
    });
  const [before, otherBefore] = [await readdir(damaged), await readdir(other)];

  const makeSpace = await fill(disk);
  await expect(store.commit([{ table: 'conversation', key: kept.row.id, row: kept.row }])).rejects.toMatchObject(FULL);
  await expect(store.purge(deleted.row.id)).rejects.toMatchObject(FULL);
  await expect(store.beginBackup()).rejects.toMatchObject(FULL);
  await expect(restore(other, backup)).rejects.toMatchObject(FULL);
  await expect(openDamaged()).rejects.toMatchObject(FULL);
  expect([await readdir(damaged), await readdir(other)]).toEqual([before, otherBefore]);
  expect(await store.events(kept.row.id, 1, 999)).toHaveLength(kept.recording.durable.length);
  expect((await store.trashed({ limit: 9 })).items).toHaveLength(1);
  expect(store.lost.aborted).toBe(false);

  await makeSpace();
  await kept.add();
  expect(await store.purge(deleted.row.id)).toBe(true);
  await store.beginBackup();
  expect(await restore(other, backup)).toMatchObject({ missing: null, holds: { conversations: 2 } });
  const recovered = await openDamaged();
  expect(await recovered.events(kept.row.id, 1, 999)).not.toEqual([]);
  await recovered.close();
});
