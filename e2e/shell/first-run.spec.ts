/** The first start: a key, an endpoint or the demo, each tried before it is taken. */
import { createServer } from 'node:http';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expectNoViolation, SAME_PAGE } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

const FIRST = { apiKey: null, endpoint: null };
const KEY = 'sk-given-by-hand';
const PORTS = [11434, 1234, 8080, 8000, 4000, 1337, 30000];

/** A server on one of the usual ports that is free: it lists a model, and refuses every chat, which is all it speaks. */
async function localServer(): Promise<{ port: number; close: () => Promise<void> }> {
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
  throw new Error('All of the usual ports are taken');
}

test('a key is tested before it is taken, and never shown again', { tag: '@soak' }, async ({ start }) => {
  const app = await start(plainAnswer({ answer: 'Hello to you.' }), { ...FIRST, model: { keys: [KEY] } });
  const { page } = app;
  await expect(page.getByRole('heading', { name: 'Welcome to Triad' })).toBeVisible();
  await app.button('Test and start').click();
  const key = page.getByLabel('API key', { exact: true });
  await expect(key).toBeFocused();
  await expect(key).toHaveAttribute('aria-invalid', 'true');
  await expect(key).toHaveAccessibleDescription(/^Paste a key first\./);
  const top = () => app.button('Test and start').evaluate((button) => button.getBoundingClientRect().top);
  const before = await top();
  await page.keyboard.type('s');
  await expect(key, 'what is typed mends it').toHaveAttribute('aria-invalid', 'false');
  expect(await top(), 'nothing moves').toBe(before);

  await page.getByRole('radio', { name: /^Compatible endpoint/ }).check();
  await page.getByLabel('Endpoint', { exact: true }).fill(app.model.url);
  await page.getByLabel(/^API key/).fill('sk-wrong');
  await app.button('Test and start').click();
  await expect(page.getByText(/The key was refused/)).toBeVisible();
  await expect(page.getByLabel('Endpoint', { exact: true }), 'nothing is lost').toHaveValue(app.model.url);
  await page.getByLabel(/^API key/).fill(KEY);
  await app.button('Test and start').click();

  await expect(app.message).toBeVisible();
  await app.send('Hello.');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Hello to you.');
  expect(app.model.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await expect(page.getByLabel('API key')).toHaveValue('');
  expect(await page.content()).not.toContain(KEY);
});

test('a dead endpoint says so, and can still be saved deliberately', { tag: '@soak' }, async ({ start }) => {
  const app = await start(plainAnswer(), FIRST);
  const { page } = app;
  await app.model.close();
  await page.getByRole('radio', { name: /^Compatible endpoint/ }).check();
  await page.getByLabel('Endpoint', { exact: true }).fill(app.model.url);
  await app.button('Test and start').click();
  await expect(page.getByText(/No connection to/)).toBeVisible();
  await expect(app.message).toBeHidden();
  await app.button('Save without a working test').click();
  await expect(app.message).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await expect(page.getByRole('textbox', { name: 'Endpoint', exact: true })).toHaveValue(app.model.url);
});

test('a server on this machine is found, and its model is used', { tag: '@soak' }, async ({ start }) => {
  const server = await localServer();
  try {
    const app = await start(plainAnswer(), FIRST);
    const { page } = app;
    await page.getByRole('radio', { name: /^Compatible endpoint/ }).check();
    await page.getByRole('button', { name: /^Ollama 1 model/ }).click();
    await expect(page.getByLabel('Endpoint', { exact: true })).toHaveValue(`http://127.0.0.1:${server.port}/v1`);
    await expect(page.getByLabel('Model', { exact: true })).toHaveValue('tiny:1b');
    await app.button('Test and start').click();
    await expect(page.getByText(/no model is loaded/)).toBeVisible();
    await app.button('Save without a working test').click();
    await expect(app.message).toBeVisible();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await expect(page.getByRole('radio', { name: /^ollama in use/ })).toBeChecked();
    await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toHaveValue('tiny:1b');
  } finally {
    await server.close();
  }
});

test('the demo needs nothing', { tag: '@soak' }, async ({ start }) => {
  const app = await start(plainAnswer(), FIRST);
  const { page } = app;
  await page.getByRole('radio', { name: /^Demo/ }).check();
  await app.button('Start the demo').click();
  await expect(app.message, 'who has chosen writes next').toBeFocused();
  await expect(app.message).toBeVisible();
  await page.getByRole('button', { name: /Let one sub-agent count the files/ }).click();
  // What comes later in the script cannot be sent before it.
  await expect(page.getByText('Let a permanent agent look for')).toBeVisible();
  await expect(page.getByRole('button', { name: /Let a permanent agent look for/ })).toHaveCount(0);
  await expect(app.message).toHaveValue(/count the files/);
  expect(app.model.requests).toEqual([]);
});

test(
  'each choice keeps the rules of accessibility, light and dark',
  { tag: ['@browser', '@soak'], annotation: SAME_PAGE },
  async ({ start }) => {
    const { page } = await start(plainAnswer(), FIRST);
    for (const name of [/^Anthropic key/, /^Compatible endpoint/, /^Demo/]) {
      await page.getByRole('radio', { name }).check();
      await expectNoViolation(page);
    }
  },
);
