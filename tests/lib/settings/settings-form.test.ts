/** The settings on the screen: as they hold in a folder, saved one by one, and always the newest answer. */
import { describe, expect, it } from 'vitest';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import { App } from '#lib/app/app.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { isHeld, ownValue, SettingsForm } from '#lib/settings/settings-form.svelte.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const FILE = '/home/config.toml';
const rowOf = (parts: Partial<ExplainedSetting> = {}): ExplainedSetting => ({
  path: 'limits.max_concurrent',
  kind: 'integer',
  description: 'How many.',
  value: 3,
  default: 3,
  min: 1,
  max: 3,
  choices: null,
  origin: { from: 'default' },
  others: [],
  ...parts,
});

function formOf(connection: FakeConnection): SettingsForm {
  connection.status = 'closed';
  const toasts = { info: () => undefined, error: () => undefined, offer: () => undefined };
  return new SettingsForm(new App(connection, toasts));
}

describe('SettingsForm', () => {
  it('saves a setting, then reloads all settings of the folder', async () => {
    let value = 3;
    const connection = new FakeConnection()
      .on('settings.explain', () => [
        rowOf({ value, origin: value === 3 ? { from: 'default' } : { from: 'user', file: FILE, line: 2 } }),
      ])
      .on('settings.set', (input) => {
        value = input.value as number;
        return [];
      });
    const form = formOf(connection);
    await form.load('/project');
    expect(form.rows.map(ownValue)).toEqual([null]);
    expect(await form.set('limits.max_concurrent', 2)).toBe('');
    expect(form.rows.map(ownValue)).toEqual([2]);
    const asked = connection.calls.filter(({ method }) => method === 'settings.explain').map(({ input }) => input);
    expect(asked).toEqual([{ folder: '/project' }, { folder: '/project' }]);
  });

  it('reports why a value was rejected, without the path of the setting', async () => {
    const connection = new FakeConnection().on('settings.set', () => {
      throw new RequestError('bad_input', 'limits.max_concurrent must be at most 3');
    });
    expect(await formOf(connection).set('limits.max_concurrent', 9)).toBe('must be at most 3');
  });

  it('shows the last requested folder, even if an earlier request answers later', async () => {
    const answers = new Map<string, (rows: ExplainedSetting[]) => void>();
    const connection = new FakeConnection().on(
      'settings.explain',
      ({ folder = '' }) => new Promise((resolve) => answers.set(folder, resolve)),
    );
    const form = formOf(connection);
    const loads = [form.load('/a'), form.load('/b')];
    await Promise.resolve();
    answers.get('/b')?.([rowOf({ value: 2 })]);
    answers.get('/a')?.([rowOf({ value: 1 })]);
    await Promise.all(loads);
    expect(form.rows.map(({ value }) => value)).toEqual([2]);
  });

  it('loads without a folder that no longer exists, and reports any other failure', async () => {
    const connection = new FakeConnection().on('settings.explain', ({ folder }) => {
      if (folder === '/gone') throw new RequestError('bad_input', '/gone is not a folder that can be read');
      if (folder === '/bad') throw new RequestError('internal', 'Broken');
      return [rowOf()];
    });
    const form = formOf(connection);
    await form.load('/gone');
    expect([form.rows.length, form.failure]).toEqual([1, null]);
    await form.load('/bad');
    expect(form.failure?.message).toBe('Broken');
  });

  it('isHeld is true for values from the environment or a project', () => {
    const origins: ExplainedSetting['origin'][] = [
      { from: 'default' },
      { from: 'user', file: FILE, line: 1 },
      { from: 'environment', variable: 'X' },
      { from: 'project', file: '/p/.triad/config.toml', line: 1 },
    ];
    expect(origins.map((origin) => isHeld(rowOf({ origin })))).toEqual([false, false, true, true]);
  });
});
