/** The desktop as one of the programs of a machine; then what a page of it cannot do, whatever got into it. */
import type { Page } from '@playwright/test';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { expect, test } from '../support/test.ts';

const only = {
  tag: '@stand-in',
  annotation: { type: 'why', description: 'It watches what the shell asks of the machine' },
};

/** Runs in the page as if the page itself did it. */
const runInPage = (page: Page, code: string) => page.evaluate(code).catch(() => undefined);

/** One of the programs of a machine: one at a time, back when its page dies, calling for attention. */
async function livesBesideOthers(app: App): Promise<void> {
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
}

test.describe('the desktop', only, () => {
  test('a second start shows the first window, a crashed page restarts, and a page has only two functions', async ({
    start,
  }) => {
    const script = new Script()
      .on({ asked: /Hello/ })
      .reply([text('See [the guide](https://example.com/guide) for more.')]);
    script.rules.push(...spawnOne().rules);
    const app = await start(script);
    await livesBesideOthers(app);
    await app.newConversation();
    const { page, desktop } = app;
    await test.step('has two functions and nothing else of the process', async () => {
      const found = await page.evaluate(() => ({
        bridge: Object.entries(Reflect.get(window, 'triad') as object).map(([name, value]) => [name, typeof value]),
        node: ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer', 'electron', '__dirname'].filter(
          (name) => name in window,
        ),
        changed: Reflect.set(Reflect.get(window, 'triad') as object, 'request', null),
      }));
      expect(found).toEqual({
        bridge: [
          ['request', 'function'],
          ['subscribe', 'function'],
        ],
        node: [],
        changed: false,
      });
      expect(desktop.asked('window')).toMatchObject([
        { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
      ]);
    });
    await test.step('is answered what the contract allows, with codes', async () => {
      const ask = (method: string, input: unknown) =>
        page.evaluate(
          ([name, given]) =>
            (
              Reflect.get(window, 'triad') as { request: (method: unknown, input: unknown) => Promise<unknown> }
            ).request(name, given),
          [method, input] as const,
        );
      expect(await ask('agents.list', {})).toMatchObject({ ok: true });
      expect(await ask('constructor', {})).toMatchObject({ ok: false, error: { code: 'bad_input' } });
      expect(await ask('run.stop', { runId: '../..' })).toMatchObject({
        ok: false,
        error: { code: 'bad_input' },
      });
      expect(await ask('run.get', { runId: '0190a0a0-0000-7000-8000-000000000000' })).toMatchObject({
        ok: false,
        error: { code: 'not_found' },
      });
    });
    await test.step('is the only one that is listened to', async () => {
      await expect(app.message).toBeVisible();
      await app.desktop.act('message from', 'https://example.com/');
      await expect.poll(() => app.notes()).toContain('refused a message from https://example.com/');
      await app.desktop.act('message from', 'app://elsewhere/');
      await expect.poll(() => app.notes()).toContain('refused a message from app://elsewhere/');

      const before = app.notes();
      await app.page.evaluate(() => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        const post = Reflect.get(frame.contentWindow ?? {}, '__electron_stand_in__') as (text: string) => void;
        const message = { kind: 'request', id: 1, method: 'app.state', input: {} };
        post(JSON.stringify(['send', 'triad', message]));
      });
      await expect.poll(() => app.notes().slice(before.length)).toContain('refused a message from app://bundle/');
    });
    await test.step('is given nothing of the machine but the way to copy', async () => {
      for (const permission of [
        'geolocation',
        'media',
        'notifications',
        'clipboard-read',
        'openExternal',
        'fileSystem',
      ])
        expect(await app.desktop.act('permission', permission), permission).toEqual({
          requested: false,
          checked: false,
          device: false,
        });
      expect(await app.desktop.act('permission', 'clipboard-sanitized-write')).toEqual({
        requested: true,
        checked: true,
        device: false,
      });
      expect(await app.desktop.act('attach webview'), 'a page within the page').toBe(false);
    });
    expect(app.complaints.unexpected(), 'so far').toEqual([]);
    await test.step('gets nothing that is not in the bundle', async () => {
      app.complaints.expect(/404/);
      await expect(app.message).toBeVisible();
      const statuses = await app.page.evaluate(async () => {
        const paths = [
          ...['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json'],
          ...['/_app/..%2f..%2fpackage.json', '/_app/..%5c..%5cpackage.json'],
        ];
        const found = await Promise.all(paths.map(async (path) => (await fetch(path)).text()));
        return found.map((text) => text.includes('"dependencies"'));
      });
      expect(statuses).toEqual(Array(5).fill(false));
      const { headers } = await app.page.evaluate(async () => {
        const response = await fetch('/');
        return { headers: Object.fromEntries(response.headers) };
      });
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['content-security-policy']).not.toContain('unsafe-inline');
    });
    await test.step('runs no script from elsewhere, and its policy says so', async () => {
      await expect(app.message).toBeVisible();
      app.complaints.expect(/example\.com|connect-src|script-src|trusted-?types?|violates|blocked/i);
      const outcomes = await app.page.evaluate(async () => {
        const tried = async (work: () => unknown) => {
          try {
            await work();
            return 'done';
          } catch {
            return 'refused';
          }
        };
        return [
          await tried(() => import(String('https://example.com/x.js'))),
          await tried(() => fetch('https://example.com/')),
          await tried(() => (document.body.innerHTML = '<b>x</b>')),
          await tried(() => Reflect.construct(Function, ['return 1'])),
        ];
      });
      expect(outcomes).toEqual(['refused', 'refused', 'refused', 'refused']);
    });
    await test.step('cannot be led away from the app', async () => {
      app.complaints.expect(/Not allowed to navigate top frame to data URL/);
      await expect(app.message).toBeVisible();
      for (const url of ['https://example.com/', 'http://127.0.0.1:1/', 'data:text/html,hello'])
        await runInPage(app.page, `location.href = '${url}'`);
      await expect(app.message).toBeVisible();
      expect(app.path).toBe('/');
    });
    await test.step('cannot open a window: a link goes to the browser of the person', async () => {
      app.complaints.expect(/Not allowed to load local resource|script-src/);
      await app.send('Hello.');
      await app.expectOutcome('completed');
      const link = app.workflow().getByRole('link', { name: /the guide/ });
      await expect(link, 'it says where it leads').toHaveAttribute('data-target', 'example.com');
      await link.click();
      await expect.poll(() => app.desktop.asked('message')).toHaveLength(1);
      expect(app.desktop.asked('message')[0]).toMatchObject({ detail: 'https://example.com/guide', cancelId: 1 });
      expect(app.desktop.asked('external'), 'nothing opens before it is wanted').toEqual([]);
      await app.desktop.act('press', 'Open');
      await expect.poll(() => app.desktop.asked('external')).toEqual(['https://example.com/guide']);
      const [inherited] = app.desktop.asked('inherited') as string[][];
      expect(inherited, 'which inherits the person’s variables').toContain('PATH');
      expect(inherited, 'and none of ours').not.toContainEqual(expect.stringMatching(/^(ANTHROPIC|TRIAD)_/));
      for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'app://bundle/', 'about:blank'])
        await runInPage(app.page, `void window.open('${url}')`);
      await expect.poll(() => app.page.context().pages().length).toBe(1);
      expect(app.desktop.asked('external')).toHaveLength(1);
      expect(app.desktop.asked('message'), 'these are not even asked about').toHaveLength(1);
      await expect.poll(() => app.notes()).toContain('refused a window at app://bundle/');
      await expect.poll(() => app.notes()).toContain('refused a link to about:blank');
    });
  });
});
