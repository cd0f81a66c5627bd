/** What the desktop does beside its pages: menu, dialogs of the system, links, keys, the tray, and how it is quit. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It plays the machine around the app' },
};

const idOf = (app: App) => app.path.replace('/chat/', '');
const folderField = (app: App) => app.page.getByLabel('Folder', { exact: true });

/** Sets what the settings page would. */
const set = (app: App, path: string, value: unknown) =>
  app.page.evaluate(
    (input) =>
      (Reflect.get(window, 'triad') as { request(...given: unknown[]): Promise<unknown> }).request(
        'settings.set',
        input,
      ),
    { path, value },
  );

/** A conversation whose answer waits. */
function holding(rest: Gate): Script {
  return new Script()
    .on({ asked: /long/ })
    .reply([text('Done at last.')], { hold: rest.at(0) })
    .on({})
    .reply([text('Hello to you.')]);
}

test.describe('the desktop', only, () => {
  test(
    'asks before it quits during a workflow: Cancel continues, and the quit can wait until the workflow ends',
    fullSpec([
      'tests/electron/quit.alone.test.ts › asks once; Escape or Cancel keeps the app running and shows a window',
      'tests/electron/quit.alone.test.ts › keeps running until the work is done, also without a window, then quits; Cancel takes that back',
    ]),
    async ({ start }) => {
      const rest = new Gate();
      const app = await start(holding(rest));
      await app.send('A long one.');
      await app.model.waitFor(({ seen }) => /long/.test(seen.asked));
      await expect.poll(() => app.desktop.asked('awake')).toEqual(['prevent-app-suspension']);
      await app.desktop.act('quit');
      await expect
        .poll(() => app.desktop.asked('message'))
        .toMatchObject([{ message: 'A workflow is running. Quit Triad?' }]);
      await app.desktop.act('press', 'Escape');
      await expect(app.message, 'still there').toBeVisible();
      await app.desktop.act('quit');
      await expect.poll(() => app.desktop.asked('message')).toHaveLength(2);
      await app.desktop.act('press', 'Keep Running Until Done, Then Quit');
      rest.open();
      expect(await app.desktop.ended()).toBe(0);
      await app.crashAndRestart();
      await app.expectOutcome('completed');
    },
  );

  test(
    'opens a conversation from a link without starting a run, and starts a conversation in a folder from the menu',
    fullSpec([
      'tests/electron/deep-links.alone.test.ts › a link names a conversation or a workflow and nothing else',
      'tests/electron/deep-links.alone.test.ts › malformed links show one message at a time, shortened and with hidden characters marked, and open nothing',
      'tests/electron/around.alone.test.ts › the menu follows the conventions of Windows and Linux',
      'tests/electron/around.alone.test.ts › folder.pick opens one system dialog at a time, and a relative start folder is ignored',
    ]),
    async ({ start }) => {
      const app = await start(plainAnswer({ answer: 'Hello to you.' }));
      const { desktop, page } = app;
      await test.step('a link leads there, without a page that is loaded anew', async () => {
        await app.send('Hello.');
        await app.expectOutcome('completed');
        const link = `triad://conversation/${idOf(app)}`;
        const opens = app.workflow().getByRole('link', { name: 'Open in history' });
        const workflowId = (await opens.getAttribute('href'))?.split('/').at(-1);
        await app.newConversation();
        await app.message.fill('Half written');
        await page.evaluate(() => Reflect.set(window, 'sameDocument', true));
        expect(await desktop.act('open url', link)).toBe(true);
        await expect(page.getByText('Hello to you.').first()).toBeVisible();
        await app.newConversation();
        await expect(app.message, 'kept').toHaveValue('Half written');
        expect(await desktop.startSecond(link)).toBe(0);
        await expect(page.getByText('Hello to you.').first()).toBeVisible();
        await desktop.act('open url', `triad://workflow/${workflowId}`);
        await expect.poll(() => app.path).toBe(`/history/${workflowId}`);
        expect(await page.evaluate(() => Reflect.has(window, 'sameDocument'))).toBe(true);
        await page.goBack();
      });
      await test.step('a malformed one says so, and one of no conversation starts nothing', async () => {
        const before = app.path;
        await desktop.act('open url', 'triad://conversation/x?send=hello');
        expect(desktop.asked('message')).toMatchObject([{ message: 'This link leads nowhere in Triad' }]);
        expect(app.path).toBe(before);
        expect(app.model.requests).toHaveLength(1);
      });
      await test.step('a folder of the dialog, or a recent one, is that of a new conversation', async () => {
        await desktop.choose('Open Folder…');
        await desktop.act('pick folder', '/tmp');
        await expect(folderField(app)).toHaveValue('/tmp');
        await expect(app.message).toBeFocused();
        await page.getByRole('button', { name: 'Browse…' }).click();
        await expect.poll(() => desktop.asked('folder dialog').at(-1)).toMatchObject({ defaultPath: '/tmp' });
        await desktop.act('pick folder', '/usr');
        await expect(folderField(app)).toHaveValue('/usr');
        await desktop.choose('Settings…');
        await expect(page).toHaveURL(/\/settings$/);
        await desktop.choose(app.workspace);
        await expect(folderField(app)).toHaveValue(app.workspace);
      });
      await test.step('the list of shortcuts can be asked for twice', async () => {
        for (let times = 0; times < 2; times += 1) {
          await desktop.choose('Keyboard Shortcuts');
          await expect(page.getByRole('dialog')).toBeVisible();
          await page.keyboard.press('Escape');
          await expect(page.getByRole('dialog')).toBeHidden();
        }
      });
      await test.step('keys of the machine, the tray and the offline line follow the settings and the machine', async () => {
        await set(app, 'desktop.quick_entry', 'Alt+Space');
        await expect.poll(() => desktop.asked('global keys')).toEqual(['Alt+Space']);
        await page.getByRole('link', { name: 'Settings', exact: true }).click();
        await desktop.act('global keys', 'Alt+Space');
        await expect(app.message).toBeFocused();
        await set(app, 'desktop.tray', 'on');
        await expect.poll(() => desktop.asked('tray tip').at(-1)).toContain('0 workflows are running');
        await page.context().setOffline(true);
        await expect(page.getByText('This computer is offline.')).toBeVisible();
        await page.context().setOffline(false);
        await expect(page.getByText('This computer is offline.')).toBeHidden();
        expect(app.model.requests, 'nothing was started').toHaveLength(1);
      });
    },
  );
});
