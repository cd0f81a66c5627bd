/** What a copy lacks: nothing where work runs, is in the trash or is being deleted; and what only events still name. */
import { expect, test } from 'vitest';
import { countsOf } from '#contract/missing-text.ts';
import { lacksOf } from '#core/store/backups/lacks.ts';
import { Conversation } from '../finished.ts';
import { openOn } from '../support.ts';

const NO_COUNTS = { conversations: 0, workflows: 0, events: 0 };
const ALL = { conversations: 99, workflows: 99, events: 999 };

test('reports nothing missing in a complete store with running, trashed or purged work', async () => {
  const opened = await openOn('mem');
  const { store, database } = opened;
  expect(await lacksOf(database, NO_COUNTS)).toEqual([]);
  const [running, trashed, purged] = [new Conversation(store), new Conversation(store), new Conversation(store)];
  for (const one of [running, trashed, purged]) await (await one.create()).add({ children: [{ agent: 'helper' }] });
  await new Conversation(store).create();
  await running.add({ outcome: null });
  for (const { row } of [trashed, purged]) await store.trash(row.id, '2026-03-02T00:00:00.000Z');
  await store.purge(purged.row.id);
  expect(await lacksOf(database, ALL)).toEqual([]);
  await store.settled();
  expect(await lacksOf(database, ALL)).toEqual([]);
  // The totals count each row once, and no row that was purged.
  expect(await store.unlisted()).toEqual({ conversations: 0, workflows: 0 });
  await opened.close();
});

test('reports conversations whose rows are missing, and rows that no list returns', async () => {
  const opened = await openOn('mem');
  const { store, database } = opened;
  const conversation = await new Conversation(store).create();
  await conversation.add();
  const events = await store.lastSeq(conversation.row.id);
  // A list shows all rows: they are flushed.
  await store.conversations({ limit: 1 });
  expect(countsOf(await lacksOf(database, { conversations: 1, workflows: 1, events }))).toBeNull();
  expect(countsOf(await lacksOf(database, NO_COUNTS))).toBe(`1 record, 1 workflow and ${events} events`);
  await database.query('DELETE conversation; DELETE workflow;');
  expect(countsOf(await lacksOf(database, { conversations: 0, workflows: 0, events }))).toMatch(/record|workflow/);
  await opened.close();
});

test('rows that are missing from the index of a list are counted', async () => {
  const openedStore = await openOn('mem');
  await (await new Conversation(openedStore.store).create()).add();
  await openedStore.store.conversations({ limit: 1 });
  await openedStore.database.query("UPDATE conversation SET place = ''; UPDATE workflow SET place = '';");
  expect(await openedStore.store.unlisted()).toEqual({ conversations: 1, workflows: 1 });
  await openedStore.close();
});
