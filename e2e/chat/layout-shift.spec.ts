/** Nothing that somebody reads moves while an answer streams in, while agents work, or while the reader goes up. */
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import type { App } from '../support/app.ts';
import { expectNoShift, watchShifts } from '../support/layout-shifts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

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

async function goUp({ page, log }: App): Promise<void> {
  await log.hover();
  const top = () => log.evaluate((column) => column.scrollTop);
  for (let last = await top(); last > 0;) {
    await page.mouse.wheel(0, -200);
    await expect.poll(top).toBeLessThan(last);
    last = await top();
  }
}

test.describe(
  'text that is being read does not shift',
  fullSpec(
    'e2e/chat/streaming.spec.ts › a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload',
    { tag: '@browser' },
  ),
  () => {
    test('while the lead answers for ten seconds, and while the reader then scrolls up', async ({ start }) => {
      const answer = text(PART.repeat(10), { deltas: 400, delayMs: 25 });
      const app = await start(
        new Script()
          .on({ ...LEAD, step: 1 })
          .reply([text('I look around.'), toolUse('list_directory', { path: '.' })])
          .on(LEAD)
          .reply([answer]),
      );
      await app.send('Look around.');
      await watchShifts(app.page);
      await app.expectOutcome('completed');
      await expectNoShift(app.page);

      await app.page.reload();
      await expect(app.footer()).toBeInViewport();
      await watchShifts(app.page);
      await goUp(app);
      await expectNoShift(app.page);
    });

    test('while three sub-agents run side by side for ten seconds', async ({ start }) => {
      const names = ['accuracy', 'tone', 'links'];
      const all = new Gate();
      const app = await start(
        new Script()
          .on({ ...LEAD, step: 1 })
          .reply(names.map((name) => spawn({ name, prompt: `Check ${name}.` })))
          .on({ ...CHILD, step: 1 })
          .reply([toolUse('list_directory', { path: '.' })])
          .on(CHILD)
          .reply([text(PART.repeat(8), { deltas: 400, delayMs: 25 })], { hold: all.at(1) })
          .on(LEAD)
          .reply([text('All is well.')]),
      );
      await app.page.setViewportSize({ width: 1600, height: 900 });
      await app.send('Check the README.');
      for (const name of names) await app.allow(name);
      for (const name of names) await app.expectCard(name, 'running');
      const lanes = app.log.getByRole('group', { name: 'At work: accuracy, tone, links' }).getByRole('article');
      await expect(lanes).toHaveCount(3);
      await watchShifts(app.page);
      all.open();
      for (const name of names) await expect(app.card(name)).toContainText('What was found');
      await expect(lanes, 'side by side while they write').toHaveCount(3);
      for (const name of names) await app.expectCard(name, 'completed');
      await expectNoShift(app.page);
    });

    test('while the reader scrolls up to unfolded cards below each other', async ({ start }) => {
      const names = ['accuracy', 'tone', 'links'];
      const ODD = { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } };
      const app = await start(
        new Script()
          .on({ ...LEAD, step: 1 })
          .reply(names.map((name) => spawn({ name, prompt: `Check ${name}.` })))
          .on({ ...CHILD, step: 1 })
          .reply([text(PART.repeat(4)), toolUse('list_directory', { path: '.' })])
          .on(CHILD)
          .reply([], ODD)
          .on(LEAD)
          .reply([text(PART.repeat(4))]),
      );
      await app.send('Check the README.');
      for (const name of names) await app.allow(name);
      for (const name of names) await app.expectCard(name, 'error');
      await app.expectOutcome('completed');

      await app.page.reload();
      await expect(app.footer()).toBeInViewport();
      await watchShifts(app.page);
      await goUp(app);
      await expectNoShift(app.page);
    });
  },
);
