/** The desktop as one of the programs of a machine: one at a time, calling for attention, ending in order. */
import { plainAnswer, spawnOne, writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { startHost } from '../support/host.ts';
import { expect, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It plays the machine around the app' },
};

test.describe('the desktop', only, () => {
  test('a second start shows the window of the first, a page that dies comes back, and a question calls who looks elsewhere', async ({
    start,
  }) => {
    const app = await start(spawnOne());
    await test.step('a second start shows the window of the first and ends', async () => {
      await expect(app.message).toBeVisible();
      const before = app.desktop.asked('focus').length;
      expect(await app.desktop.startSecond()).toBe(0);
      await expect.poll(() => app.desktop.asked('focus').length).toBe(before + 1);
      expect(app.page.context().pages()).toHaveLength(1);
    });
    await test.step('one who is looking gets no notification', async () => {
      await app.send('Inspect this project.');
      await expect(app.question).toBeVisible();
      await expect.poll(() => app.desktop.asked('badge').at(-1)).toBe(1);
      expect(app.desktop.asked('notification')).toEqual([]);
      await app.reject('Not now.', 'inspector');
      await app.expectOutcome('completed');
      await expect.poll(() => app.desktop.asked('badge').at(-1)).toBe(0);
      await expect(app.page).not.toHaveTitle(/\(/);
    });
    await test.step('a page that dies comes back where it was', async () => {
      const place = app.path;
      await app.page.evaluate(() => Reflect.set(window, 'old', true));
      await app.desktop.act('page dies', 'crashed');
      await expect.poll(() => app.page.evaluate(() => Reflect.has(window, 'old')).catch(() => null)).toBe(false);
      await app.expectCard('inspector', 'rejected');
      expect(app.path).toBe(place);
    });
    await test.step('a notification names the agent, and leads to the window', async () => {
      await app.newConversation();
      await app.desktop.act('look away');
      await app.send('Inspect this project.');
      await expect.poll(() => app.desktop.asked('notification')).toHaveLength(1);
      expect(app.desktop.asked('notification')).toMatchObject([{ title: 'Question from inspector' }]);
      expect(app.desktop.asked('flash')).toEqual([true]);
      await expect(app.page, 'the window counts what waits').toHaveTitle(/1/);
      const before = app.desktop.asked('focus').length;
      await app.desktop.act('click notification');
      await expect.poll(() => app.desktop.asked('focus').length).toBe(before + 1);
      await app.allow('inspector');
      await expect.poll(() => app.desktop.asked('notification closed')).toHaveLength(1);
      await app.expectOutcome('completed');
    });
  });

  test('a notification marks what hides in a name or a title', { tag: '@soak' }, async ({ start }) => {
    const app = await start(writeFile({ path: 'src/clean\u202Egpj.sh' }));
    await expect(app.message).toBeVisible();
    await app.desktop.act('look away');
    await app.send('Clean up.');
    await expect.poll(() => app.desktop.asked('notification')).toHaveLength(1);
    const [{ body }] = app.desktop.asked('notification') as [{ body: string }];
    expect(body).toMatch(/^Write src\/clean⟦U\+202E⟧gpj\.sh/);
  });

  test('a window that closes last ends the app', { tag: '@soak' }, async ({ start }) => {
    const app = await start(plainAnswer());
    const other = await app.secondTab();
    await expect(other.message).toBeVisible();
    await app.page.close();
    await other.send('Hello.');
    await other.expectOutcome('completed');
    await other.page.close();
    expect(await app.desktop.ended()).toBe(0);
  });

  test('works on what another program owns, and takes over when that one dies', { tag: '@soak' }, async ({ start }) => {
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
    // Ignored while a message is on its way, and tries again where that failed.
    await expect(async () => {
      await app.message.press('Enter');
      await expect(app.message).toHaveValue('', { timeout: 1000 });
    }).toPass();
    // Until the new message stands there, the newest workflow is the one before.
    await expect(app.workflow().getByText('And again.', { exact: true }).first()).toBeVisible();
    await app.expectOutcome('completed');
    expect(app.model.requests).toHaveLength(2);
  });
});
