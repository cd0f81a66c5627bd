/** The files that a call changed, for the person and for the model. */
import { expect, test } from 'vitest';
import type { ChangeSet } from '#contract/change.ts';
import { changedMetadata, changedNames } from '#core/tools/changed-files.ts';

/** A change set with files `f0`, `f1`, and so on. */
const changed = (count: number, notKept: string[] = []): ChangeSet =>
  ({ files: Array.from({ length: count }, (_, n) => ({ path: `f${n}` })), notKept }) as unknown as ChangeSet;

test('the metadata lists the first file, the other files and the files without a stored copy', () => {
  expect(changedMetadata(null)).toEqual({});
  expect(changedMetadata(changed(0))).toEqual({});
  expect(changedMetadata(changed(1))).toEqual({ path: 'f0', undoable: true });
  expect(changedMetadata(changed(0, ['x']))).toEqual({ notKept: ['x'] });
  expect(changedMetadata(changed(3))).toEqual({ path: 'f0', undoable: true, also: ['f1', 'f2'], files: 3 });
  const many = changedMetadata(changed(1002, Array<string>(1001).fill('x')));
  expect(many).toMatchObject({ files: 1002 });
  expect([many['also'], many['notKept']].map((paths) => (paths as string[]).length)).toEqual([1000, 1000]);
});

test('the model gets the names of the first ten files and the number of the remaining files', () => {
  expect(changedNames(changed(2))).toBe('f0, f1');
  expect(changedNames(changed(10))).toMatch(/^f0, .*, f9$/);
  expect(changedNames(changed(12))).toMatch(/^f0, .*, f9 and 2 more$/);
});
