/** Hostile content wherever text of others is shown, then a page that is in other hands: nothing gets through, each try is told. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { HOSTILE_CLASSES, hostileFrames } from '../../tests/support/hostile/frames.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const SEED = 18;

const HOSTILE = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 2">',
  '<img src="https://example.com/pixel.png">',
  '<svg><animate onbegin="window.pwned = 3" attributeName="x"></svg>',
  '<iframe srcdoc="<script>top.pwned = 4</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://example.com/">',
  '<form action="https://example.com/"><button autofocus>x</button></form>',
  '<a href="javascript:window.pwned=5" target="_blank">click</a>',
  '<style>@import "https://example.com/x.css"</style>',
  '<object data="app://../package.json"></object><webview src="https://example.com/"></webview>',
  '![pixel](https://example.com/pixel.png) ![file](app://../package.json) ![file](file:///etc/passwd)',
  '[run](javascript:window.pwned=6) [data](data:text/html,<script>top.pwned=7</script>) [file](file:///etc/passwd)',
  '<base href="https://example.com/"><link rel="stylesheet" href="https://example.com/x.css">',
].join('\n\n');
const AGENT = `---
name: hostile
description: "Harmless <img src=x onerror='window.pwned = 8'> [x](javascript:window.pwned=9)"
---

${HOSTILE}
`;

/** What one could see from outside if any of it had worked. */
async function expectUnharmed(app: App, path: string): Promise<void> {
  expect(await app.page.evaluate(() => Reflect.has(window, 'pwned'))).toBe(false);
  expect(new URL(app.page.url()).pathname).toBe(path);
  expect(app.page.context().pages()).toHaveLength(1);
  expect(app.page.frames()).toHaveLength(1);
  expect(app.desktop.asked('external')).toEqual([]);
  expect(app.desktop.asked('message')).toEqual([]);
}

async function showsContent(app: App): Promise<void> {
  await test.step('in an answer and in the result of a tool', async () => {
    await app.send('Read it.');
    await app.expectOutcome('completed');
    await app.call(/^read_file/).click();
    await expect(app.workflow()).toContainText('window.pwned = 1');
    for (const link of await app
      .workflow()
      .getByRole('link', { name: /^(run|data|file|click)$/ })
      .all())
      await link.click();
    await expectUnharmed(app, app.path);
  });
  await test.step('in the file of an agent', async () => {
    await app.page.getByRole('link', { name: 'Agents', exact: true }).click();
    await app.page
      .getByRole('list', { name: /^Agents: / })
      .getByRole('link', { name: /hostile/ })
      .click();
    await expect(app.page.getByRole('textbox', { name: /^Text of / })).toHaveValue(/window\.pwned = 1/);
    await expectUnharmed(app, '/agents');
  });
}

/** By the bridge that every page has, then as a process that sends what it likes. */
async function sendsPayloads(app: App): Promise<number> {
  const frames = hostileFrames(SEED, 1000, 'json');
  expect(new Set(frames.map((one) => one.class)).size).toBe(HOSTILE_CLASSES.length - 1);
  // Others are hostile by their frame alone, which a page does not write.
  const requests = frames.flatMap(({ class: name, frame }) => {
    const { method, input } = (frame ?? {}) as Record<string, unknown>;
    return /^(a|no|an input that the) method/.test(name) ? [[method, input]] : [];
  });
  const replies = await app.page.evaluate(async (text) => {
    const all = JSON.parse(text) as [unknown, unknown][];
    const { request } = Reflect.get(window, 'triad') as {
      request: (method: unknown, input: unknown) => Promise<{ ok: boolean }>;
    };
    const answers = all.map(([method, input]) => request(method, input));
    return (await Promise.all(answers)).map(({ ok }) => ok);
    // As text: what is nested deeply does not survive the way into the page.
  }, JSON.stringify(requests));
  expect(replies.length).toBeGreaterThan(200);
  expect(requests.filter((_, index) => replies[index])).toEqual([]);
  await app.desktop.act('frames', JSON.stringify(frames.map(({ frame }) => frame)));
  return frames.length + replies.length;
}

const readsFiles = (page: Page) =>
  page.evaluate(async () => {
    const paths = [
      ...['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/%2e%2e%2fpackage.json'],
      ...['/_app/..%2f..%2fpackage.json', '/_app/..%5c..%5cpackage.json', '/..%c0%afpackage.json', '//package.json'],
      ...['/%00/package.json', '/package.json%00.js', '/.//package.json', '/%252e%252e%252fpackage.json', '/%zz.json'],
    ];
    const texts = await Promise.all(
      paths.map(async (path) => (await (await fetch(path).catch(() => null))?.text()) ?? ''),
    );
    return texts.filter((found) => found.includes('"dependencies"') || found.includes('"electron"'));
  });

async function breaksOut(app: App): Promise<void> {
  const { page } = app;
  app.complaints.expect(/404|Not allowed|violates|blocked|script-src|example\.com|Failed to load|connect-src|policy:/i);
  expect(await readsFiles(page)).toEqual([]);
  await page.evaluate(async () => {
    const ignored = () => undefined;
    for (const url of ['https://example.com/', 'app://../package.json', 'file:///etc/passwd'])
      await fetch(url).catch(ignored);
    for (const url of ['about:blank', 'app://bundle/', 'file:///etc/passwd', 'javascript:alert(1)']) window.open(url);
  });
  for (const url of ['https://example.com/', 'file:///etc/passwd', 'data:text/html,x'])
    await page.evaluate((to) => void (location.href = to), url).catch(() => undefined);
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.src = 'https://example.com/';
    document.body.append(frame);
    frame.remove();
  });
  for (const permission of ['geolocation', 'media', 'clipboard-read']) await app.desktop.act('permission', permission);
  await app.desktop.act('attach webview');
  await expect.poll(() => page.context().pages().length).toBe(1);
}

test.describe('a hostile page', () => {
  test(
    'runs no code, reads no file and has its requests refused, and the security page counts its attempts',
    fullSpec(
      [
        'tests/electron/hostile-frames.alone.test.ts › hostile payloads of every class reach no handler, break nothing, and are each counted',
        'tests/electron/refusals.alone.test.ts › logs at most 20 lines and one count for each kind of refusal in a minute',
        'e2e/desktop/desktop-guards.spec.ts › a second start shows the first window, a crashed page restarts, and a page has only two functions',
      ],
      { tag: '@stand-in', annotation: { type: 'why', description: 'It needs the shell around the page' } },
    ),
    async ({ start }) => {
      const script = new Script()
        .on({ step: 1 })
        .reply([toolUse('read_file', { path: 'hostile.md' })])
        .on({ step: 2 })
        .reply([text(HOSTILE)]);
      const app = await start(script, { files: { 'hostile.md': HOSTILE, '.triad/agents/hostile.md': AGENT } });
      await showsContent(app);
      await app.goto('/settings?section=security');
      await expect(app.page.getByText('Nothing since the start.'), 'content alone has reached nobody').toBeVisible();
      let sent = 0;
      await test.step('sends a thousand payloads', async () => void (sent = await sendsPayloads(app)));
      await test.step('wants out', () => breaksOut(app));
      await test.step('is told of, by number and in a log of bounded size', async () => {
        await app.goto('/settings?section=security');
        const refused = app.page.getByRole('list', { name: 'Refused to pages' });
        await expect(refused.getByText(`${sent} messages to the program`)).toBeVisible();
        for (const what of [
          /^\d+ files?$/,
          /^\d+ windows?$/,
          /^\d+ links?$/,
          /^3 permissions$/,
          /^1 page within a page$/,
        ])
          await expect(refused.getByText(what)).toBeVisible();
        for (const what of [/^\d+ ways? out of the app$/, /^\d+ scripts or other content/])
          await expect(refused.getByText(what)).toBeVisible();
        expect(app.desktop.asked('external')).toEqual([]);
        const log = await readFile(join(app.home, 'desktop/desktop.log'), 'utf8').catch(() => '');
        expect(log.split('\n').filter((line) => line.includes('refused a message')).length).toBeLessThan(25);
      });
      await test.step('and the app still works', async () => {
        await app.goto('/');
        await expect(app.message).toBeVisible();
        await expect(app.page.getByRole('link', { name: 'New conversation' })).toBeVisible();
      });
    },
  );
});
