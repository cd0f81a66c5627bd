/** The first run: four choices, what each of them needs, the folder, and a first answered message. */
import { createServer } from 'node:http';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expectNoViolation, SAME_PAGE } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const FIRST = { apiKey: null, endpoint: null };
const KEY = 'sk-given-by-hand';
const PORTS = [11434, 1234, 8080, 8000, 4000, 1337, 30000];
const ENDPOINT = /^Another address or a server on this machine/;
const hello = () => plainAnswer({ answer: 'Hello to you.' });

/** Starts a server on a free default port of model servers. It lists one model and rejects every chat request. */
async function startLocalServer(): Promise<{ port: number; close: () => Promise<void> }> {
  for (const port of PORTS) {
    const server = createServer(({ method, url }, response) => {
      const isChat = url === '/v1/chat/completions';
      response.writeHead(method === 'GET' ? 200 : isChat ? 400 : 404, { 'content-type': 'application/json' });
      const error = { message: 'no model is loaded', type: 'invalid_request_error' };
      response.end(JSON.stringify({ data: [{ id: 'tiny:1b', owned_by: 'library' }], ...(isChat ? { error } : {}) }));
    });
    const listens = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (listens) return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
  }
  throw new Error('All default ports are in use');
}

const choice = (app: App, name: string | RegExp) => app.page.getByRole('button', { name });
const sidebar = (app: App) => app.page.getByRole('navigation', { name: 'Conversations' });

/** Accepts the proposed folder, sends a first message and waits for its answer. */
async function answerFirstMessage(app: App): Promise<void> {
  await expect(app.page.getByRole('heading', { name: 'Choose a folder' })).toBeVisible();
  await expect(app.page.getByLabel('Folder', { exact: true })).toHaveValue(app.workspace);
  await app.button('Start').click();
  await expect(sidebar(app)).toBeVisible();
  await app.send('Hello.');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Hello to you.');
}

test('offers four choices without a sidebar; keys choose, Escape and Back return', async ({ start }) => {
  const app = await start(plainAnswer(), FIRST);
  const { page } = app;
  await expect(page.getByRole('heading', { name: 'Welcome to Triad' })).toBeVisible();
  await expect(sidebar(app)).toHaveCount(0);
  const names = page.getByRole('listitem').getByRole('button');
  await expect(names).toHaveText([/^Anthropic/, /^OpenAI/, ENDPOINT, /^Try the demo/]);
  await page.keyboard.press('ArrowDown');
  await expect(choice(app, /^Anthropic/)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(choice(app, /^Try the demo/)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(choice(app, /^OpenAI/)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Connect OpenAI' })).toBeVisible();
  await expect(page.getByLabel('API key', { exact: true })).toBeFocused();
  await expect(page.getByRole('textbox'), 'a key and nothing else').toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(choice(app, /^OpenAI/)).toBeFocused();
  await choice(app, ENDPOINT).click();
  await expect(page.getByLabel('Endpoint', { exact: true })).toBeFocused();
  await app.button('Back').click();
  await choice(app, /^Try the demo/).click();
  await expect(page.getByRole('heading', { name: 'Choose a folder' })).toBeVisible();
  await expect(sidebar(app)).toHaveCount(0);
});

test('OpenAI becomes the provider of the first message, with the newest general model', async ({ start }) => {
  const models = ['whisper-1', 'gpt-4.1', 'gpt-5.9', 'gpt-5.10', 'gpt-5.10-mini', 'text-embedding-3-large'];
  const app = await start(hello(), { apiKey: null, vendor: 'openai', model: { keys: [KEY], models } });
  const { page } = app;
  await choice(app, /^OpenAI/).click();
  const key = page.getByLabel('API key', { exact: true });
  await page.keyboard.press('Enter');
  await expect(key).toHaveAttribute('aria-invalid', 'true');
  await expect(key).toHaveAccessibleDescription(/^Paste a key first\./);
  await page.keyboard.type('sk-wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/refused the key/)).toBeVisible();
  await expect(page.getByText('"invalid x-api-key"')).toBeVisible();
  await expect(app.button('Continue without a working test')).toBeEnabled();
  await key.fill(KEY);
  await page.keyboard.press('Enter');
  await answerFirstMessage(app);
  const { path, headers, sent } = app.model.requests.at(-1)!;
  expect([path, headers.authorization]).toEqual(['/v1/responses', `Bearer ${KEY}`]);
  expect(sent).toMatchObject({ model: 'gpt-5.10' });
});

test('Anthropic needs a key, which is never shown again', async ({ start }) => {
  const app = await start(hello(), { apiKey: null, model: { keys: [KEY] } });
  const { page } = app;
  await choice(app, /^Anthropic/).click();
  await page.keyboard.type(KEY);
  await app.button('Test and continue').click();
  await answerFirstMessage(app);
  expect(app.model.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await expect(page.getByLabel('API key')).toHaveValue('');
  expect(await page.content()).not.toContain(KEY);
});

test('a custom endpoint answers the first message in the chosen folder', async ({ start }) => {
  const app = await start(hello(), { ...FIRST, model: { keys: null, models: ['small-1'] } });
  const { page } = app;
  await choice(app, ENDPOINT).click();
  await page.getByLabel('Endpoint', { exact: true }).fill(`${app.model.url}/v1`);
  await app.button('Test and continue').click();
  const folder = page.getByLabel('Folder', { exact: true });
  await folder.fill(`${app.workspace}/missing`);
  await app.button('Start').click();
  await expect(page.getByText(/is not a folder that can be read/)).toBeVisible();
  await folder.fill(app.workspace);
  await folder.pressSequentially('/s');
  await expect(page.getByRole('option', { name: `${app.workspace}/src`, exact: true })).toBeVisible();
  await folder.press('ArrowDown');
  await folder.press('Tab');
  await expect(folder, 'the completed folder').toHaveValue(`${app.workspace}/src`);
  await expect(folder).toBeFocused();
  await app.button('Start').click();
  await expect(app.message).toBeFocused();
  await expect(folder).toHaveValue(`${app.workspace}/src`);
  const tasks = page.getByRole('listitem').getByRole('button');
  await expect(tasks).toHaveText([/^Explain what this project does/, /^Write tests/, /^Have two sub-agents/]);
  await app.message.fill('My own words.');
  await tasks.first().click();
  await expect(app.message, 'an example keeps what was written').toHaveValue(/^My own words\.\n\nExplain/);
  await app.message.fill('');
  await tasks.first().click();
  await app.button('Send').click();
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Hello to you.');
  expect(app.model.requests.at(-1)?.sent).toMatchObject({ model: 'small-1' });
});

test('the demo needs no connection', async ({ start }) => {
  const app = await start(plainAnswer(), FIRST);
  const { page } = app;
  await choice(app, /^Try the demo/).click();
  await app.button('Start').click();
  await expect(app.message).toBeFocused();
  await page.getByRole('button', { name: /Let one sub-agent count the files/ }).click();
  // Later messages of the script cannot be sent first.
  await expect(page.getByText('Let a permanent agent look for')).toBeVisible();
  await expect(page.getByRole('button', { name: /Let a permanent agent look for/ })).toHaveCount(0);
  await expect(app.message).toHaveValue(/count the files/);
  await app.button('Send').click();
  await expect(app.question).toBeVisible();
  await app.allow();
  await app.expectOutcome('completed');
  expect(app.model.requests).toEqual([]);
});

test(
  'the first run is in French for a French browser',
  fullSpec([
    'tests/lib/app/language.alone.test.ts › keeps the chosen language for later starts',
    'tests/lib/words/literal-text.test.ts › no component contains literal text',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), FIRST);
    await app.page.evaluate(() => localStorage.setItem('triad-language', 'fr'));
    await app.page.reload();
    await expect(app.page.getByRole('heading', { name: 'Bienvenue dans Triad' })).toBeVisible();
    await app.page.getByRole('button', { name: /^Essayer la démo/ }).click();
    await expect(app.page.getByRole('heading', { name: 'Choisissez un dossier' })).toBeVisible();
  },
);

test(
  'a dead endpoint shows an error and can still be saved',
  fullSpec([
    'tests/core/model/provider-test.test.ts › reports an address where no server answers',
    'e2e/shell/first-run.spec.ts › OpenAI becomes the provider of the first message, with the newest general model',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), FIRST);
    const { page } = app;
    await app.model.close();
    await choice(app, ENDPOINT).click();
    await page.getByLabel('Endpoint', { exact: true }).fill(app.model.url);
    await app.button('Test and continue').click();
    await expect(page.getByText(/No connection to/)).toBeVisible();
    await expect(page.getByLabel('Endpoint', { exact: true }), 'keeps the input').toHaveValue(app.model.url);
    await app.button('Continue without a working test').click();
    await app.button('Start').click();
    await expect(app.message).toBeVisible();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Endpoint', exact: true })).toHaveValue(app.model.url);
  },
);

test(
  'a model server on this machine is offered with its models',
  fullSpec([
    'tests/core/model/provider-detect.test.ts › finds local servers with name, models and protocols, by requests that name no model',
    'tests/lib/settings/provider-draft.test.ts › offers the servers of this machine, and takes the address and first model of the chosen one',
  ]),
  async ({ start }) => {
    const server = await startLocalServer();
    try {
      const app = await start(plainAnswer(), FIRST);
      const { page } = app;
      await choice(app, ENDPOINT).click();
      await page.getByRole('button', { name: /^Ollama 1 model/ }).click();
      await expect(page.getByLabel('Endpoint', { exact: true })).toHaveValue(`http://127.0.0.1:${server.port}/v1`);
      await expect(page.getByLabel('Model', { exact: true })).toHaveValue('tiny:1b');
      await app.button('Test and continue').click();
      await expect(page.getByText(/no model is loaded/)).toBeVisible();
      await app.button('Continue without a working test').click();
      await app.button('Start').click();
      await expect(app.message).toBeVisible();
      await page.getByRole('link', { name: 'Settings' }).first().click();
      await expect(page.getByRole('radio', { name: /^ollama in use/ })).toBeChecked();
      await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toHaveValue('tiny:1b');
    } finally {
      await server.close();
    }
  },
);

test(
  'each step follows the accessibility rules, light and dark',
  fullSpec(
    [
      'tests/lib/ui/colours.test.ts › text has enough contrast on each of its backgrounds',
      'e2e/shell/first-run.spec.ts › offers four choices without a sidebar; keys choose, Escape and Back return',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), FIRST);
    await expect(choice(app, /^Anthropic/)).toBeVisible();
    await expectNoViolation(app.page);
    for (const name of [/^Anthropic/, /^OpenAI/, ENDPOINT, /^Try the demo/]) {
      await choice(app, name).click();
      await expect(app.button('Back')).toBeVisible();
      await expectNoViolation(app.page);
      await app.button('Back').click();
    }
  },
);
