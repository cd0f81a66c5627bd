/** A no with a reason: nothing starts, and the lead is told why. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a rejected sub-agent never runs and its reason reaches the lead',
  fullSpec('tests/core/approvals/approval.test.ts › the lead receives the reason of a rejection and continues'),
  async ({ start }) => {
    const app = await start(spawnOne());
    await app.send('Inspect this project.');
    await app.reject('Read the README yourself, it is short.', 'inspector');

    await expect(app.question).toBeHidden();
    await app.expectCard('inspector', 'rejected');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('Read the README yourself, it is short.');
    expect(app.model.requests, 'the lead twice, the sub-agent never').toHaveLength(2);
    const told = app.model.requests[1]?.seen.results ?? [];
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toContain('Read the README yourself, it is short.');
  },
);

test(
  'in the reason field Enter rejects at once, and Escape returns to the approval without closing it',
  fullSpec(
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
  ),
  async ({ start }) => {
    const app = await start(spawnOne());
    await app.send('Inspect this project.');
    await app.question.getByRole('button', { name: 'Reject…' }).click();
    const reason = app.field('Reason');
    await expect(reason).toBeFocused();
    const yes = app.question.getByRole('button', { name: 'Allow once' });
    await expect(yes).not.toHaveClass(/btn-primary/);
    await expect(yes).toHaveAttribute('aria-disabled', 'false');
    await app.decision.focus();
    await app.page.keyboard.press('ControlOrMeta+Enter');
    await expect(app.question, 'no key is a yes while a no is written').toBeVisible();
    await reason.focus();
    await reason.press('Escape');
    await expect(reason).toHaveCount(0);
    await expect(app.question).toBeVisible();
    await expect(app.decision).toBeFocused();
    await app.question.getByRole('button', { name: 'Reject…' }).click();
    await app.page.keyboard.type('It is short.');
    await app.page.keyboard.press('Enter');
    await expect(app.question).toBeHidden();
    await app.expectCard('inspector', 'rejected');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('It is short.');
  },
);
