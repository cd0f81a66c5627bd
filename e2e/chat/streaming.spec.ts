/** A text while it is written: at its end it is what it would be at once, finished blocks stay, and nothing unsafe shows. */
import type { Page } from '@playwright/test';
import { Gate } from '../../tests/support/gate.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { expect, inSoak, test } from '../support/test.ts';

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

test('a text that streams ends as it would be at once; what is finished stays selected; nothing unsafe shows', async ({
  start,
}) => {
  const middle = new Gate();
  const [deltas, half] = inSoak() ? [400, 250] : [160, 100];
  const app = await start(new Script().on({}).reply([text(TEXT, { deltas, delayMs: 2 })], { hold: middle.at(half) }));
  const { host } = new URL(app.page.url());
  const outside: string[] = [];
  app.page.on('request', (request) => {
    const { protocol, host: asked } = new URL(request.url());
    if (asked !== host && !/^(data|blob):$/.test(protocol)) outside.push(request.url());
  });
  await app.page.evaluate(WATCH);
  const said = 'Write: <b onclick="window.harmed=2">bold</b>';
  await app.send(said);
  await expect(app.workflow().getByText(said).first()).toBeVisible();
  const paragraph = app.workflow().getByText(/^A finished paragraph/);
  await expect(paragraph).toBeVisible();
  await expect(app.workflow().getByText('deeper')).toBeVisible();
  await paragraph.evaluate((element) => document.getSelection()?.selectAllChildren(element));
  await paragraph.evaluate((element) => ((element as HTMLElement & { kept?: boolean }).kept = true));
  const list = app.workflow().getByRole('list').first();
  await list.evaluate((element) => ((element as HTMLElement & { kept?: boolean }).kept = true));
  middle.open();
  await app.expectOutcome('completed');

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
});
