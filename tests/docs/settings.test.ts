// docs/settings.md lists every key of the settings, with its default and its bounds.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SettingRow } from '#contract/view.ts';
import { checkPrices } from '#core/model/prices.ts';
import { checkSettings, settingRows } from '#core/settings/settings.ts';

const document = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');

function lineOf({ path, kind, description, default: usual, min, max, choices }: SettingRow): string {
  const numbers = max === null ? '' : min === null ? `, up to ${max}` : `, ${min} to ${max}`;
  const what = choices ? choices.map((choice) => `\`${choice}\``).join(' or ') : `${kind}${numbers}`;
  return `| \`${path}\` | ${what} | ${usual === null ? 'not set' : `\`${usual}\``} | ${description} |`;
}

function defaults(): SettingRow[] {
  const result = checkSettings('');
  if (!result.ok) throw new Error('The defaults do not fit');
  return settingRows(result.value);
}

test('every key stands in the document, as the program has it, in its order', () => {
  const listed = document.split('\n').filter((line) => /^\| `/.test(line));
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  expect(listed.map(cells)).toEqual(defaults().map((row) => cells(lineOf(row))));
});

test('the example fits', () => {
  const example = /```toml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
  expect(example).toContain('[limits]');
  expect(checkSettings(example)).toMatchObject({ ok: true });
  const prices = /## Prices[\s\S]*?```toml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
  expect(checkPrices(prices)).toMatchObject({ ok: true, value: { version: '2026-11-02' } });
});
