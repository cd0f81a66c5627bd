/** What a model writes at most, by the name that anybody may have chosen. */
import { expect, test } from 'vitest';
import { maxOutputOf } from '#core/model/output-limits.ts';

test('finds the output limit of a model id with a date, and none for names of object properties', () => {
  expect(maxOutputOf('claude-haiku-4-5-20251001')).toBe(64_000);
  for (const name of ['constructor-20250101', 'toString', '__proto__', 'some-model-1'])
    expect(maxOutputOf(name)).toBeNull();
});
