/** Words of models are only words: nothing in them runs, loads or hides. */
import { plainAnswer, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { leadCalls } from '../support/scripts.ts';

const HOSTILE = [
  'Before. <script>window.pwned = "script"</script>',
  '<img src="x" onerror="window.pwned = \'image\'"> <img src="https://example.invalid/pixel.png">',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe><form action="/x"><button>Send</button></form>',
  '[click me](javascript:window.pwned=1) [and me](data:text/html,hello) <a href="jav&#x09;ascript:alert(1)">three</a>',
  '<div style="position:fixed;inset:0;background:red" id="message">cover</div>',
  '![pixel](https://example.invalid/other.png)',
  '```html\n<script>window.pwned = "code"</script>\n```',
  'After.',
].join('\n\n');

test(
  'nothing in an answer runs, loads from elsewhere or covers the page',
  fullSpec(
    'e2e/chat/streaming.spec.ts › a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload',
  ),
  async ({ start }) => {
    const app = await start(plainAnswer({ answer: HOSTILE }));
    const { page } = app;
    const { host } = new URL(page.url());
    const outside: string[] = [];
    page.on('request', (request) => {
      const { protocol, host: asked } = new URL(request.url());
      if (asked !== host && !/^(data|blob):$/.test(protocol)) outside.push(request.url());
    });
    await app.send('Show me something nasty: <b onclick="window.pwned=2">bold</b>');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('After.');
    await expect(app.workflow().getByText('<b onclick="window.pwned=2">bold</b>').first()).toBeVisible();
    await expect(app.workflow().getByText('<script>window.pwned = "code"</script>')).toBeVisible();

    const inside = app
      .workflow()
      .locator('script, iframe, form, img, object, embed, [style*=fixed], [onerror], [onclick]');
    await expect(inside).toHaveCount(0);
    for (const href of await app
      .workflow()
      .locator('a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))) {
      expect(href).toMatch(/^(https?:|\/|$)/);
    }
    for (const link of await app
      .workflow()
      .getByText(/click me|and me|three/)
      .all())
      await link.click();
    expect(await page.evaluate(() => (window as unknown as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(outside).toEqual([]);
    expect(page.context().pages()).toHaveLength(1);
  },
);

test(
  'an approval shows invisible and direction-changing characters as marks',
  fullSpec(
    'tests/lib/approvals/approval-modal.server.test.ts › marks and counts the invisible characters of a prompt, and shows markup as text',
  ),
  async ({ start }) => {
    const prompt = 'Delete nothing.\u202E gnihtyreve eteleD \u202C\u200BDone.';
    const app = await start(
      leadCalls(
        [spawn({ name: 'cleaner', prompt, reason: '<img src=x onerror=1>' })],
        [{ prompt: /./, task: 'cleaning' }],
      ),
    );
    await app.send('Clean up.');
    await app.lookAt('cleaner');
    await expect(app.question).toContainText('Contains 3 characters that cannot be seen.');
    await expect(app.question).toContainText('⟦U+202E⟧ gnihtyreve eteleD ⟦U+202C⟧⟦U+200B⟧Done.');
    await expect(app.question).toContainText('<img src=x onerror=1>');
    await expect(app.question.locator('img')).toHaveCount(0);
  },
);
