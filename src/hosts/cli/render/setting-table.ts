/** Settings as a table. Pure. */
import type { SettingRow } from '#contract/view.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { settingValue } from './setting-value.ts';

export function settingTable(rows: readonly SettingRow[], width: number): string[] {
  const columns = [{ title: 'SETTING' }, { title: 'VALUE', min: 8 }, { title: 'WHAT IT IS', rank: 1, min: 20 }];
  const cells = rows.map((row) => [
    row.path,
    `${settingValue(row.value)}${row.value === row.default ? '' : ' *'}`,
    visible(row.description),
  ]);
  return table(columns, cells, width);
}
