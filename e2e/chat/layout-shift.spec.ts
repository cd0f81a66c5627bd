/** Nothing that somebody reads moves while an answer streams in, while agents work, or while the reader goes up. */
import type { Page } from '@playwright/test';
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, test } from '../support/test.ts';

/** The sum of the shifts in ten seconds, as browsers score them, from which nobody notices any. */
const MOST = 0.02;
const PART = `## What was found

A paragraph that is long enough to be broken into more than one line, at this width and at a smaller one, as most are.

| place | what |
| --- | ---: |
| README | 1 |

\`\`\`js
export const sum = (a, b) => a + b;
\`\`\`

- one thing
- another thing

`;

const WATCH = `(() => {
  const shifts = (window.shifts = []);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120)) });
  }).observe({ type: 'layout-shift' });
})()`;

interface Shift {
  value: number;
  what: string[];
}

const watch = (page: Page) => page.evaluate(WATCH);

async function expectStill(page: Page): Promise<void> {
  const shifts: Shift[] = await page.evaluate('window.shifts');
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  expect(sum, JSON.stringify(shifts.toSorted((a, b) => b.value - a.value).slice(0, 3))).toBeLessThanOrEqual(MOST);
}

test.describe('of what is read nothing moves', { tag: ['@soak', '@browser'] }, () => {
  test('while the lead answers for ten seconds, and while the reader goes up after it', async ({ start }) => {
    const answer = text(PART.repeat(10), { deltas: 400, delayMs: 25 });
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([text('I look around.'), toolUse('list_directory', { path: '.' })])
        .on(LEAD)
        .reply([answer]),
    );
    await app.send('Look around.');
    await watch(app.page);
    await app.expectOutcome('completed');
    await expectStill(app.page);

    await app.page.reload();
    await expect(app.footer()).toBeInViewport();
    await watch(app.page);
    await app.log.hover();
    const top = () => app.log.evaluate((log) => log.scrollTop);
    for (let last = await top(); last > 0;) {
      await app.page.mouse.wheel(0, -200);
      await expect.poll(top).toBeLessThan(last);
      last = await top();
    }
    await expectStill(app.page);
  });

  test('while three sub-agents work', async ({ start }) => {
    const names = ['accuracy', 'tone', 'links'];
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply(names.map((name) => spawn({ name, prompt: `Check ${name}.` })))
        .on({ ...CHILD, step: 1 })
        .reply([toolUse('list_directory', { path: '.' })])
        .on(CHILD)
        .reply([text(PART.repeat(4), { deltas: 200, delayMs: 25 })])
        .on(LEAD)
        .reply([text('All is well.')]),
    );
    await app.send('Check the README.');
    for (const name of names) await app.allow(name);
    for (const name of names) await app.expectCard(name, 'running');
    await watch(app.page);
    for (const name of names) await app.expectCard(name, 'completed');
    await expectStill(app.page);
  });
});
