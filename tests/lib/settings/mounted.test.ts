// Parts of the settings page, mounted without a browser.
import { expect, it } from 'vitest';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import { Contrast } from '#lib/settings/contrast.svelte.ts';
import MemoryNotes from '#lib/settings/memory-notes.svelte';
import SearchKey from '#lib/settings/search-key.svelte';
import SettingField from '#lib/settings/setting-field.svelte';
import type { SettingsForm } from '#lib/settings/settings-form.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { TextSize } from '#lib/settings/text-size.svelte.ts';
import { mountInApp, useDocument } from '../support/dom.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { storage } from '../support/storage.ts';

const system = Object.assign(new EventTarget(), { matches: false });
useDocument(() => ({ localStorage: storage(), matchMedia: () => system }));

const FIELD = 'input:not([type=checkbox])';

async function mountField(parts: Partial<ExplainedSetting> = {}, refusal = '') {
  const row: ExplainedSetting = {
    path: 'limits.max_sub_agents',
    kind: 'integer',
    description: 'How many.',
    value: 2,
    default: 3,
    min: 1,
    max: 3,
    choices: null,
    origin: { from: 'user', file: '/home/config.toml', line: 2 },
    others: [],
    ...parts,
  };
  const savedValues: SettingRow['value'][] = [];
  const setValue = (_path: string, value: SettingRow['value']) => {
    savedValues.push(value);
    return Promise.resolve(refusal);
  };
  const page = await mountInApp(SettingField, { form: { set: setValue } as SettingsForm, row, folder: '' });
  return { page, savedValues, field: page.find<HTMLInputElement>(FIELD) };
}

it.each(['9', 'long', '1.5'])(
  'a value that does not fit stays in its field with the reason, and is not sent: %s',
  async (value) => {
    const { page, savedValues, field } = await mountField();
    await page.write(FIELD, value);
    expect(page.find('[role=status]').textContent).toContain('Write a whole number from 1 to 3.');
    expect([field.value, field.getAttribute('aria-invalid'), savedValues]).toEqual([value, 'true', []]);
  },
);

it('a value that the program rejects stays in its field with the reason', async () => {
  const { page, field } = await mountField({}, 'must be at most 2');
  await page.write(FIELD, '3');
  expect(page.find('[role=status]').textContent).toContain('Sub-agents per workflow must be at most 2');
  expect(field.value).toBe('3');
});

it('a saved value can be undone, and reset to the default', async () => {
  const { page, savedValues } = await mountField();
  await page.write(FIELD, '1');
  expect(page.find('[role=status]').textContent).toContain('Saved.');
  await page.press('Undo: Sub-agents per workflow');
  await page.press('Reset to 3: Sub-agents per workflow');
  expect(savedValues).toEqual([1, 2, null]);
});

it.each([
  { from: 'environment', variable: 'X' },
  { from: 'project', file: '/p/.triad/config.toml', line: 1 },
] as const)('a value that overrides the user settings cannot be edited or reset: $from', async (origin) => {
  const { page, field } = await mountField({ origin });
  expect(field.readOnly).toBe(true);
  expect(page.buttons).toEqual([]);
});

it('shows the value that a project requests, with a link to trust its file', async () => {
  const { page } = await mountField({
    others: [
      { value: 1, origin: { from: 'project', file: '/p/.triad/config.toml', line: 1 }, reason: 'untrusted', why: '' },
    ],
  });
  expect(page.text).toContain('The project wants 1: nobody has trusted its file');
  expect(page.find('a').getAttribute('href')).toMatch(/^\/agents\?trust/);
});

it('deletes a note of an agent after a second press', async () => {
  const note = {
    scope: 'lead',
    folder: '/p',
    name: 'habits',
    text: 'Likes short answers.',
    updatedAt: '2026-01-02T03:04:05.000Z',
  };
  let notes = [note];
  const connection = new FakeConnection()
    .on('memory.list', () => notes as never)
    .on('memory.delete', () => ((notes = []), {}) as never);
  const page = await mountInApp(MemoryNotes, {}, { connection });
  expect(page.text).toContain('Likes short answers.');
  await page.press('Delete');
  await page.press('Keep');
  await page.press('Delete');
  expect(notes).toHaveLength(1);
  await page.press('Delete for good');
  expect(page.text).toContain('No agent has kept a note yet.');
});

it('applies the chosen text size at once and at the next start', () => {
  const getSize = () => document.documentElement.dataset['textSize'];
  const sizes = new TextSize();
  expect(getSize()).toBe('normal');
  sizes.set('large');
  expect(getSize()).toBe('large');
  sizes.set('small');
  document.documentElement.dataset['textSize'] = '';
  expect(new TextSize().value).toBe('small');
  expect(getSize()).toBe('small');
});

it('follows the contrast of the system until one is chosen, also at the next start', () => {
  const getContrast = () => document.documentElement.dataset['contrast'];
  const change = (matches: boolean) => {
    system.matches = matches;
    system.dispatchEvent(new Event('change'));
  };
  const first = new Contrast();
  expect(getContrast()).toBe('normal');
  change(true);
  expect(getContrast()).toBe('more');
  first.set('normal');
  expect(getContrast()).toBe('normal');
  first.stop();
  const next = new Contrast();
  change(true);
  expect([next.value, getContrast()]).toEqual(['normal', 'normal']);
  next.set('more');
  change(false);
  expect(getContrast()).toBe('more');
});

it('stores the key of a search for its host, and shows the reason if a key is not stored', async () => {
  let host: string | null = null;
  const state = (keyOf: string | null) => ({ host, keyOf, place: 'file' as const });
  const connection = new FakeConnection()
    .on('search.state', () => state(null))
    .on('search.set-key', () => {
      if (host === null) throw new RequestError('bad_input', 'set web.search.url first');
      return state(host);
    });
  const page = await mountInApp(SearchKey, { url: null }, { connection });
  const submit = async () => page.fire(page.find('form'), 'submit');
  await page.write('input', 's3cret');
  await submit();
  expect(page.find('[role=status]').textContent).toContain('set web.search.url first');
  expect(page.find<HTMLInputElement>('input').value).toBe('s3cret');
  host = '127.0.0.1:8888';
  await submit();
  expect(page.find('[role=status]').textContent).toContain('sent to 127.0.0.1:8888 only');
  expect(page.find<HTMLInputElement>('input').value).toBe('');
});
