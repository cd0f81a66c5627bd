// The pages of docs/ list every key with its default, its bounds and what it does, as the program has them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/docs.ts';
import { checkPrices } from '#core/model/prices.ts';
import { checkSettings, settingPaths } from '#core/settings/settings.ts';

const document = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');

/** Without the blanks that fill up the cells of a table. */
const cellsOf = (page: string): string[] =>
  page.split('\n').map((line) => (line.startsWith('|') ? line.replaceAll(/ +|-+/g, ' ') : line));

test.for([...generatedPages()])(
  'the tables of docs/%s.md are as `node scripts/docs.ts` writes them',
  ([, { is, shouldBe }]) => {
    expect(cellsOf(is)).toEqual(cellsOf(shouldBe));
  },
);

test('the table lists exactly the settings of the program', () => {
  const listed = [...document.matchAll(/^\| `([\w.]+)`/gm)].map(([, path]) => path);
  expect(listed).toEqual(settingPaths());
});

test('the example settings and prices are valid', () => {
  const example = /```toml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
  expect(example).toContain('[limits]');
  expect(checkSettings(example)).toMatchObject({ ok: true });
  const prices = /## Prices[\s\S]*?```toml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
  expect(checkPrices(prices)).toMatchObject({ ok: true, value: { version: '2026-11-02' } });
});
