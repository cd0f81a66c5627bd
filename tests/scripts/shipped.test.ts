/** What is shipped: only what the app is made of. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BUILD = join(import.meta.dirname, '../../build');
const files = readdirSync(BUILD, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(js|css|html)$/.test(path));
const having = (words: string) => files.filter((path) => readFileSync(join(BUILD, path), 'utf8').includes(words));

test('the component gallery is not shipped', () => {
  expect(having('has-meta'), 'what is looked through is the client').not.toEqual([]);
  expect(having('data-gallery')).toEqual([]);
});
