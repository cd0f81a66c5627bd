/** Ids are UUIDs in order, and no two share their randomness. */
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';

test('thousands made at once are in order, and none has the random part of another', () => {
  const ids = Array.from({ length: 3000 }, () => newId());
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  );
  expect(ids.filter((id, index) => index > 0 && id <= ids[index - 1]!)).toEqual([]);
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
});
