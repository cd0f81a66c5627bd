/** A reload in the middle of a reply: nothing twice, nothing missing, and it goes on live. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, test } from '../support/test.ts';

test('words that were streamed before a reload stand there once, and the rest follows', async ({ start }) => {
  const whole = Array.from({ length: 120 }, (_, n) => `word-${n + 1}`).join(' ');
  const rest = new Gate();
  const app = await start(plainAnswer({ answer: whole, deltas: 60, reply: { hold: rest.at(32) } }));
  await app.send('Say many words.');
  await expect(app.workflow()).toContainText('word-50');
  const shown = async () => ((await app.workflow().innerText()).match(/word-\d+/g) ?? []).join(' ');
  const before = await shown();
  expect(whole.startsWith(before), before).toBe(true);

  await app.page.reload();
  await expect(app.workflow().getByText('word-50')).toBeVisible();
  const after = await shown();
  expect(after.length, 'no less than before').toBeGreaterThanOrEqual(before.length);
  expect(whole.startsWith(after), after).toBe(true);
  await expect(app.button('Stop reply')).toBeVisible();

  rest.open();
  await app.expectOutcome('completed');
  expect(await shown()).toBe(whole);
  await app.page.reload();
  await app.expectOutcome('completed');
  expect(await shown()).toBe(whole);
  expect(app.model.requests).toHaveLength(1);
});
