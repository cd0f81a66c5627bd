/** Looks into settings as people name them. */
import type { Settings } from '#core/settings/settings.ts';

/** The value at a dotted path: of one key, or of a whole table; undefined for an unknown one. */
export function settingAt(settings: Settings, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((table, key) => (table as Record<string, unknown> | undefined)?.[key], settings);
}
