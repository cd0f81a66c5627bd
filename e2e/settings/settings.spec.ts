/** The settings page: what is changed there changes what happens, at once and after a reload. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expectNoViolation, SAME_PAGE } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const sections = (page: Page) => page.getByRole('navigation', { name: 'Sections of the settings' });

/** Without a section: the first. */
async function openSettings(page: Page, section?: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).first().click();
  if (section !== undefined) await sections(page).getByRole('link', { name: section }).click();
}

async function set(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label, exact: true });
  await field.fill(value);
  await field.press('Enter');
}

test(
  'a limit holds for the next message, without a restart',
  fullSpec([
    'tests/core/runs/budget/bounds.test.ts › rejects the second sub-agent if the limit of sub-agents is one',
    'tests/core/settings/live-settings.test.ts › a change of %s takes effect while the program runs',
    'tests/lib/settings/mounted.test.ts › a saved value can be undone, and reset to the default',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta']));
    const { page } = app;
    await openSettings(page, 'Limits');
    await set(page, 'Sub-agents per workflow', '1');
    await expect(page.getByText('Saved.')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('1');
    await app.newConversation();
    await app.send('Look at two parts.');
    await app.allow('alpha');
    await app.expectOutcome('completed');
    await expect(app.card('beta')).toBeHidden();

    await openSettings(page, 'Limits');
    await page.getByRole('button', { name: 'Reset to 3: Sub-agents per workflow' }).click();
    await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('3');
  },
);

test(
  'a bad value stays in its field with the reason, and is not saved',
  fullSpec([
    'tests/lib/settings/mounted.test.ts › a value that does not fit stays in its field with the reason, and is not sent: %s',
    'tests/lib/settings/mounted.test.ts › a value that the program rejects stays in its field with the reason',
    'tests/core/settings/live-settings.test.ts › rejects an invalid value with the reason, and changes nothing',
  ]),
  async ({ start }) => {
    const { page } = await start(plainAnswer());
    await openSettings(page, 'Limits');
    await set(page, 'Sub-agents per workflow', '9');
    const problem = page.getByText('Write a whole number from 1 to 3.');
    await expect(problem).toBeVisible();
    await set(page, 'Inactivity limit', '60');
    await expect(page.getByText('Saved.')).toBeVisible();
    await set(page, 'Most turns of any agent', 'long');
    await expect(page.getByText('Write a whole number from 1 to 200.')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Most turns of any agent' })).toHaveValue('long');
    await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('9');
    await expect(problem).toBeVisible();
    await page.getByRole('checkbox', { name: 'Compact by itself' }).uncheck();
    await expect(page.getByText('Saved.')).toHaveCount(2);
    await page.reload();
    await expect(page.getByRole('checkbox', { name: 'Compact by itself' })).not.toBeChecked();
    await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('3');
    const limit = page.getByRole('textbox', { name: 'Inactivity limit' });
    await expect(limit).toHaveValue('60');

    // What was saved is undone, to the default as to a value.
    await set(page, 'Inactivity limit', '70');
    await page.getByRole('button', { name: 'Undo: Inactivity limit' }).click();
    await expect(limit).toHaveValue('60');
    await page.getByRole('button', { name: 'Reset to 300: Inactivity limit' }).click();
    await expect(limit).toHaveValue('300');
    await page.getByRole('button', { name: 'Undo: Inactivity limit' }).click();
    await expect(limit).toHaveValue('60');
    await openSettings(page, 'Telemetry');
    await set(page, 'Address of a collector', 'nowhere');
    await expect(page.getByText(/^Address of a collector must be/)).toBeVisible();
  },
);

test(
  'a web search is configured, and its API key is stored for its host only',
  fullSpec([
    'tests/lib/settings/mounted.test.ts › stores the key of a search for its host, and shows the reason if a key is not stored',
    'tests/core/tools/web/search-endpoint.test.ts › is sent in the configured header only to its own host, and is not in the settings file',
  ]),
  async ({ start }) => {
    const { page } = await start(plainAnswer());
    await openSettings(page, 'Tools and search');
    const key = page.getByLabel('Key of that search');
    await key.fill('s3cret');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await expect(page.getByText('set web.search.url first')).toBeVisible();
    await set(page, 'Address of a search', 'http://127.0.0.1:8888/search?format=json&q={query}');
    await expect(page.getByText('Saved.')).toBeVisible();
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await expect(page.getByText('sent to 127.0.0.1:8888 only')).toBeVisible();
    await expect(key).toHaveValue('');
  },
);

test(
  'the provider is tested with one request, and a changed model alias applies to the next message',
  fullSpec([
    'tests/core/model/provider-test.test.ts › reports the answering model and the duration for a working key',
    'tests/core/settings/effects.test.ts › the default model and the aliases select the model of a request',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await openSettings(page);
    await app.button('Test').click();
    await expect(page.getByText(/It works: .* with claude-sonnet-5-5/)).toBeVisible();
    expect(app.model.requests).toHaveLength(1);
    await openSettings(page, 'Models');
    await set(page, 'sonnet', 'my-sonnet-1');
    await expect(page.getByText('Saved.')).toBeVisible();
    await app.newConversation();
    await app.send('Hello.');
    await app.expectOutcome('completed');
    expect(app.model.requests.at(-1)?.body.model).toBe('my-sonnet-1');
  },
);

test(
  'an API key that was stored for another endpoint is not sent, and the page reports this',
  fullSpec([
    'tests/core/model/kept-key.test.ts › another endpoint in the settings file or environment does not get the stored key',
    'tests/core/model/kept-key.test.ts › a test of another endpoint uses only the key entered for that endpoint',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      apiKey: null,
      before: async ({ home }) => {
        const kept = JSON.stringify({ apiKey: 'sk-kept', address: 'https://models.example' });
        await mkdir(home, { recursive: true, mode: 0o700 });
        await writeFile(join(home, 'secrets.json'), JSON.stringify({ 'anthropic.key': kept }), { mode: 0o600 });
        return () => Promise.resolve();
      },
    });
    const { page } = app;
    await openSettings(page);
    const line = `The kept key belongs to https://models.example and is not sent to ${app.model.url}: enter the key`;
    await expect(page.getByText(line)).toBeVisible();
    await app.button('Test').click();
    await expect(page.getByText(line)).toHaveCount(2);
    expect(app.model.requests).toEqual([]);
    await page.getByLabel('API key').fill('sk-own');
    await app.button('Test').click();
    await expect(page.getByText(/It works: /)).toBeVisible();
    await app.button('Save').click();
    await expect(page.getByText(line)).toBeHidden();
  },
);

test(
  'the demo is switched on and off',
  fullSpec([
    'e2e/settings/settings.spec.ts › a provider is added by its URL, answers messages, is replaced by another, and is removed with its API key',
    'tests/core/settings/live-settings.test.ts › a change of %s takes effect while the program runs',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer({ answer: 'From a model.' }));
    const { page } = app;
    await openSettings(page);
    await page.getByRole('radio', { name: /^The demo/ }).check();
    await app.button('Save').click();
    await expect(page.locator('main > header').getByText('Demo', { exact: true })).toBeVisible();
    await page.getByRole('radio', { name: /^Anthropic, or/ }).check();
    await expect(page.locator('main > header').getByText('Demo', { exact: true }), 'not yet').toBeVisible();
    await app.button('Save and use').click();
    await expect(page.locator('main > header').getByText('Demo', { exact: true })).toBeHidden();
    await app.newConversation();
    await app.send('Hello.');
    await expect(app.workflow()).toContainText('From a model.');
  },
);

test('a provider is added by its URL, answers messages, is replaced by another, and is removed with its API key', async ({
  start,
}) => {
  const app = await start(plainAnswer({ answer: 'From a model.' }), {
    before: async ({ home }) => {
      await mkdir(home, { recursive: true, mode: 0o700 });
      await writeFile(join(home, 'config.toml'), '# Mine.\n[limits]\nmax_concurrent = 2 # few\n', { mode: 0o600 });
      return () => Promise.resolve();
    },
  });
  const { page, model } = app;
  await openSettings(page);
  // Found by its words, reached and changed by keys alone; the file keeps what else stands in it.
  await page.getByRole('searchbox', { name: 'Find a setting' }).fill('limits max_concurrent');
  const limit = page.getByRole('textbox', { name: 'Sub-agents at the same time' });
  await expect(limit).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(limit).toBeFocused();
  await expect(limit).toHaveAccessibleDescription(/Set in config.toml, line 3/);
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved.')).toBeVisible();
  expect(await readFile(join(app.home, 'config.toml'), 'utf8')).toBe('# Mine.\n[limits]\nmax_concurrent = 1 # few\n');
  await page.getByRole('searchbox').press('Escape');
  await page.getByRole('radio', { name: 'Another provider' }).check();
  await page.getByRole('textbox', { name: 'Endpoint', exact: true }).fill(`${model.url}/v1`);
  await app.button('Detect the protocol').click();
  await expect(page.getByLabel('Protocol')).toHaveValue('openai-chat');
  await page.getByLabel('Name', { exact: true }).fill('local');
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('llama-1');
  await page.getByLabel(/^API key/).fill('sk-local');
  await app.button('Test').click();
  await expect(page.getByText(/It works: .* with llama-1/)).toBeVisible();
  await app.button('Save and use').click();
  await expect(page.getByRole('radio', { name: /^local in use/ })).toBeChecked();
  await app.newConversation();
  await app.send('Hello.');
  await app.expectOutcome('completed');
  expect(model.requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama-1' } });

  await openSettings(page);
  await page.getByRole('radio', { name: /^Anthropic, or/ }).check();
  await app.button('Save and use').click();
  await expect(page.getByRole('radio', { name: /^Anthropic, or .* in use/ })).toBeChecked();
  // All follows at once.
  await openSettings(page, 'Appearance');
  await page.getByRole('radio', { name: 'Français' }).check();
  await expect(page.getByRole('link', { name: 'Fournisseurs et clés' })).toBeVisible();
  await page.getByRole('radio', { name: 'English' }).check();
  await sections(page).getByRole('link', { name: 'Providers and keys' }).click();
  await page.getByRole('radio', { name: /^local/ }).check();
  await app.button('Remove').click();
  await app.button('Remove it with its key').click();
  await expect(page.getByRole('radio', { name: /^local/ })).toBeHidden();
  await app.newConversation();
  await app.send('Hello.');
  await app.expectOutcome('completed');
  expect(model.requests.at(-1)).toMatchObject({ path: '/v1/messages' });
});

test(
  'memory notes of agents can be read and deleted',
  fullSpec([
    'tests/lib/settings/mounted.test.ts › deletes a note of an agent after a second press',
    'tests/core/runs/memory.test.ts › a note outlives its conversation, and can be deleted before and after a purge',
  ]),
  async ({ start }) => {
    const note = { operation: 'write', name: 'habits', text: 'Likes short answers.' };
    const script = new Script()
      .on({ step: 1 })
      .reply([toolUse('memory', note)])
      .on({})
      .reply([text('Noted.')]);
    const app = await start(script);
    const { page } = app;
    await app.send('Remember that I like short answers.');
    await app.expectOutcome('completed');
    await openSettings(page, 'Sessions and data');
    const entry = page.getByRole('list', { name: 'Memory' }).getByRole('listitem');
    await entry.getByText('habits').click();
    await expect(entry.getByText('Likes short answers.')).toBeVisible();
    await entry.getByRole('button', { name: 'Delete', exact: true }).click();
    await entry.getByRole('button', { name: 'Keep' }).click();
    await entry.getByRole('button', { name: 'Delete', exact: true }).click();
    await entry.getByRole('button', { name: 'Delete for good' }).click();
    await expect(page.getByText('No agent has kept a note yet.')).toBeVisible();
  },
);

test(
  'the settings pages pass the accessibility checks in light and dark',
  fullSpec(
    'e2e/sub-agents/spawn.spec.ts › a sub-agent starts only after approval, is visible in chat and history, and passes accessibility checks',
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), { apiKey: null });
    const { page } = app;
    await openSettings(page);
    await app.button('Test').click();
    await expect(page.getByText(/^It (works|does not work)/)).toBeVisible();
    await expectNoViolation(page);
    await openSettings(page, 'Limits');
    await set(page, 'Sub-agents per workflow', '9');
    await expect(page.getByText('Write a whole number from 1 to 3.')).toBeVisible();
    await expectNoViolation(page);
    const names = await sections(page).getByRole('link').allInnerTexts();
    expect(names.length).toBeGreaterThan(9);
    for (const name of names.slice(1)) {
      await openSettings(page, name);
      await expect(page.getByRole('heading', { level: 2, name })).toBeVisible();
      await expectNoViolation(page);
    }
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('key');
    await expect(page.locator('mark').first()).toBeVisible();
    await expectNoViolation(page);
    await page.setViewportSize({ width: 640, height: 400 });
    await page.getByRole('searchbox').fill('français');
    await page.getByRole('searchbox').press('Enter');
    await expect(page.getByRole('group', { name: 'Language' }).getByRole('radio', { checked: true })).toBeFocused();
    await page.getByRole('searchbox').fill('blargh');
    await expect(page.getByText('No setting has “blargh”')).toBeVisible();
    await expectNoViolation(page);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Section' }).selectOption('Limits');
    await expect(page).toHaveURL(/\?section=limits$/);
    await expect(page.getByRole('heading', { level: 2, name: 'Limits' })).toBeVisible();
  },
);

test(
  'values from the environment or a project show their source and cannot be edited',
  fullSpec([
    'tests/lib/settings/mounted.test.ts › a value that overrides the user settings cannot be edited or reset: $from',
    'tests/lib/settings/mounted.test.ts › shows the value that a project requests, with a link to trust its file',
    'tests/core/host/runtime/methods/settings.test.ts › the environment overrides the settings file, and the explanation names the overridden value',
    'tests/core/host/runtime/methods/settings.test.ts › a project lowers a limit once its file is trusted, and never raises one',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      files: { '.triad/config.toml': '[limits]\nmax_sub_agents = 1\n' },
    });
    const { page } = app;
    await openSettings(page, 'Telemetry');
    const collector = page.getByRole('textbox', { name: 'Address of a collector' });
    await expect(collector).toHaveValue('http://127.0.0.1:9');
    await expect(collector).not.toBeEditable();
    await expect(collector).toHaveAccessibleDescription(/Set by OTEL_EXPORTER_OTLP_ENDPOINT/);
    await openSettings(page, 'Limits');
    const limit = page.getByRole('textbox', { name: 'Sub-agents per workflow' });
    await expect(limit).toHaveValue('3');
    await expect(page.getByText('The project wants 1: nobody has trusted its file')).toBeVisible();
    await page.getByRole('link', { name: 'Look at the project’s file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust 1 file' }).click();
    await openSettings(page, 'Limits');
    await expect(limit).toHaveValue('1');
    await expect(limit).not.toBeEditable();
    await expect(limit).toHaveAccessibleDescription(/Set by the project, line 2/);
    await expect(page.getByText('The default says 3, which holds elsewhere.')).toBeVisible();
    // Elsewhere it does not hold.
    await page.getByRole('combobox', { name: 'Folder' }).fill('/');
    await page.getByRole('combobox', { name: 'Folder' }).press('Enter');
    await expect(limit).toHaveValue('3');
    await expect(limit).toBeEditable();
    await expect(page).toHaveURL(/folder=%2F$/);
  },
);

test(
  'the security page shows the content policy of this page, the sandbox state and the contacted hosts',
  fullSpec(
    [
      'tests/lib/settings/protections.test.ts › marks protections as unknown in a browser, or if the app did not report them',
      'tests/hosts/http/static-files.test.ts › every response has a content policy that forbids framing, and the other strict headers',
    ],
    {
      tag: '@browser',
      annotation: {
        type: 'why',
        description: 'In the desktop its shell tells of itself, which desktop-keys.spec.ts looks at',
      },
    },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await app.send('Hello.');
    await app.expectOutcome('completed');
    await openSettings(page, 'Security');
    const stands = (id: string) => page.locator(`[data-protection=${id}]`);
    await expect(stands('policy')).toHaveAttribute('data-standing', 'holds');
    await stands('policy').getByText('As it was sent').click();
    await expect(stands('policy')).toContainText(/default-src 'none'.*frame-ancestors 'none'/);
    for (const id of ['sandbox', 'isolation', 'fuses']) {
      await expect(stands(id)).toHaveAttribute('data-standing', 'else');
      await expect(stands(id)).toContainText('up to your browser');
    }
    await expect(stands('commands')).toContainText(/bubblewrap|Seatbelt|none on this machine/);
    const { host } = new URL(app.model.url);
    await expect(page.getByRole('row', { name: new RegExp(`^${host} models [1-9]`) })).toBeVisible();
    await expect(page.getByText(/commands and MCP servers on this machine .* not seen/)).toBeVisible();
    await expectNoViolation(page);
  },
);
