/** The same agent twice in one batch: two cards, two questions, two fates. */
import { batch } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'two runs of one agent in a batch are approved or rejected separately',
  fullSpec([
    'tests/core/approvals/approval.test.ts › each task of a batch is approved or rejected separately',
    'tests/lib/app/attention.test.ts › answers one item of a batch, and keeps its edits when the answer is rejected',
  ]),
  async ({ start }) => {
    const app = await start(batch());
    await app.send('Review both halves.');
    const questions = app.waiting.getByRole('button');
    await expect(questions).toHaveCount(2);
    await expect(app.card('code-reviewer')).toHaveCount(2);

    await questions.nth(1).click();
    await expect(app.field('What it is told')).toHaveText('Review the second half.');
    await app.allow();
    await expect(app.field('What it is told')).toHaveText('Review the first half.');
    await expect(app.waiting, 'one question needs no list').toBeHidden();
    await expect(app.card('code-reviewer').nth(1)).toContainText('allowed: starts when the others are answered');
    await app.reject('The first half is generated code.');

    await app.expectOutcome('completed');
    const [first, second] = [app.card('code-reviewer').nth(0), app.card('code-reviewer').nth(1)];
    await expect(first.locator('header')).toContainText('rejected');
    await expect(second.locator('header')).toContainText('completed');
    await expect(second).toContainText('the second half is in good order.');
    const answer = app.model.requests.at(-1)?.seen.results[0]?.text;
    expect(answer).toContain('The first half is generated code.');
    expect(answer).toContain('# Report: the second half');
    expect(app.model.requests.some(({ seen }) => seen.prompt === 'Review the first half.')).toBe(false);
  },
);
