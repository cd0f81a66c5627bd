/** A damaged database is replaced: what happens if that fails, and what the other database must have. */
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { RowChange } from '#contract/rows.ts';
import { memoryKey } from '#domain/memory-key.ts';
import { readMembers } from '#core/store/archive/archive-file.ts';
import { parseLines } from '#core/store/archive/archive-lines.ts';
import { readArchive } from '#core/store/archive/read-archive.ts';
import type { Closable } from '#core/store/closable.ts';
import { DiskFull } from '#core/store/disk-space.ts';
import { StoreDamaged } from '#core/store/faults.ts';
import { encodeHeader, encodeRecord, HEADER_BYTES } from '#core/store/journal/journal-format.ts';
import { encodePayload } from '#core/store/journal/journal-payload.ts';
import { Journal, readJournal } from '#core/store/journal/journal.ts';
import { buildRecovered } from '#core/store/recovery/build-recovered.ts';
import { readJournalSources } from '#core/store/recovery/journal-source.ts';
import { restoreFromSources } from '#core/store/recovery/restore-from-sources.ts';
import { readDamagedStore } from '#core/store/recovery/damaged-source.ts';
import type { OpenRecovered } from '#core/store/recovery/damage-recovery.ts';
import type { Store } from '#core/store/store.ts';
import { type StorePlace, storeOn } from '#core/store/store-on.ts';
import { readPurgeIntents, setPurgeIntent } from '#core/store/trash/purge-intents.ts';
import { startPurge } from '#core/store/trash/trash.ts';
import { eventItems } from '../../support/commit-items.ts';
import { conversationId, idOf } from '../../support/recording.ts';
import { conversation, eventsOf, type Plan } from './random-history.ts';
import { openOn, openStoreOn, testFolder } from './support.ts';

const finished: Plan = {
  children: [{ agent: 'writer', no: false, turns: 2, text: 'x', outcome: 'completed' }],
  outcome: 'completed',
  resumed: false,
};
const events = eventsOf([finished]);
const at = '2026-03-01T12:00:00.000Z';

async function openDatabase(): Promise<Closable> {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  return { ...opened.database, close: () => Promise.resolve() };
}

/** A store of which a test can make the flushes fail. */
async function openFailing(openRecovered: OpenRecovered | null, folder?: string) {
  const data = folder ?? (await testFolder());
  const database = await openDatabase();
  const state: { fault: Error | null } = { fault: null };
  const failing: Closable = {
    ...database,
    transaction: async (sql, values) => {
      if (state.fault && values && 'generation' in values) throw state.fault;
      await database.transaction(sql, values);
    },
  };
  const { store, recover } = storeOn(failing, {
    folder: join(data, 'store'),
    archive: join(data, 'archive'),
    mode: { kind: 'behind', journal: join(data, 'journal') },
    openRecovered,
  });
  const recovered = await recover();
  onTestFinished(() => store.close().catch(() => undefined));
  return { store, state, data, database, recovered };
}

const damaged = new StoreDamaged('/data/store', 'Corruption');

test('rejects a commit if the journal of the replacement database cannot be opened', async () => {
  const other = await openDatabase();
  const folder = await testFolder();
  await mkdir(join(folder, 'other'));
  await writeFile(join(folder, 'other', 'journal'), 'a file');
  const { store, state } = await openFailing(() => Promise.resolve({ database: other, folder: join(folder, 'other') }));
  await store.commit([conversation]);
  state.fault = damaged;
  await store.conversations({ limit: 1 }).catch(() => undefined);
  await expect(store.commit(eventItems(events.slice(0, 1)))).rejects.toMatchObject({ code: 'store_failed' });
  expect(store.lost.aborted).toBe(true);
});

test('stops all work with the damage as the reason if no replacement database can be created', async () => {
  const { store, state } = await openFailing(() => Promise.reject(new Error('no space for another store')));
  await store.commit([conversation]);
  state.fault = damaged;
  await store.conversations({ limit: 1 });
  expect(store.lost.reason).toMatchObject({ code: 'store_failed', cause: damaged });
});

test('rejects a commit with a full-disk error if a full journal cannot be flushed', async () => {
  const { store, state } = await openFailing(null);
  const isFull = vi.spyOn(Journal.prototype, 'isFull', 'get').mockReturnValue(true);
  onTestFinished(() => isFull.mockRestore());
  state.fault = new DiskFull('/data', 0);
  await store.commit([conversation]);
  await expect(store.commit([conversation])).rejects.toBeInstanceOf(DiskFull);
});

test('the replacement database gets the envelopes of later events', async () => {
  const other = await openDatabase();
  const { store, state, data } = await openFailing(() =>
    Promise.resolve({ database: other, folder: join(data, 'other') }),
  );
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  await store.conversations({ limit: 1 });
  state.fault = damaged;
  const again = { ...conversation, key: idOf(800), row: { ...conversation.row, id: idOf(800) } };
  await store.commit([again]);
  await store.conversations({ limit: 1 });
  // The history of the other database is empty here.
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  expect(await store.events(conversationId, 1, events.length)).toHaveLength(events.length);
  await store.conversations({ limit: 1 });
  expect(await store.events(conversationId, 1, events.length)).toEqual(events);
});

test('replaces a database with incomplete lists once, and counts the missing rows again', async () => {
  const other = await openDatabase();
  let replaced = 0;
  const { store, data, database } = await openFailing(() => {
    replaced += 1;
    return Promise.resolve({ database: other, folder: join(data, `other-${replaced}`) });
  });
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  await store.conversations({ limit: 1 });
  await database.query('DELETE conversation RETURN NONE');
  expect(await store.unlisted()).toEqual({ conversations: 0, workflows: 0 });
  await store.unlisted();
  expect(replaced).toBe(1);
});

/** Another store, from what the database and the journal of one have. */
async function rebuilt(data: string, database: Closable) {
  const { newest, flushed } = await readJournalSources(join(data, 'journal'), database);
  const target = await openOn('mem');
  onTestFinished(() => target.close());
  const report = await restoreFromSources(target.store, [flushed, readDamagedStore(database, []), newest]);
  return { store: target.store, report };
}

test('an event restored from the journal keeps an envelope that was flushed earlier', async () => {
  const { store, data, database } = await openFailing(null);
  const at = events.findIndex(({ type }) => type === 'run-queue');
  const next = { ...events[at]!, runId: idOf(900), seq: at + 2 };
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, at + 1)));
  // The record with the envelope is overwritten then.
  for (const _ of ['its own generation', 'another']) {
    await store.conversations({ limit: 1 });
    await store.commit([{ ...conversation, row: { ...conversation.row, lastSeq: 1 } }]);
  }
  await store.commit([{ event: next }]);
  const { store: other, report } = await rebuilt(data, database);
  expect(report.incomplete).toEqual([]);
  expect(await other.events(conversationId, at + 2, at + 2)).toEqual([next]);
});

test('a recovery counts a workflow as unfinished unless its last event is in the journal', async () => {
  const { store, data } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, 3)));
  await store.settled();
  const { flushed, newest } = await readJournalSources(join(data, 'journal'), null);
  const archive = readArchive(join(data, 'archive'));
  for (const [sources, unfinished] of [
    [[archive], 1],
    [[flushed, archive, newest], 0],
  ] as const) {
    const target = await openOn('mem');
    onTestFinished(() => target.close());
    expect(await restoreFromSources(target.store, sources)).toMatchObject({ events: 3, unfinished });
  }
});

test('a flushed record of the journal does not take a conversation out of the trash', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  const { store: other } = await rebuilt(data, database);
  expect(await other.conversation(conversationId)).toMatchObject({ deletedAt: '2026-01-01T00:00:00.000Z' });
});

/** What the next process finds in the database and the journal of one that was killed. */
async function startAgain(data: string, database: Closable, place: Pick<StorePlace, 'diskFull'> = {}) {
  const mode = { kind: 'behind', journal: join(data, 'journal') } as const;
  const { store, recover } = storeOn(database, { folder: join(data, 'store'), mode, ...place });
  onTestFinished(() => store.close());
  return recover();
}

test('a commit that changes nothing leaves no gap in the generations of the journal', async () => {
  const { store, data, database, state } = await openFailing(null);
  await store.commit([conversation]);
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await store.commit([{ table: 'open_message', key: idOf(7), row: null }]);
  await store.purge(conversationId);
  state.fault = new DiskFull('/data', 0);
  await store.commit([conversation]);
  expect(await startAgain(data, database)).toEqual({ setAside: null, damage: null });
});

test('a kill after a replay leaves no gap in the generations of the journal', async () => {
  const { store, data, database, state } = await openFailing(null);
  state.fault = new DiskFull('/data', 0);
  await store.commit([conversation]);
  let isReplayed = false;
  const transaction: typeof database.transaction = (...args) =>
    isReplayed ? Promise.reject(new DiskFull('/data', 0)) : database.transaction(...args);
  const mode = { kind: 'behind', journal: join(data, 'journal') } as const;
  const next = storeOn({ ...database, transaction }, { mode });
  onTestFinished(() => next.store.close().catch(() => undefined));
  await next.recover();
  isReplayed = true;
  await next.store.commit(eventItems(events));
  expect(await startAgain(data, database)).toEqual({ setAside: null, damage: null });
});

test('the start after a killed purge overwrites the journal', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([{ ...conversation, row: { ...conversation.row, title: 'A heron stands' } }]);
  await store.commit(eventItems(events));
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await startPurge(database, conversationId, events.length);
  const text = async () => {
    const files = ['a', 'b'].map((name) => readFile(join(data, 'journal', `${name}.journal`)));
    return (await Promise.all(files)).some((content) => content.includes('heron'));
  };
  expect(await text()).toBe(true);
  await startAgain(data, database);
  expect(await text()).toBe(false);
});

test('the next start overwrites the journal if a purge was killed after it deleted the last row', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.conversations({ limit: 1 });
  await setPurgeIntent(join(data, 'journal'), conversationId, true);
  await database.query('DELETE conversation RETURN NONE');
  expect(await readJournal(join(data, 'journal'))).toHaveLength(1);
  await startAgain(data, database);
  expect(await readJournal(join(data, 'journal'))).toEqual([]);
  expect(await readPurgeIntents(join(data, 'journal'))).toEqual([]);
});

test('a start on a full disk leaves a purge to a later start', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await setPurgeIntent(join(data, 'journal'), conversationId, true);
  await startAgain(data, database, { diskFull: () => new DiskFull('/data', 0) });
  expect(await readPurgeIntents(join(data, 'journal'))).toEqual([conversationId]);
  await startAgain(data, database);
  expect(await openStoreOn(database).conversation(conversationId)).toBeNull();
});

test('a start reports damage if an envelope named by the journal is missing', async () => {
  const { store, data, database, state } = await openFailing(null);
  const at = events.findIndex(({ type }) => type === 'run-queue');
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, at + 1)));
  await store.conversations({ limit: 1 });
  state.fault = new DiskFull('/data', 0);
  await store.commit([{ event: { ...events[at]!, runId: idOf(900), seq: at + 2 } }]);
  await database.query('DELETE envelope RETURN NONE');
  await expect(startAgain(data, database)).rejects.toBeInstanceOf(StoreDamaged);
});

test('compares the journal with the store event by event', async () => {
  const { store, database, state, data } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, 3)));
  const stateOf = { isOwn: true, replayed: 0 };
  await store.conversations({ limit: 1 });
  expect(await store.journal.state()).toEqual({ ...stateOf, waiting: 0, waitingBytes: 0 });
  state.fault = new DiskFull('/data', 0);
  await store.commit(eventItems(events.slice(3)));
  expect(await store.journal.state()).toMatchObject({ ...stateOf, waiting: 1 });
  expect((await store.journal.state())?.waitingBytes).toBeGreaterThan(100);
  const whole = { events: events.length, notStored: [], different: [], isDamaged: false };
  expect(await store.journal.check()).toEqual(whole);
  state.fault = null;
  await store.conversations({ limit: 1 });
  await database.query('DELETE event RETURN NONE');
  const ranges = [{ from: 1, to: events.length }];
  expect(await store.journal.check()).toEqual({ ...whole, notStored: [{ conversationId, ranges }] });
  const file = join(data, 'journal', 'a.journal');
  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([encodeHeader(idOf(5)), bytes.subarray(HEADER_BYTES)]));
  expect(await store.journal.state()).toMatchObject({ isOwn: false });
});

test('reports a journal event whose content differs in the store', async () => {
  const { store, data } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, 2)));
  const payload = encodePayload(
    {
      events: [{ event: events[1]!, json: JSON.stringify({ ...events[1]!, at: '2020-01-01T00:00:00.000Z' }) }],
      envelopes: new Map(),
    },
    [],
  );
  const file = join(data, 'journal', 'b.journal');
  const bytes = await readFile(file);
  const record = encodeRecord({ generation: 1, number: 0, previousCrc: 0 }, payload).bytes;
  record.copy(bytes, HEADER_BYTES);
  await writeFile(file, bytes.fill(0, HEADER_BYTES + record.length));
  expect(await store.journal.check()).toMatchObject({
    events: 1,
    different: [{ conversationId, ranges: [{ from: 2, to: 2 }] }],
  });
});

/** Recovers a store whose database is this one. */
async function recover(data: string, database: Closable) {
  const target = await openOn('mem');
  onTestFinished(() => target.close());
  await mkdir(join(data, 'store'), { recursive: true });
  await writeFile(join(data, 'store', 'CURRENT'), '');
  const paths = { damaged: join(data, 'store'), archive: join(data, 'archive'), journal: join(data, 'journal') };
  const store = { ...target.store, close: () => Promise.resolve() };
  const opener = { connect: () => Promise.resolve(database), openStore: () => Promise.resolve(store) };
  await buildRecovered({ ...paths, target: join(data, 'new'), schemaDir: '' }, opener, true);
  return store;
}

test('does not restore a conversation from the journal if its purge failed in the last step', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  expect(await (await recover(data, database)).conversation(conversationId)).not.toBeNull();
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  const erase = vi.spyOn(Journal.prototype, 'erase').mockRejectedValue(damaged);
  onTestFinished(() => erase.mockRestore());
  await expect(store.purge(conversationId)).rejects.toBe(damaged);
  const other = await recover(data, database);
  expect(await other.conversationIds()).toEqual([]);
  expect(await other.events(conversationId, 1, events.length)).toEqual([]);
});

test('a recovery deletes the archive of a conversation whose purge was killed', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await store.settled();
  await setPurgeIntent(join(data, 'journal'), conversationId, true);
  expect(await store.archive!.conversations()).toEqual([conversationId]);
  expect(await (await recover(data, database)).conversationIds()).toEqual([]);
  expect(await store.archive!.conversations()).toEqual([]);
});

test('the next start completes a purge of which only the intent was stored', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await setPurgeIntent(join(data, 'journal'), conversationId, true);
  await startAgain(data, database);
  expect(await openStoreOn(database).conversation(conversationId)).toBeNull();
  expect(await readPurgeIntents(join(data, 'journal'))).toEqual([]);
  expect(await readJournal(join(data, 'journal'))).toEqual([]);
});

test('a conversation that leaves the trash is not purged by the next start', async () => {
  const { store, data, database } = await openFailing(null);
  await store.commit([conversation]);
  await store.trash(conversationId, '2026-01-01T00:00:00.000Z');
  await setPurgeIntent(join(data, 'journal'), conversationId, true);
  expect(await store.restore(conversationId)).toBe(true);
  expect(await readPurgeIntents(join(data, 'journal'))).toEqual([]);
  await startAgain(data, database);
  expect(await openStoreOn(database).conversation(conversationId)).not.toBeNull();
});

/** Files of the journal that this process has open. */
async function openJournalFiles(data: string): Promise<string[]> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.startsWith(join(data, 'journal')));
}

test.runIf(process.platform === 'linux')('a failed start leaves no journal file open', async () => {
  const { store, data, database, state } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, 2)));
  state.fault = new DiskFull('/data', 0);
  await store.commit(eventItems(events.slice(2)));
  const before = await openJournalFiles(data);
  await database.query('DELETE envelope RETURN NONE');
  const broken = { ...database, query: () => Promise.reject(new Error('cannot be read')) };
  for (const opened of [{ ...database, transaction: () => Promise.reject(damaged) }, broken]) {
    const mode = { kind: 'behind', journal: join(data, 'journal') } as const;
    await expect(storeOn(opened, { folder: join(data, 'store'), mode }).recover()).rejects.toThrow();
    expect(await openJournalFiles(data)).toEqual(before);
  }
});

test('a failed start leaves no background work', async () => {
  const data = await testFolder();
  const database = await openDatabase();
  const broken = { ...database, query: () => Promise.reject(new Error('cannot be read')) };
  const [set, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  const place = { folder: join(data, 'store'), archive: join(data, 'archive') };
  /** Delays of the archive and of the history. */
  const leftDelays = () => {
    const ended = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    const left = set.mock.calls.filter((_, at) => !ended.has(set.mock.results[at]?.value as unknown));
    return left.flatMap(([, ms]) => (ms === 500 || ms === 2000 ? ms : [])).sort();
  };
  await expect(storeOn(broken, place).recover()).rejects.toThrow('cannot be read');
  expect(leftDelays()).toEqual([]);
  const { store, recover: start } = storeOn(database, place);
  onTestFinished(() => store.close());
  await start();
  expect(leftDelays()).toEqual([2000, 500]);
});

test.each([
  { part: 'first', left: ['two'] },
  { part: 'last', left: ['one'] },
])('rewrites a damaged $part part of the archived notes from the store', async ({ part, left }) => {
  const { store, data, database } = await openFailing(null);
  const note = (name: string) => {
    const row = {
      scope: 'writer',
      folder: '/home/ada',
      name,
      content: `About ${name}`,
      updatedAt: at,
      agent: 'writer',
    };
    return { table: 'memory', key: memoryKey('writer', '/home/ada', name), row } as unknown as RowChange;
  };
  const file = join(data, 'archive', 'rows.jsonl.gz');
  for (const name of ['one', 'two']) {
    await store.commit([note(name)]);
    await store.settled();
  }
  const bytes = await readFile(file);
  const flipped = part === 'first' ? 60 : bytes.length - 20;
  bytes.writeUInt8(bytes.readUInt8(flipped) ^ 0xff, flipped);
  await writeFile(file, bytes);
  await store.close();
  const read = async () => {
    const names: string[] = [];
    let damagedParts = 0;
    for await (const { member } of readMembers(file)) {
      if (!member) damagedParts += 1;
      for (const { row } of member ? parseLines(member.text) : []) names.push(String(row?.row?.['name']));
    }
    return { names: names.sort(), damagedParts };
  };
  expect(await read()).toEqual({ names: left, damagedParts: 1 });
  const { store: later, recover: start } = storeOn(database, {
    folder: join(data, 'store'),
    archive: join(data, 'archive'),
    mode: { kind: 'behind', journal: join(data, 'journal') },
  });
  onTestFinished(() => later.close());
  await start();
  await later.commit([note('three')]);
  await later.settled();
  expect(await read()).toEqual({ names: ['one', 'three', 'two'], damagedParts: 0 });
});

/** The notice of a store whose archive is newer, after `work` in it. */
async function noticeOf(data: string, database: Closable, work: (store: Store) => Promise<void>) {
  const { store, recover: start } = storeOn(database, { folder: join(data, 'store'), archive: join(data, 'archive') });
  onTestFinished(() => store.close());
  await start();
  await work(store);
  await store.settled();
  return store.notices.current?.says;
}

test('a store that is older than its archive shows a notice, and does not change the archive', async () => {
  const { store, data } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events));
  await store.settled();
  await store.close();
  const file = join(data, 'archive', `${conversationId}.jsonl.gz`);
  const before = await readFile(file);
  const outdated = [phrase('store_outdated')];
  const nothing = async () => Promise.resolve();
  expect(await noticeOf(data, await openDatabase(), nothing)).toEqual(outdated);
  // An older copy with a part of the conversation, which goes on there.
  const older = await openDatabase();
  const first = storeOn(older).store;
  await first.commit([conversation]);
  await first.commit(eventItems(events.slice(0, 3)));
  await first.conversations({ limit: 1 });
  const rename = async (later: Store) => {
    await later.commit([{ ...conversation, row: { ...conversation.row, title: 'Another title', lastSeq: 3 } }]);
  };
  expect(await noticeOf(data, older, rename)).toEqual(outdated);
  expect(await readFile(file)).toEqual(before);
});

test.each([0, 3])(
  'a store with %i events of an archived conversation restores the missing events from the archive',
  async (count) => {
    const { store, data } = await openFailing(null);
    await store.commit([conversation]);
    await store.commit(eventItems(events));
    await store.settled();
    await store.close();
    const [older, complete] = [await openDatabase(), await openDatabase()];
    const first = storeOn(older).store;
    if (count > 0) await first.commit([conversation]);
    await first.commit(eventItems(events.slice(0, count)));
    await first.conversations({ limit: 1 });
    const causes: string[] = [];
    const openRecovered: OpenRecovered = async (_, cause) => {
      causes.push(cause);
      const other = storeOn(complete).store;
      await restoreFromSources(other, [readArchive(join(data, 'archive'))]);
      await other.conversations({ limit: 1 });
      return { database: complete, folder: join(data, 'other') };
    };
    const { store: later, recover: start } = storeOn(older, {
      folder: join(data, 'store'),
      archive: join(data, 'archive'),
      openRecovered,
    });
    onTestFinished(() => later.close());
    await start();
    await later.settled();
    expect(causes).toEqual(['older']);
    expect(await later.events(conversationId, 1, 999)).toEqual(events);
    expect(later.notices.current).toBeNull();
  },
);

test('does not report an event as missing in the archive if the store also lacks the event', async () => {
  const { store } = await openFailing(null);
  await store.commit([conversation]);
  await store.restoreEvents(events.filter(({ seq }) => seq !== 3));
  await store.settled();
  expect(await store.archive?.check(conversationId)).toMatchObject({ events: events.length - 1, notArchived: [] });
});

test('a conversation continues after its restored events', async () => {
  const { store } = await openFailing(null);
  const [first, ...others] = events;
  await store.commit([conversation]);
  await store.commit([{ event: first! }]);
  await store.restoreEvents(others);
  const next = { ...events.at(-1)!, seq: events.length + 1 };
  await store.commit([{ event: next }]);
  expect(await store.events(conversationId, 1, 999)).toEqual([...events, next]);
});

test('a store that is older than its journal and has no archive reports damage with a solution', async () => {
  const { store, data, database, state } = await openFailing(null);
  await store.commit([conversation]);
  await store.conversations({ limit: 1 });
  await store.commit([{ ...conversation, row: { ...conversation.row, title: 'Second generation' } }]);
  await store.conversations({ limit: 1 });
  state.fault = new DiskFull('/data', 0);
  await store.commit([{ ...conversation, row: { ...conversation.row, title: 'Third generation' } }]);
  await database.query('UPDATE meta:journal SET applied = 0');
  expect(await startAgain(data, database)).toMatchObject({ damage: 'database' });
  expect(sentenceOf(phrase('journal_damaged', { part: 'database' }))).toContain('Put the newer store back, or restore');
});

test('a list read during a replay waits for the whole replay', async () => {
  const { store, data, database, state } = await openFailing(null);
  state.fault = new DiskFull('/data', 0);
  await store.commit([conversation]);
  for (const event of events) await store.commit([{ event }]);
  const next = storeOn(database, { mode: { kind: 'behind', journal: join(data, 'journal') } });
  onTestFinished(() => next.store.close());
  let isReplaying = true;
  const replay = next.recover().finally(() => (isReplaying = false));
  while (isReplaying) expect((await next.store.conversations({ limit: 1 })).items).toHaveLength(1);
  await replay;
  expect(next.store.lost.aborted).toBe(false);
  expect(await next.store.events(conversationId, 1, 999)).toEqual(events);
  expect(await startAgain(data, database)).toEqual({ setAside: null, damage: null });
});

test('a failed replay flushes nothing, so the next start replays everything', async () => {
  const { store, data, database, state } = await openFailing(null);
  await store.commit([conversation]);
  await store.commit(eventItems(events.slice(0, 3)));
  await store.conversations({ limit: 1 });
  state.fault = new DiskFull('/data', 0);
  await store.commit([{ ...conversation, key: idOf(800), row: { ...conversation.row, id: idOf(800) } }]);
  await store.commit(eventItems(events.slice(3)));
  let queries = 0;
  const broken: Closable = {
    ...database,
    query: (sql, values) => (++queries > 4 ? Promise.reject(new Error('cannot be read')) : database.query(sql, values)),
  };
  const next = storeOn(broken, { mode: { kind: 'behind', journal: join(data, 'journal') } });
  const replay = expect(next.recover()).rejects.toThrow('cannot be read');
  await expect(next.store.conversations({ limit: 1 })).rejects.toThrow('cannot be read');
  await replay;
  expect(await startAgain(data, database)).toEqual({ setAside: null, damage: null });
  expect(await openStoreOn(database).events(conversationId, 1, 999)).toEqual(events);
});
