/** The list of attacks in SECURITY.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';

test('SECURITY.md lists each attack with its counts', () => {
  const text = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('Attacks')) ?? '';
  const areas = [...section.matchAll(/^- \*\*(.+?)\*\*: (.+)\.$/gm)].map(([, area = '', list = '']) => [
    area,
    list.split('; ').map((item) => {
      const [, name, short, full] = /^(.+) (\d+)\/(\d+)$/.exec(item) ?? [];
      return { name, short: Number(short), full: Number(full) };
    }),
  ]);
  expect(Object.fromEntries(areas)).toEqual(ATTACKS);
});

test('each listed attack has one test', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const inBrowser = '../../e2e/shell/planted-origin.spec.ts';
  const source = [...files, inBrowser].map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
  const declared = [...source.matchAll(/(?:\b(?:a|longA)ttack\(\s*'|\btest\(\s*'withstands )([^']+)'/g)].map(
    ([, name]) => name,
  );
  expect(declared.sort()).toEqual(
    Object.values(ATTACKS)
      .flat()
      .map(({ name }) => name)
      .sort(),
  );
});
