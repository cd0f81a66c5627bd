/** The value of a setting as a person reads it. Pure. */
import type { SettingRow } from '#contract/view.ts';
import { visible } from '../terminal/visible.ts';

export function settingValue(value: SettingRow['value']): string {
  return value === null ? '(not set)' : visible(String(value));
}
