/** The desktop as one of the programs of a machine: one at a time, calling for attention, ending in order. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { plainAnswer, writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { startHost } from '../support/host.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It plays the machine around the app' },
};

test.describe('the desktop', only, () => {
  test(
    'a notification marks what hides in a name or a title',
    fullSpec([
      'tests/electron/attention.test.ts › marks hidden characters in a notification',
      'tests/electron/attention.test.ts › it is repeated as often as is wanted, a press answers nothing, and an answer takes it away',
    ]),
    async ({ start }) => {
      const app = await start(writeFile({ path: 'src/clean\u202Egpj.sh' }));
      await expect(app.message).toBeVisible();
      await app.desktop.act('look away');
      await app.send('Clean up.');
      await expect.poll(() => app.desktop.asked('notification')).toHaveLength(1);
      const [{ body }] = app.desktop.asked('notification') as [{ body: string }];
      expect(body).toMatch(/^Write src\/clean⟦U\+202E⟧gpj\.sh/);
      await expect(app.question).toBeVisible();
      await app.page.keyboard.press('Escape');
      await app.page.getByRole('link', { name: 'Settings', exact: true }).click();
      await expect(app.page).toHaveURL(/\/settings$/);
      await app.page.evaluate(() => Reflect.set(window, 'sameDocument', true));
      await app.desktop.act('click notification');
      await expect(app.page).toHaveURL(/\/chat\/[\w-]+$/);
      await expect(app.question.getByRole('heading', { level: 2 })).toContainText('src/clean');
      expect(
        await app.page.evaluate(() => Reflect.get(window, 'sameDocument') === true),
        'nothing is loaded anew',
      ).toBe(true);
      expect(app.model.requests, 'a press answers nothing').toHaveLength(1);
    },
  );

  test('the window is there before the store is, and waits for it', async ({ start }) => {
    // It takes connections and never answers.
    const store = createServer().listen(0, '127.0.0.1');
    await once(store, 'listening');
    const { port } = store.address() as AddressInfo;
    const asked = once(store, 'connection');
    try {
      const app = await start(plainAnswer(), { env: { TRIAD_STORE: `ws://127.0.0.1:${port}/triad/main` } });
      await asked;
      // The start page cannot know yet whether this is a first run; other pages show what needs no store.
      await expect(app.page.getByText('Connecting to Triad…')).toBeVisible();
      await app.goto('/settings');
      await expect(app.page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible();
      await expect(app.page.getByRole('link', { name: 'New conversation' })).toBeVisible();
    } finally {
      store.close();
    }
  });

  test(
    'a window that closes last ends the app',
    fullSpec(
      'tests/electron/quit.test.ts › the last window quits, but not while something works and the tray is there',
    ),
    async ({ start }) => {
      const app = await start(plainAnswer());
      const other = await app.secondTab();
      await expect(other.message).toBeVisible();
      await app.page.close();
      await other.send('Hello.');
      await other.expectOutcome('completed');
      await other.page.close();
      expect(await app.desktop.ended()).toBe(0);
    },
  );

  test(
    'works on what another program owns, and takes over when that one dies',
    fullSpec([
      'tests/electron/attachment.test.ts › where another program did the work and has gone, pages are told, and the next one is taken',
      'tests/core/host/ownership/ownership.test.ts › an owner that was killed is replaced, also when the one that was replacing it was killed too',
    ]),
    async ({ start }) => {
      let kill = async () => {};
      const app = await start(plainAnswer({ answer: 'Hello to you.' }), {
        before: async (machine) => {
          const host = await startHost(machine);
          kill = () => host.crash();
          return () => host.stop();
        },
      });
      await app.send('Hello.');
      await app.expectOutcome('completed');
      await kill();
      await expect(app.page.getByText('Hello to you.').first(), 'what was shown stays').toBeVisible();
      await app.message.fill('And again.');
      // What did not arrive comes back into the box, to be sent again.
      const sent = app.workflow().getByText('And again.', { exact: true }).first();
      await expect(async () => {
        if ((await app.message.inputValue()) !== '') await app.message.press('Enter');
        await expect(sent).toBeVisible({ timeout: 1000 });
      }).toPass();
      await app.expectOutcome('completed');
      expect(app.model.requests).toHaveLength(2);
    },
  );
});
