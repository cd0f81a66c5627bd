/** A conversation of many messages: it stays at its end, unless the reader goes up. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** More than fit into three windows. */
const MESSAGES = 12;

test(
  'a long conversation shows the newest message, and has a button to return to it after scrolling up',
  fullSpec(
    'e2e/chat/streaming.spec.ts › a streamed answer renders like a complete answer, keeps selections and clicks, and survives a reload',
  ),
  async ({ start }) => {
    const lines = (seen: string) => `Answer to ${seen}.\n\n${'It has a few lines of text. '.repeat(12)}`;
    const last = new Gate();
    const script = plainAnswer();
    script.rules.length = 0;
    script.on({ asked: /the last one/ }).reply((seen) => [{ type: 'text', text: lines(seen.asked), deltas: 12 }], {
      hold: last.at(8),
    });
    script.on({}).reply((seen) => [{ type: 'text', text: lines(seen.asked), deltas: 12 }]);
    const app = await start(script);
    for (let n = 1; n < MESSAGES; n += 1) {
      await app.send(`message ${n}`);
      await app.expectOutcome('completed');
    }
    await expect(app.workflow().getByText(`Answer to message ${MESSAGES - 1}.`)).toBeInViewport();
    await expect(app.button('Jump to latest')).toBeHidden();

    await app.log.hover();
    await app.page.mouse.wheel(0, -3000);
    await expect(app.button('Jump to latest')).toBeVisible();
    await app.message.fill('the last one');
    await app.button('Jump to latest').click();
    await expect(app.workflow().getByText(`Answer to message ${MESSAGES - 1}.`)).toBeInViewport();
    await expect(app.button('Jump to latest')).toBeHidden();

    await app.button('Send').click();
    await expect(app.workflow()).toContainText('Answer to the last one.');
    await expect(app.footer()).toBeInViewport();
    await app.log.hover();
    await app.page.mouse.wheel(0, -3000);
    await expect(app.button('Jump to latest')).toBeVisible();
    last.open();
    await app.expectOutcome('completed');
    await expect(app.button('Jump to latest'), 'who reads above is left there').toBeVisible();
    await expect(app.footer()).not.toBeInViewport();
  },
);
