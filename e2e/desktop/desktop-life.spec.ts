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
    'marks hidden characters in a notification',
    fullSpec([
      'tests/electron/attention.alone.test.ts › marks hidden characters in a notification',
      'tests/electron/attention.alone.test.ts › a notification repeats as set, a click only opens the question, and an answer closes it',
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

  test('opens the window before the store answers, and waits for the store', async ({ start }) => {
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
    'ends when the last window closes',
    fullSpec(
      'tests/electron/quit.alone.test.ts › closing the last window asks before quitting while work runs, unless the tray is shown',
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
    'connects to the program that owns the store, and takes over when that program dies',
    fullSpec([
      'tests/electron/attachment.test.ts › after the owning program ends, the pages lose the runtime and get the next one',
      'tests/core/host/ownership/ownership.test.ts › a claim replaces a killed owner, even if an earlier claimant was killed during its takeover',
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
