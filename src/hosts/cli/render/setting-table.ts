/** Settings as a table. Pure. */
import type { ExplainedSetting, SettingOrigin } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import { truncate } from '../terminal/truncate.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { settingValue } from './setting-value.ts';

export function settingTable(rows: readonly SettingRow[], width: number): string[] {
  const columns = [{ title: 'SETTING' }, { title: 'VALUE', min: 8 }, { title: 'WHAT IT IS', rank: 1, min: 20 }];
  const cells = rows.map((row) => [
    row.path,
    `${inLine(row.value)}${row.value === row.default ? '' : ' *'}`,
    visible(row.description),
  ]);
  return table(columns, cells, width);
}

/** Of a value whose origin is asked for. */
const VALUE_CHARS = 48;

/** With where each value comes from, and below it what does not hold. */
export function originTable(rows: readonly ExplainedSetting[], width: number): string[] {
  const columns = [{ title: 'SETTING' }, { title: 'VALUE', min: 8 }, { title: 'FROM', min: 20 }];
  const cells = rows.flatMap(({ path, value, origin, others }) => [
    [path, truncate(inLine(value), VALUE_CHARS), originWords(origin)],
    ...others.map((one) => [
      '',
      `(${truncate(inLine(one.value), VALUE_CHARS)})`,
      `${originWords(one.origin)}: does not hold, because ${one.why}`,
    ]),
  ]);
  return table(columns, cells, width);
}

function originWords(origin: SettingOrigin): string {
  if (origin.from === 'default') return 'default';
  if (origin.from === 'environment') return `environment: ${origin.variable}`;
  const place = visible(origin.line === null ? origin.file : `${origin.file}:${origin.line}`);
  return origin.from === 'builtin' ? `${place} (comes with Triad)` : place;
}

/** The first line of a text. */
function inLine(value: SettingRow['value']): string {
  if (typeof value !== 'string' || !value.includes('\n')) return settingValue(value);
  return `${visible(value.slice(0, value.indexOf('\n')))} …`;
}
