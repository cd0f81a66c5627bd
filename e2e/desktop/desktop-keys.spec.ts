/** Keys of the desktop: sealed by the key store of the system, or a plain file and a warning that is seen. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import type { App } from '../support/app.ts';
import { expect, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It chooses the key store of the machine' },
};
const KEY = 'sk-given-by-hand';
const first = { apiKey: null, endpoint: null, model: { keys: [KEY] } };

async function enterKey(app: App): Promise<void> {
  await app.page.getByRole('radio', { name: /^Compatible endpoint/ }).check();
  await app.page.getByLabel('Endpoint', { exact: true }).fill(app.model.url);
  await app.page.getByLabel(/^API key/).fill(KEY);
  await app.button('Test and start').click();
  await app.send('Hello.');
  await app.expectOutcome('completed');
}

test.describe('a key', only, () => {
  test('is sealed, is there after a restart, and no warning is needed', async ({ start }) => {
    const app = await start(plainAnswer(), first);
    await enterKey(app);
    const file = join(app.home, 'secrets.safe.json');
    expect(await readFile(file, 'utf8')).toContain('anthropic');
    expect(await readFile(file, 'utf8')).not.toContain(KEY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(readFile(join(app.home, 'secrets.json'))).rejects.toThrow('ENOENT');
    await app.crashAndRestart();
    await app.send('Hello again.');
    await app.expectOutcome('completed');
    await app.page.getByRole('link', { name: 'Settings' }).click();
    await expect(app.page.getByText(/A key is stored in gnome_libsecret/)).toBeVisible();
    await expect(app.page.getByText(/can read/)).toBeHidden();
    await expect(app.page.getByRole('heading', { name: 'Trash' })).toBeVisible();
    await expect(app.page.getByRole('heading', { name: 'Browsers' }), 'signing in is of browsers').toHaveCount(0);
  });

  test('without a key store that encrypts is in a file, and that is said', { tag: '@soak' }, async ({ start }) => {
    const app = await start(plainAnswer(), { ...first, env: { STAND_IN_KEY_STORE: 'basic_text' } });
    await enterKey(app);
    expect(await readFile(join(app.home, 'secrets.json'), 'utf8')).toContain(KEY);
    expect((await stat(join(app.home, 'secrets.json'))).mode & 0o777).toBe(0o600);
    await app.page.getByRole('link', { name: 'Settings' }).click();
    await expect(app.page.getByText(/no key store that encrypts/)).toBeVisible();
  });
});
