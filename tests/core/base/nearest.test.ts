/** Suggestions for mistyped names. */
import { expect, test } from 'vitest';
import { nearest } from '#core/base/nearest.ts';

const PERMISSIONS = ['FilesystemRead', 'FilesystemWrite', 'DatabaseRead', 'DatabaseWrite', 'NetworkAccess', 'Execute'];

test.each([
  ['ReadFilesystem', 'FilesystemRead'],
  ['WriteDatabase', 'DatabaseWrite'],
  ['write_databse', 'DatabaseWrite'],
  ['ReadFileSystem', 'FilesystemRead'],
  ['access-network', 'NetworkAccess'],
  ['FilesystemRaed', 'FilesystemRead'],
])('suggests the name with the same parts: %s → %s', (typed, meant) => {
  expect(nearest(typed, PERMISSIONS)).toBe(meant);
});

test('prefers a name with equal word order, and suggests nothing for unrelated names', () => {
  expect(nearest('max_turns', ['turns_max', 'max_turn'])).toBe('max_turn');
  expect(nearest('file_read', ['read_files', 'write_file', 'file_reed'])).toBe('file_reed');
  expect(nearest('WriteEverything', PERMISSIONS)).toBe(null);
  expect(nearest('model.mine.providers', ['providers.mine.model'])).toBe(null);
  expect(nearest('zzz', PERMISSIONS)).toBe(null);
});
