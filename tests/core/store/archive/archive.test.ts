/** The archive of a real runtime: it has every event, and a store can be rebuilt from it alone. */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { conversationFile } from '#core/store/archive/archive-folder.ts';
import { readArchive } from '#core/store/archive/read-archive.ts';
import { type RestoreReport, restoreFromSources } from '#core/store/recovery/restore-from-sources.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { plainAnswer, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { startEngine } from '../../../support/engine.ts';
import { lasting, pooledDatabase } from '../../../support/stores/pooled.ts';
import { digestsOf } from '../everything.ts';
import { Conversation } from '../finished.ts';
import { openOn, testFolder, openStoreOn } from '../support.ts';

interface Archived {
  store: Store;
  folder: string;
  warnings: string[];
}

/** A store whose archive is in the folder; a new folder by default. */
async function openArchived(folder?: string): Promise<Archived> {
  const database = await pooledDatabase('rocksdb');
  const place = folder ?? join(await testFolder(), 'archive');
  const warnings: string[] = [];
  const { store } = storeOn(database, { archive: place, warn: (line) => warnings.push(line) });
  onTestFinished(() => store.close());
  return { store, folder: place, warnings };
}

/** Returns a new store that is rebuilt from the archive alone. */
async function rebuild(folder: string): Promise<{ store: Store; report: RestoreReport }> {
  const opened = await openOn('rocksdb');
  onTestFinished(() => opened.close());
  const { store } = opened;
  return { store, report: await restoreFromSources(store, [readArchive(folder)]) };
}

/** All lines of the files, as `zcat` prints them. */
async function linesIn(folder: string): Promise<Record<string, unknown>[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
  const { stdout, status } = spawnSync('zcat', files, { cwd: folder, maxBuffer: 1e9 });
  expect(status).toBe(0);
  const lines = stdout.toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a store rebuilt from the archive returns the same rows and events', async () => {
  const { store, folder } = await openArchived();
  const engine = await startEngine(threeChildren(), { store: lasting(store) });
  const { runtime, conversationId } = engine;
  await engine.ask('Split this.');
  const [other, deleted] = [new Conversation(store), new Conversation(store)];
  for (const one of [other, deleted]) {
    await one.create();
    await one.add({ prompt: 'A heron stands', children: [{ agent: 'helper', tools: ['read_file'] }] });
  }
  await runtime.request('conversation.keep', { conversationId, title: 'My own title', pinned: true });
  await runtime.request('conversation.delete', { conversationId: deleted.row.id });
  await runtime.request('conversation.create', {});
  const before = await digestsOf(store);

  const { store: rebuilt, report } = await rebuild(folder);
  expect(report).toMatchObject({ conversations: 4, events: before.stored, incomplete: [], damage: [] });
  expect(await digestsOf(rebuilt)).toEqual(before);
  expect(await rebuilt.conversation(conversationId)).toMatchObject({ title: 'My own title', pinned: true });
  expect((await rebuilt.trashed({ limit: 5 })).items.map(({ id }) => id)).toEqual([deleted.row.id]);
});

test('zcat prints valid JSON lines, and all events of a conversation once', async () => {
  const { store, folder } = await openArchived();
  const engine = await startEngine(plainAnswer(), { store: lasting(store) });
  await engine.ask('One.');
  await store.settled();
  await engine.ask('Two.');
  await store.settled();
  const lines = await linesIn(folder);
  const numbers = lines.flatMap(({ event }) => (event ? [(event as { seq: number }).seq] : []));
  const last = await store.lastSeq(engine.conversationId);
  expect(numbers).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(conversationFile(folder, engine.conversationId))).mode & 0o777).toBe(0o600);
  expect(await store.archive?.check(engine.conversationId)).toMatchObject({ events: last, notArchived: [] });
});

test('restores the newest notes and grants, and no deleted note', async () => {
  const { store, folder } = await openArchived();
  const note = (name: string, text: string) => ({
    ...({ table: 'memory', key: ['lead\n/work', name] } as const),
    row: { scope: 'lead', folder: '/work', name, text, updatedAt: '2026-03-01T12:00:00.000Z' },
  });
  await store.commit([note('one', 'first words'), note('two', 'secret words')]);
  await store.settled();
  await store.commit([note('one', 'last words'), { ...note('two', ''), row: null }]);
  await store.settled();
  const { store: rebuilt } = await rebuild(folder);
  expect(await rebuilt.notes()).toEqual([note('one', 'last words').row]);
  expect(JSON.stringify(await linesIn(folder))).not.toMatch(/secret words|first words/);
});

test('a purge leaves no text of the conversation in the archive', async () => {
  const { store, folder } = await openArchived();
  const [kept, purged] = [new Conversation(store), new Conversation(store)];
  for (const [one, words] of [
    [kept, 'herons'],
    [purged, 'otters'],
  ] as const) {
    await one.create();
    await one.add({ prompt: `All about ${words}`, lead: { text: `The ${words} answer` } });
  }
  await store.settled();
  expect(JSON.stringify(await linesIn(folder))).toContain('otters');
  expect(await store.purge(purged.row.id), 'not in the trash').toBe(false);
  expect(await readdir(folder)).toContain(`${purged.row.id}.jsonl.gz`);
  await store.trash(purged.row.id, new Date().toISOString());
  expect(await store.purge(purged.row.id)).toBe(true);
  expect(await readdir(folder)).not.toContain(`${purged.row.id}.jsonl.gz`);
  await store.settled();
  const left = JSON.stringify(await linesIn(folder));
  expect(left).toContain('herons');
  expect(left).not.toContain('otters');
});

test('a rebuild reports a damaged part of a file and restores everything else', async () => {
  const { store, folder } = await openArchived();
  const one = await new Conversation(store).create();
  const ends = [];
  for (const prompt of ['First', 'Second', 'Third']) {
    await one.add({ prompt });
    await store.settled();
    ends.push((await stat(conversationFile(folder, one.row.id))).size);
  }
  const path = conversationFile(folder, one.row.id);
  const bytes = await readFile(path);
  bytes[Math.floor((ends[0]! + ends[1]!) / 2)]! ^= 1;
  await writeFile(path, bytes);
  const events = (await store.events(one.row.id, 1, 1e6)).length;
  const lost = { from: events / 3 + 1, to: (events / 3) * 2 };

  const { store: rebuilt, report } = await rebuild(folder);
  expect(report.damage).toEqual([{ file: path, member: 2, bytes: ends[1]! - ends[0]!, events: lost, isTorn: false }]);
  expect(report.incomplete).toEqual([{ conversationId: one.row.id, missing: [lost], isRowMissing: false }]);
  const { items } = await rebuilt.workflows({ conversationId: one.row.id, limit: 10 });
  expect(items.map(({ prompt }) => prompt)).toEqual(['Third', 'First']);
  expect((await rebuilt.events(one.row.id, 1, 1e6)).length).toBe((events / 3) * 2);
  expect(await store.archive?.check(one.row.id)).toMatchObject({ damagedParts: 1, notArchived: [lost] });
});

test('a file with a foreign name or content affects no other conversation', async () => {
  const { store, folder } = await openArchived();
  const [one, two] = [await new Conversation(store).create(), await new Conversation(store).create()];
  for (const each of [one, two]) await each.add();
  await store.settled();
  const [path, copied] = [conversationFile(folder, one.row.id), conversationFile(folder, newId())];
  await copyFile(conversationFile(folder, two.row.id), path);
  await copyFile(path, join(folder, 'copy of mine.jsonl.gz'));
  await mkdir(copied);

  const { store: rebuilt, report } = await rebuild(folder);
  expect(report.damage.map(({ file }) => file).sort()).toEqual([path, copied].sort());
  expect(report.incomplete.filter(({ missing }) => missing.length > 0)).toEqual([]);
  const read = (from: Store) => from.events(two.row.id, 1, 1e6);
  expect(await read(rebuilt)).toEqual(await read(store));
  expect(await rebuilt.events(one.row.id, 1, 1e6)).toEqual([]);
});

test('a file with the events of another conversation is set aside and written again', async () => {
  const folder = join(await testFolder(), 'archive');
  const database = await pooledDatabase('rocksdb');
  onTestFinished(() => database.close());
  const { store } = storeOn(database, { archive: folder });
  const [one, two] = [await new Conversation(store).create(), await new Conversation(store).create()];
  for (const each of [one, two, two]) await each.add();
  await store.settled();
  const path = conversationFile(folder, one.row.id);
  // Its last number is higher than those of the conversation.
  await copyFile(conversationFile(folder, two.row.id), path);
  const { store: next } = storeOn(database, { archive: folder });
  await next.settled();
  expect(await next.archive?.check(one.row.id)).toMatchObject({ notArchived: [], notStored: [], different: [] });
  expect((await readdir(folder)).filter((name) => name.startsWith(`${one.row.id}.`))).toHaveLength(2);
  expect(next.notices.current).toBeNull();
});

test('a file that is missing is written again at the next start', async () => {
  const { store, folder } = await openArchived();
  const one = await new Conversation(store).create();
  await one.add();
  await store.settled();
  await rm(folder, { recursive: true });
  const next = storeOn(await pooledDatabase('rocksdb'), { archive: folder }).store;
  onTestFinished(() => next.close());
  const copy = new Conversation(next, one.row);
  await copy.create();
  await next.settled();
  expect(await readdir(folder)).toContain(`${one.row.id}.jsonl.gz`);
});

test('a process killed before an append leaves a pending mark, and the next process appends', async () => {
  const folder = join(await testFolder(), 'archive');
  const pending = () => readFile(join(folder, 'pending'), 'utf8');
  const database = await pooledDatabase('rocksdb');
  onTestFinished(() => database.close());
  const { store } = storeOn(database, { archive: folder });
  const one = await new Conversation(store).create();
  await one.add();
  await store.settled();
  expect(await pending()).toBe('');
  await one.add();
  const marks = await pending();
  expect(marks).toBe(`{"conversation":"${one.row.id}"}\n`);
  await store.settled();
  // The event of a process that was killed after it wrote the mark.
  const killed = openStoreOn(database);
  const seq = (await store.lastSeq(one.row.id)) + 1;
  await killed.commit([{ event: { ...one.recording.durable.at(-1)!, seq } }]);
  await writeFile(join(folder, 'pending'), marks);
  const { store: next } = storeOn(database, { archive: folder });
  await next.settled();
  expect(await next.archive?.check(one.row.id)).toMatchObject({ notArchived: [], notStored: [] });
  expect(await pending()).toBe('');
});

test('an archive that cannot be written is reported once, and written later', async () => {
  const { store, folder, warnings } = await openArchived();
  await mkdir(folder, { recursive: true });
  // A folder has the name of the conversation's file.
  const row = { id: newId() };
  await mkdir(conversationFile(folder, row.id));
  const one = await new Conversation(store, row).create();
  await one.add();
  await expect(store.settled()).rejects.toThrow('EISDIR');
  await one.add();
  await expect(store.settled()).rejects.toThrow('EISDIR');
  expect(warnings).toEqual([expect.stringMatching(/^The archive in .* cannot be written \(.*EISDIR.*\)/)]);
  expect((await store.workflows({ limit: 5 })).items).toHaveLength(2);
  await rm(conversationFile(folder, row.id), { recursive: true });
  await store.settled();
  expect(await store.archive?.check(row.id)).toMatchObject({ notArchived: [] });
});

test('sets a file of another history aside instead of mixing both histories', async () => {
  const { store, folder } = await openArchived();
  const row = { id: newId() };
  const one = await new Conversation(store, row).create();
  await one.add({ prompt: 'The first history' });
  await store.settled();
  const { store: other } = await openArchived(folder);
  const two = await new Conversation(other, row).create();
  await two.add({ prompt: 'The second history' });
  await two.add({ prompt: 'It goes on' });
  await other.settled();
  const names = (await readdir(folder)).filter((name) => name.startsWith(row.id));
  expect(names).toHaveLength(2);
  const { store: rebuilt } = await rebuild(folder);
  const { items } = await rebuilt.workflows({ limit: 5 });
  expect(items.map(({ prompt }) => prompt)).toEqual(['It goes on', 'The second history']);
  await other.trash(row.id, new Date().toISOString());
  await other.purge(row.id);
  expect((await readdir(folder)).filter((name) => name.startsWith(row.id))).toEqual([]);
});
