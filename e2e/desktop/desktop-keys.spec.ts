/** Keys of the desktop: sealed by the key store of the system, or a plain file and a warning that is seen. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It chooses the key store of the machine' },
};
const KEY = 'sk-given-by-hand';
const first = { apiKey: null, endpoint: null, model: { keys: [KEY] } };

/** A wrong one first, which is refused. */
async function enterKey(app: App): Promise<void> {
  await app.page.getByRole('button', { name: /^Another address/ }).click();
  await app.page.getByLabel('Endpoint', { exact: true }).fill(app.model.url);
  await app.page.getByLabel(/^API key/).fill('sk-wrong');
  await app.button('Test and continue').click();
  await expect(app.page.getByText(/refused the key/)).toBeVisible();
  await expect(app.page.getByLabel('Endpoint', { exact: true }), 'nothing is lost').toHaveValue(app.model.url);
  await app.page.getByLabel(/^API key/).fill(KEY);
  await app.button('Test and continue').click();
  await app.button('Start').click();
  await app.send('Hello.');
  await app.expectOutcome('completed');
}

test.describe('an API key on the desktop', only, () => {
  test('is encrypted and never displayed; after quitting during a run the key, the text and the run are restored', async ({
    start,
  }) => {
    const rest = new Gate();
    const answer = Array.from({ length: 30 }, (_, n) => `word-${n + 1}`).join(' ');
    const script = new Script()
      .on({ asked: /many words/ })
      .reply([text(answer, { deltas: 30 })], { hold: rest.at(22) })
      .on({})
      .reply([text('Hello to you.')]);
    const app = await start(script, first);
    await enterKey(app);
    await app.newConversation();
    await app.send('Say many words.');
    await expect(app.workflow()).toContainText('word-15');
    const said = /word-\d+(?= *\S*$)/.exec((await app.workflow().innerText()).trim())?.[0] ?? 'word-15';
    const request = await app.model.waitFor(({ seen }) => /many words/.test(seen.asked));
    const file = join(app.home, 'secrets.safe.json');
    expect(await readFile(file, 'utf8')).toContain('anthropic');
    expect(await readFile(file, 'utf8')).not.toContain(KEY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(readFile(join(app.home, 'secrets.json'))).rejects.toThrow('ENOENT');
    await app.desktop.act('quit');
    app.desktop.act('press', 'Quit and Interrupt').catch(() => undefined);
    expect(await app.desktop.ended()).toBe(0);
    await expect.poll(() => request.closedAt, 'nothing goes on unseen').not.toBeNull();

    await app.crashAndRestart();
    await app.expectOutcome('interrupted');
    await expect(app.workflow(), 'the words that were there').toContainText(said);
    rest.open();
    await app.button('Resume').click();
    await app.expectOutcome('completed');
    expect(app.model.requests.at(-1)?.headers['x-api-key']).toBe(KEY);
    await app.page.getByRole('link', { name: 'Settings' }).click();
    await expect(app.page.getByText(/A key is stored in gnome_libsecret/)).toBeVisible();
    await expect(app.page.getByLabel('API key')).toHaveValue('');
    expect(await app.page.content()).not.toContain(KEY);
    await expect(app.page.getByText(/can read/)).toBeHidden();
    const nav = app.page.getByRole('navigation', { name: 'Sections of the settings' });
    await nav.getByRole('link', { name: 'Security' }).click();
    await expect(app.page.getByText(/^Keys are kept in gnome_libsecret/)).toBeVisible();
    await expect(app.page.getByRole('heading', { name: 'Browsers' }), 'signing in is of browsers').toHaveCount(0);
  });

  test(
    'is in a plain file if no key store encrypts, and the settings page shows a warning',
    fullSpec([
      'tests/electron/secrets.alone.test.ts › with %s, keys are in the plain file, and a warning names that file',
      'tests/lib/settings/protections.test.ts › marks a missing sandbox, isolation or fuse as open',
    ]),
    async ({ start }) => {
      const app = await start(plainAnswer(), { ...first, env: { STAND_IN_KEY_STORE: 'basic_text' } });
      await enterKey(app);
      expect(await readFile(join(app.home, 'secrets.json'), 'utf8')).toContain(KEY);
      expect((await stat(join(app.home, 'secrets.json'))).mode & 0o777).toBe(0o600);
      await app.page.getByRole('link', { name: 'Settings' }).click();
      await expect(app.page.getByText(/no key store that encrypts/)).toBeVisible();
      const nav = app.page.getByRole('navigation', { name: 'Sections of the settings' });
      await nav.getByRole('link', { name: 'Security' }).click();
      await expect(app.page.getByText(/no key store that encrypts/)).toBeVisible();
      for (const id of ['sandbox', 'isolation', 'policy'])
        await expect(app.page.locator(`[data-protection=${id}]`)).toHaveAttribute('data-standing', 'holds');
      await expect(app.page.locator('[data-protection=fuses]')).toContainText('not packaged');
    },
  );
});
