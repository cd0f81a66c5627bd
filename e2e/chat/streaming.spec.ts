/** A text while it is written: finished blocks stay, nothing unsafe shows, a reload repeats nothing and a click hits what it was meant for. */
import type { Page } from '@playwright/test';
import { Gate } from '../../tests/support/gate.ts';
import { LEAD } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { expectNoShift, watchShifts } from '../support/layout-shifts.ts';
import { expect, inFullRun, test } from '../support/test.ts';

const TEXT = `# A first heading with <b>markup</b> & "quotes"

A finished paragraph that somebody reads, with **strong** words.

Then [a link][late].

<img src=x onerror="window.harmed = true"><script>window.harmed = true</script>

<div onclick="window.harmed = true">
<style>* { display: none }</style>
</div>

<form action="/x"><button>Send</button></form>
<div style="position:fixed;inset:0;background:red" id="message">cover</div>

[click me](javascript:window.harmed=true) [and me](data:text/html,hello) <a href="jav&#x09;ascript:alert(1)">three</a>

1. one \`code\` <svg onload="window.harmed = true">

2. two
   - deep [bad](javascript:window.harmed=true) ![shot](https://example.invalid/x.png)
   - deeper
     > quoted <iframe src="javascript:parent.harmed=true">

| place | what | more |
|---|:-:|--:|
| README | it's "said" <input autofocus onfocus="window.harmed = true"> | 1 |
| src | \`a | b\` | 2 |

\`\`\`js
// The one </code><script>window.harmed = true</script>
export const sum = (a, b) => a + b;
\`\`\`

Words at the end of all. They grow & grow, &copy; and &amp; too, until they are <em>done</em>.

[late]: https://example.org/late

~~~html
<img src=x onerror="window.harmed = true">
never closed`;

const WORDS = Array.from({ length: 120 }, (_, n) => `word-${n + 1}`).join(' ');

/** Looks at every element and attribute that ever comes into the page. */
const WATCH = `(() => {
  const breaches = (window.breaches = []);
  const look = (element) => {
    if (element.matches('script, img, iframe, object, embed, style, link, meta, form, input, video, math, base'))
      breaches.push(element.outerHTML);
    for (const { name, value } of element.attributes)
      if (/^on|^src|^style$/.test(name) || (name === 'href' && !/^https?:|^mailto:|^\\//.test(value))) breaches.push(name + '=' + value);
  };
  new MutationObserver((records) => {
    for (const { addedNodes, target, attributeName } of records) {
      if (attributeName !== null && target.closest('.prose')) look(target);
      for (const node of addedNodes) {
        if (!(node instanceof Element) || !node.parentElement?.closest('.prose')) continue;
        for (const element of [node, ...node.querySelectorAll('*')]) look(element);
      }
    }
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
})()`;

/** The HTML of the newest message, without the marks between its blocks. */
const shown = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('.prose')].at(-1)?.innerHTML.replaceAll(/<!--.*?-->/g, '') ?? '');

/** Nothing of it loads from elsewhere, leads away or stands over the page. */
async function expectOnlyWords(app: App): Promise<void> {
  const inside = app
    .workflow()
    .locator('script, iframe, form, img, object, embed, [style*=fixed], [onerror], [onclick]');
  await expect(inside).toHaveCount(0);
  const links = app.workflow().locator('a');
  for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')))
    expect(href).toMatch(/^(https?:|\/|$)/);
  const dead = app.workflow().getByText(/^(click me|and me|three)$/);
  for (const link of await dead.all()) await link.click();
  expect(app.page.context().pages()).toHaveLength(1);
}

/** Colours come last, and to the last code last of all. */
const coloured = (app: App) =>
  expect(app.workflow().locator('[class^=token-]').getByText('never closed')).toBeVisible();

/** At its end it is what it would be at once. */
async function showsNothingUnsafe(app: App, middle: Gate): Promise<void> {
  const { host } = new URL(app.page.url());
  const outside: string[] = [];
  app.page.on('request', (request) => {
    const { protocol, host: asked } = new URL(request.url());
    if (asked !== host && !/^(data|blob):$/.test(protocol)) outside.push(request.url());
  });
  await app.page.evaluate(WATCH);
  await watchShifts(app.page);
  const said = 'Write: <b onclick="window.harmed=2">bold</b>';
  await app.send(said);
  await expect(app.workflow().getByText(said).first()).toBeVisible();
  const paragraph = app.workflow().getByText(/^A finished paragraph/);
  await expect(paragraph).toBeVisible();
  // The list is built anew until its last item has begun.
  await expect(app.workflow().getByText('quoted')).toBeVisible();
  await paragraph.evaluate((element) => document.getSelection()?.selectAllChildren(element));
  await paragraph.evaluate((element) => ((element as HTMLElement & { kept?: boolean }).kept = true));
  const list = app.workflow().getByRole('list').first();
  await list.evaluate((element) => ((element as HTMLElement & { kept?: boolean }).kept = true));
  middle.open();
  await app.expectOutcome('completed');
  await expectNoShift(app.page);

  expect(await app.page.evaluate(() => document.getSelection()?.toString())).toContain('that somebody reads');
  expect(await list.evaluate((element) => (element as HTMLElement & { kept?: boolean }).kept)).toBe(true);
  expect(await app.page.evaluate('window.breaches')).toEqual([]);
  expect(await app.page.evaluate('window.harmed')).toBeUndefined();
  await coloured(app);
  await expectOnlyWords(app);
  expect(await app.page.evaluate('window.harmed')).toBeUndefined();
  expect(outside).toEqual([]);
  await expect(app.workflow().getByRole('link', { name: 'a link' })).toHaveAttribute(
    'href',
    'https://example.org/late',
  );

  const streamed = await shown(app.page);
  await app.page.reload();
  await coloured(app);
  expect(await shown(app.page)).toBe(streamed);
}

/** Nothing twice, nothing missing, and it goes on live. */
async function survivesReloads(app: App, rest: Gate): Promise<void> {
  await app.send('Say many words.');
  await expect(app.workflow()).toContainText('word-50');
  const shown = async () => ((await app.workflow().innerText()).match(/word-\d+/g) ?? []).join(' ');
  const before = await shown();
  expect(WORDS.startsWith(before), before).toBe(true);

  await app.page.reload();
  await expect(app.workflow().getByText('word-50')).toBeVisible();
  const after = await shown();
  expect(after.length, 'no less than before').toBeGreaterThanOrEqual(before.length);
  expect(WORDS.startsWith(after), after).toBe(true);
  await expect(app.button('Stop reply')).toBeVisible();

  rest.open();
  await app.expectOutcome('completed');
  expect(await shown()).toBe(WORDS);
  await app.page.reload();
  await app.expectOutcome('completed');
  expect(await shown()).toBe(WORDS);
}

/** What is pressed stays below the pointer while the conversation grows. */
async function keepsTheClick(app: App, wait: Gate): Promise<void> {
  const { page } = app;
  await app.send('Look around.');
  const row = app.call('list_directory');
  await expect(row.getByText('completed')).toBeAttached();
  // Waits until the row stands still.
  await row.hover();
  await page.mouse.down();
  wait.open();
  await expect(app.footer().getByText('completed', { exact: true })).toBeAttached();
  await page.mouse.up();
  await expect(row, 'the click counts').toHaveAttribute('aria-expanded', 'true');
  await expect(app.footer().getByText('completed', { exact: true }), 'then the end comes into sight').toBeInViewport();
}

/** Scrolls up and expects "Jump to latest" to return to the end. */
async function expectJumpToLatest(app: App): Promise<void> {
  await expect(app.button('Jump to latest')).toBeHidden();
  await app.log.hover();
  await app.page.mouse.wheel(0, -1500);
  await expect(app.button('Jump to latest')).toBeVisible();
  await expect(app.footer()).not.toBeInViewport();
  await app.button('Jump to latest').click();
  await expect(app.footer()).toBeInViewport();
  await expect(app.button('Jump to latest')).toBeHidden();
}

test('a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload', async ({
  start,
}) => {
  const [middle, rest, wait] = [new Gate(), new Gate(), new Gate()];
  const [deltas, half] = inFullRun() ? [400, 250] : [160, 100];
  const script = new Script()
    .on({ asked: /^Write: / })
    .reply([text(TEXT, { deltas, delayMs: 2 })], { hold: middle.at(half) })
    .on({ asked: /many words/ })
    .reply([text(WORDS, { deltas: 60 })], { hold: rest.at(32) })
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('list_directory', { path: '.' })])
    .on(LEAD)
    .reply([text('One more paragraph.\n\n'.repeat(60))], { hold: wait.at(1) });
  const app = await start(script);
  await showsNothingUnsafe(app, middle);
  await survivesReloads(app, rest);
  await keepsTheClick(app, wait);
  await expectJumpToLatest(app);
  expect(app.model.requests, 'nothing is asked again').toHaveLength(4);
});
