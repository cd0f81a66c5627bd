/** What is pressed stays below the pointer while the conversation grows, so that the click is not lost. */
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { LEAD } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a click right after the conversation scrolled takes effect',
  fullSpec(
    'e2e/chat/streaming.spec.ts › a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload',
  ),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([toolUse('list_directory', { path: '.' })])
        .on(LEAD)
        .reply([text('One more paragraph.\n\n'.repeat(60))]),
    );
    const { page } = app;
    await app.send('Look around.');
    await app.expectOutcome('completed');
    const row = app.call('list_directory');
    await row.scrollIntoViewIfNeeded();
    const box = await row.boundingBox();
    if (!box) throw new Error('The row is nowhere');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const log = await app.log.elementHandle();
    const before = await app.log.evaluate((element) => element.scrollTop);
    await page.mouse.wheel(0, 2);
    await page.waitForFunction(([element, top]) => element?.scrollTop !== top, [log, before] as const);
    await page.mouse.down();
    await page.mouse.up();
    await expect(row).toHaveAttribute('aria-expanded', 'true');
  },
);

test(
  'a click that starts while the answer grows after a reload takes effect, and the end stays visible',
  fullSpec(
    'e2e/chat/streaming.spec.ts › a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload',
  ),
  async ({ start }) => {
    const [early, late] = [new Gate(), new Gate()];
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([toolUse('list_directory', { path: '.' })])
        .on({ ...LEAD, step: 2 })
        .reply(
          [text('One more paragraph.\n\n'.repeat(60), { deltas: 60 }), toolUse('list_directory', { path: 'src' })],
          {
            hold: early.at(30),
          },
        )
        .on(LEAD)
        .reply([text('One more paragraph.\n\n'.repeat(60), { deltas: 60 })], { hold: late.at(1) }),
    );
    const { page } = app;
    await app.send('Look around.');
    await expect(app.workflow().getByText('One more paragraph.').nth(20)).toBeAttached();
    await page.reload();
    await expect(app.workflow().getByText('One more paragraph.').nth(20)).toBeAttached();
    early.open();
    const row = app.call('list_directory').last();
    await expect(app.call('list_directory')).toHaveCount(2);
    await expect(row.getByText('completed')).toBeAttached();
    await expect(row).toBeInViewport();
    // Once it stands still.
    await row.hover();
    await page.mouse.down();
    late.open();
    await expect(app.footer().getByText('completed', { exact: true })).toBeAttached();
    await page.mouse.up();
    await expect(row, 'the click counts').toHaveAttribute('aria-expanded', 'true');
    await expect(
      app.footer().getByText('completed', { exact: true }),
      'then the end comes into sight',
    ).toBeInViewport();
  },
);
