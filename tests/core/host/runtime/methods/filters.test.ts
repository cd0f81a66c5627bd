/** Filters of the history that a person keeps: in their settings, by name. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '#core/settings/settings.ts';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { filterMethods } from '#core/host/runtime/methods/history.ts';
import { folderWith } from '../../../../support/workspace.ts';

test('saves, replaces, renames and removes a history filter, and keeps the rest of the settings file', async () => {
  const said = '# Mine.\n[limits]\nmax_sub_agents = 2 # Enough.\n';
  const config = await folderWith({ 'config.toml': said });
  const methods = filterMethods(new LiveSettings(config, await loadSettings(config)));
  const file = () => readFile(join(config, 'config.toml'), 'utf8');
  expect(await methods['filter.list']({})).toEqual([]);
  const save = (filter: { name: string; query: string; was?: string }) => methods['filter.save'](filter);
  await save({ name: 'failed "twice"', query: '?outcome=error' });
  expect(await save({ name: 'Costly', query: '?cost=1&sort=cost' })).toEqual([
    { name: 'Costly', query: '?cost=1&sort=cost' },
    { name: 'failed "twice"', query: '?outcome=error' },
  ]);
  expect(await file()).toContain(said.trimEnd());
  expect(await save({ name: 'Costly', query: '?cost=2' })).toHaveLength(2);
  expect(await save({ name: 'Dear', query: '?cost=2', was: 'Costly' })).toEqual([
    { name: 'Dear', query: '?cost=2' },
    { name: 'failed "twice"', query: '?outcome=error' },
  ]);
  // As another program, or the next start, reads them.
  expect((await loadSettings(config)).history.filters).toEqual({ Dear: '?cost=2', 'failed "twice"': '?outcome=error' });
  await methods['filter.remove']({ name: 'failed "twice"' });
  expect(await methods['filter.remove']({ name: 'Dear' })).toEqual([]);
  expect((await file()).trimEnd()).toBe(said.trimEnd());
});
