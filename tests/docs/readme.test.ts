/** The README tells where things are: every room, and only files that are there. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOMS, roomsIn } from '../../scripts/rooms.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'README.md'), 'utf8');
const codes = [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

test.for(Object.entries(ROOMS))('names every room of %s', ([, order]) => {
  const missing = roomsIn(order).filter((room) => !codes.includes(room.includes('.') ? room : `${room}/`));
  expect(missing).toEqual([]);
});

test('names only files that are there', () => {
  const paths = codes.filter((code) => /^(src|electron|scripts|tests|e2e|docs)\/[^ ]+$/.test(code));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((one) => !existsSync(path.join(root, one)))).toEqual([]);
});

test('answers where to look with a room of core and files in it', () => {
  const [, table = ''] = page.split('### Where would you look?');
  const rows = [...table.matchAll(/^\|[^|]+\| `(\w+\/)`: ([^|]+)\|$/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(10);
  const files = rows.flatMap(([, room, list = '']) =>
    [...list.matchAll(/`([^`]+)`/g)].map(([, file]) => `${room}${file}`),
  );
  expect(files.filter((file) => !existsSync(path.join(root, 'src/core', file)))).toEqual([]);
});
