/** Events that lie together in rows are read as if each had a row of its own. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { idOf, lead } from '../../../support/recording.ts';
import { openOn, openStoreOn } from '../support.ts';
import { inFullRun, samples } from '../../../support/samples.ts';
import { eventItems } from '../../../support/commit-items.ts';

async function opened() {
  const it = await openOn('mem');
  onTestFinished(() => it.close());
  return it;
}

function events(conversationId: string, from: number, count: number, text = ''): DurableEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...lead,
    conversationId,
    at: '2026-01-01T00:00:00.000Z',
    seq: from + index,
    type: 'notice',
    level: 'info',
    text: `${from + index} ${text}`,
  }));
}

test('returns any range of events after any commits to several conversations', async () => {
  const { store } = await opened();
  let conversations = 0;
  const commits = fc.array(fc.record({ a: fc.nat(70), b: fc.nat(3), size: fc.constantFrom(1, 30_000) }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(commits, fc.nat(150), fc.nat(80), async (sizes, from, length) => {
      const [a, b] = [idOf(1000 + conversations++), idOf(1000 + conversations++)];
      const all = new Map<string, DurableEvent[]>([
        [a, []],
        [b, []],
      ]);
      for (const { a: ofA, b: ofB, size } of sizes) {
        const batch = [a, b].flatMap((id) => {
          const before = all.get(id) ?? [];
          const more = events(id, before.length + 1, id === a ? ofA : ofB, 'x'.repeat(size));
          before.push(...more);
          return more;
        });
        // Those of one conversation stand between those of the other.
        await store.commit(eventItems(batch.toSorted((x, y) => x.seq - y.seq)));
      }
      for (const [id, expected] of all) {
        expect(await store.lastSeq(id)).toBe(expected.length);
        const range = expected.filter(({ seq }) => seq >= from && seq <= from + length);
        expect(await store.events(id, from, from + length)).toEqual(range);
      }
    }),
    samples(2, 40),
  );
});

test('events after a damaged row are found', async () => {
  const { store, database } = await opened();
  const id = idOf(7);
  const allEvents = events(id, 1, 6);
  for (const commit of [allEvents.slice(0, 3), allEvents.slice(3)]) await store.commit(eventItems(commit));
  const row = database.record('event', [id, 1]);
  await database.query('UPDATE $row SET text = <bytes>"x"', { row });
  // Like the engine, ends a range at a damaged row without an error.
  const query = async (sql: string, values = {}) =>
    (await database.query(sql, values)).map((result) => {
      const rows = result as ArrayBuffer[];
      const end = rows.findIndex(({ byteLength }) => byteLength === 1);
      return end < 0 ? rows : rows.slice(0, end);
    });
  expect(await openStoreOn({ ...database, query }).events(id, 1, 6)).toEqual(allEvents.slice(3));
});

test('rejects a second writer that continues from a used event number', async () => {
  const { store } = await opened();
  await store.commit(eventItems(events(idOf(7), 1, 3)));
  await expect(store.commit(eventItems(events(idOf(7), 1, 1)))).rejects.toMatchObject({ code: 'store_failed' });
  expect(await store.lastSeq(idOf(7))).toBe(3);
});

test('a changed row returns no events or the correct events, never wrong events', async () => {
  const { store, database } = await opened();
  const id = idOf(7);
  const some = events(id, 1, 3, 'heron, ibis, stork');
  await store.commit(eventItems(some));
  const [[row]] = (await database.query('SELECT VALUE text FROM event')) as [[ArrayBuffer]];
  const text = Buffer.from(row);
  // The last bytes are the checksum itself.
  for (let at = 0; at < text.length - 4; at += inFullRun ? 3 : 13) {
    const changed = Uint8Array.from(text, (byte, index) => (index === at ? byte ^ 1 : byte));
    await database.query('UPDATE event SET text = $changed RETURN NONE', { changed });
    expect([[], some], `byte ${at}`).toContainEqual(await store.events(id, 1, 3));
  }
  await database.query('UPDATE event SET text = $changed RETURN NONE', { changed: text.subarray(0, -20) });
  expect(await store.events(id, 1, 3)).toEqual([]);
});
