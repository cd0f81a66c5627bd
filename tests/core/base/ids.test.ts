/** Ids are UUIDs in order, and no two share their randomness. */
import { expect, test } from 'vitest';
import { advanceIdsPast, newId } from '#core/base/ids.ts';

test('thousands of new ids are in order, and their random parts are all different', () => {
  const ids = Array.from({ length: 3000 }, () => newId());
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  );
  expect(ids.filter((id, index) => index > 0 && id <= ids[index - 1]!)).toEqual([]);
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
});

test('new ids sort after earlier and stored ids, also when the clock goes back', () => {
  const now = Date.now();
  const first = newId(now);
  const second = newId(now - 86_400_000);
  expect(second > first).toBe(true);
  // A stored id of another process whose clock was ahead.
  const storedId = `${(now + 1000)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7001-8000-000000000000`;
  advanceIdsPast(storedId);
  expect(newId(now) > storedId).toBe(true);
});
