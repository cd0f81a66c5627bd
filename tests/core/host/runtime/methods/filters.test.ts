/** Filters of the history that a person keeps: in their settings, by name. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Script } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { settingsOf } from '../../../../support/settings/settings-of.ts';

const SETTINGS = '# Mine.\n[limits]\nmax_sub_agents = 2 # Enough.\n';
const { start, configFolder } = sharedEngine(SETTINGS);

test('saves, replaces, renames and removes a history filter, and keeps the rest of the settings file', async () => {
  const { runtime } = await start(new Script());
  const file = () => readFile(join(configFolder, 'config.toml'), 'utf8');
  expect(await runtime.request('filter.list', {})).toEqual([]);
  const save = (filter: { name: string; query: string; was?: string }) => runtime.request('filter.save', filter);
  await save({ name: 'failed "twice"', query: '?outcome=error' });
  expect(await save({ name: 'Costly', query: '?cost=1&sort=cost' })).toEqual([
    { name: 'Costly', query: '?cost=1&sort=cost' },
    { name: 'failed "twice"', query: '?outcome=error' },
  ]);
  expect(await file()).toContain(SETTINGS.trimEnd());
  expect(await save({ name: 'Costly', query: '?cost=2' })).toHaveLength(2);
  expect(await save({ name: 'Dear', query: '?cost=2', was: 'Costly' })).toEqual([
    { name: 'Dear', query: '?cost=2' },
    { name: 'failed "twice"', query: '?outcome=error' },
  ]);
  // As another program, or the next start, reads them.
  expect(settingsOf(await file()).history.filters).toEqual({ Dear: '?cost=2', 'failed "twice"': '?outcome=error' });
  await runtime.request('filter.remove', { name: 'failed "twice"' });
  expect(await runtime.request('filter.remove', { name: 'Dear' })).toEqual([]);
  expect((await file()).trimEnd()).toBe(SETTINGS.trimEnd());
});
