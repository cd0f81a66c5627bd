/** The settings page: what is changed there changes what happens, at once and after a reload. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expectNoViolation, SAME_PAGE } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

const openSettings = (page: Page) => page.getByRole('link', { name: 'Settings' }).first().click();

async function set(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label, exact: true });
  await field.fill(value);
  await field.press('Enter');
}

test('a limit holds for the next message, without a restart', { tag: '@soak' }, async ({ start }) => {
  const app = await start(leadSpawns(['alpha', 'beta']));
  const { page } = app;
  await openSettings(page);
  await set(page, 'Sub-agents per workflow', '1');
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('1');
  await app.newConversation();
  await app.send('Look at two parts.');
  await app.allow('alpha');
  await app.expectOutcome('completed');
  await expect(app.card('beta')).toBeHidden();

  await openSettings(page);
  await page.getByRole('button', { name: 'Default: 3, for Sub-agents per workflow' }).click();
  await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('3');
});

test('a bad value stays in its field with the reason, and is not saved', { tag: '@soak' }, async ({ start }) => {
  const { page } = await start(plainAnswer());
  await openSettings(page);
  await set(page, 'Sub-agents per workflow', '9');
  const problem = page.getByText('Sub-agents per workflow must be at most 3');
  await expect(problem).toBeVisible();
  await set(page, 'Inactivity limit (seconds)', '60');
  await expect(page.getByText('Saved.')).toBeVisible();
  await set(page, 'Time to answer (seconds)', 'long');
  await expect(page.getByText('Time to answer (seconds) must be a number')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Time to answer (seconds)' })).toHaveValue('long');
  await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('9');
  await expect(problem).toBeVisible();
  await page.getByRole('checkbox', { name: 'Compact by itself' }).uncheck();
  await set(page, 'Address of a collector', 'http://127.0.0.1:4318');
  await expect(page.getByText('Saved.')).toHaveCount(3);
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Compact by itself' })).not.toBeChecked();
  await expect(page.getByRole('textbox', { name: 'Sub-agents per workflow' })).toHaveValue('3');
  await expect(page.getByRole('textbox', { name: 'Inactivity limit (seconds)' })).toHaveValue('60');
});

test('a search of the web is set up, and its key kept for its host alone', { tag: '@soak' }, async ({ start }) => {
  const { page } = await start(plainAnswer());
  await openSettings(page);
  const key = page.getByLabel('Key of that search');
  await key.fill('s3cret');
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(page.getByText('set web.search.url first')).toBeVisible();
  await set(page, 'Address of a search', 'http://127.0.0.1:8888/search?format=json&q={query}');
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(page.getByText('sent to 127.0.0.1:8888 only')).toBeVisible();
  await expect(key).toHaveValue('');
});

test(
  'the provider is tested with one request; a model of another name is asked from then on',
  { tag: '@soak' },
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await openSettings(page);
    await app.button('Test').click();
    await expect(page.getByText(/It works: .* with claude-sonnet-5-5/)).toBeVisible();
    expect(app.model.requests).toHaveLength(1);
    await set(page, 'sonnet', 'my-sonnet-1');
    await expect(page.getByText('Saved.')).toBeVisible();
    await app.newConversation();
    await app.send('Hello.');
    await app.expectOutcome('completed');
    expect(app.model.requests.at(-1)?.body.model).toBe('my-sonnet-1');
  },
);

test(
  'a key that was kept for another endpoint is not used, and the page says so',
  { tag: '@soak' },
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

test('the demo is switched on and off', { tag: '@soak' }, async ({ start }) => {
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
});

test('a provider is added by its address, answers, gives way to another, and goes with its key', async ({ start }) => {
  const app = await start(plainAnswer({ answer: 'From a model.' }));
  const { page, model } = app;
  await openSettings(page);
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
  await page.getByRole('radio', { name: 'Français' }).check();
  await expect(page.getByRole('radio', { name: /^Anthropic, ou un serveur compatible utilisé/ })).toBeChecked();
  await page.getByRole('radio', { name: 'English' }).check();
  await page.getByRole('radio', { name: /^local/ }).check();
  await app.button('Remove').click();
  await app.button('Remove it with its key').click();
  await expect(page.getByRole('radio', { name: /^local/ })).toBeHidden();
  await app.newConversation();
  await app.send('Hello.');
  await app.expectOutcome('completed');
  expect(model.requests.at(-1)).toMatchObject({ path: '/v1/messages' });
});

test('colours and size of text change at once and stay', { tag: '@soak' }, async ({ start }) => {
  const { page } = await start(plainAnswer());
  await openSettings(page);
  const root = page.locator('html');
  const size = () => root.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
  const before = await size();
  await page.getByRole('radio', { name: 'Large' }).check();
  expect(await size()).toBeGreaterThan(before);
  await page.getByRole('radio', { name: 'Dark' }).check();
  await expect(root).toHaveClass(/dark/);
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Large' })).toBeChecked();
  await expect(root).toHaveClass(/dark/);
  expect(await size()).toBeGreaterThan(before);
  await page.getByRole('radio', { name: 'Small' }).check();
  expect(await size()).toBeLessThan(before);
});

test('what agents keep can be read and deleted', { tag: '@soak' }, async ({ start }) => {
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
  await openSettings(page);
  const entry = page.getByRole('list', { name: 'Memory' }).getByRole('listitem');
  await entry.getByText('habits').click();
  await expect(entry.getByText('Likes short answers.')).toBeVisible();
  await entry.getByRole('button', { name: 'Delete', exact: true }).click();
  await entry.getByRole('button', { name: 'Keep' }).click();
  await entry.getByRole('button', { name: 'Delete', exact: true }).click();
  await entry.getByRole('button', { name: 'Delete for good' }).click();
  await expect(page.getByText('No agent has kept a note yet.')).toBeVisible();
});

test(
  'the page keeps the rules of accessibility, light and dark',
  { tag: ['@browser', '@soak'], annotation: SAME_PAGE },
  async ({ start }) => {
    const app = await start(plainAnswer(), { apiKey: null });
    const { page } = app;
    await openSettings(page);
    await set(page, 'Sub-agents per workflow', '9');
    await app.button('Test').click();
    await expect(page.getByText(/must be at most 3/)).toBeVisible();
    await expect(page.getByText('No agent has kept a note yet.')).toBeVisible();
    await expectNoViolation(page);
  },
);
