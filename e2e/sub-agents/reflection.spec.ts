/** An agent that reviews itself: said before it starts, seen while it happens, kept in the history. */
import { mkdir, writeFile } from 'node:fs/promises';
import { Gate } from '../../tests/support/gate.ts';
import { join } from 'node:path';
import { checkerFile, CRITERIA, reflecting, verdict } from '../../tests/support/fake-model/reflecting.ts';
import { expectAccessible } from '../support/accessible.ts';
import type { AppOptions } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const withChecker: AppOptions = {
  before: async ({ home }) => {
    await mkdir(join(home, 'agents'), { recursive: true });
    await writeFile(join(home, 'agents/checker.md'), checkerFile({ maxRetries: 2 }));
    return () => Promise.resolve();
  },
};
const NOT_PASSED = verdict(false, 40, 'It does not say where: name the file and the line.');

test(
  'the approval shows the review criteria, and the reviews are shown in the transcript and the history',
  fullSpec([
    'tests/core/runs/loop/reflection.test.ts › a failed review sends the critique to the agent, which improves its answer with its tools',
    'tests/lib/runs/mounted.test.ts › shows whether a review passed, with its score and critique',
  ]),
  async ({ start }) => {
    const reviewed = new Gate();
    const script = reflecting({
      answers: ['# Report\n\nThe sum is wrong.', '# Report\n\nThe sum is wrong in src/sum.js:1.'],
      reviews: { 'src/sum.js': verdict(true, 95, 'File and line are there.'), wrong: NOT_PASSED },
      review: { hold: reviewed.at(1) },
    });
    const app = await start(script, withChecker);
    const { page, question } = app;
    await app.send('Find out what is wrong.');
    await question
      .getByRole('button', { name: /^What it reviews its answer against, up to 2 more tries: from your/ })
      .click();
    await expect(question).toContainText(CRITERIA);
    await app.unfoldForm();
    await app.field('Reviews its answer').selectOption('up to 1 more try');
    await expect(question).toContainText('up to 1 more try');
    await expectAccessible(page, 'the question');
    await app.allow();

    const card = app.card('checker');
    await expect(card).toContainText('Reviewing its answer…');
    await expectAccessible(page, 'while it is reviewed');
    reviewed.open();
    await app.expectCard('checker', 'completed');
    await card.getByRole('button', { name: /^checker/ }).click();
    await expect(card).toContainText('Review not passed: 40 of 100');
    await expect(card).toContainText('It does not say where: name the file and the line.');
    await expect(card).toContainText('Review passed: 95 of 100');
    await expect(card).not.toContainText('Reviewing');
    await app.expectOutcome('completed');

    await page.getByRole('link', { name: 'Open in history' }).click();
    await page
      .getByRole('list', { name: 'Runs' })
      .getByRole('button', { name: /checker/ })
      .click();
    await page.getByRole('tab', { name: 'Reviews (2)' }).click();
    const reviews = page.getByRole('tabpanel', { name: 'Reviews (2)' });
    await expect(reviews).toContainText('Review not passed: 40 of 100');
    await expect(reviews).toContainText('Review passed: 95 of 100');
    await expectAccessible(page, 'its reviews');
    await page.getByRole('tab', { name: 'Model requests (4)' }).click();
    await expect(page.getByRole('row', { name: /turn 1 review / })).toHaveCount(1);
  },
);

test(
  'a sub-agent that never meets its criteria returns its best report, with the critique on its card',
  fullSpec([
    'tests/core/runs/loop/reflection.test.ts › after the last try, the lead gets the best answer, the reason and all reviews',
    'tests/lib/runs/mounted.test.ts › shows why a report is only the best of several',
  ]),
  async ({ start }) => {
    const script = reflecting({
      answers: ['first', 'second', 'third'],
      reviews: {
        first: verdict(false, 30, 'No line.'),
        second: NOT_PASSED,
        third: verdict(false, 10, 'Worse.'),
      },
    });
    const app = await start(script, withChecker);
    await app.send('Find out what is wrong.');
    await app.allow();
    await app.expectCard('checker', 'partial');
    const card = app.card('checker');
    await expect(card).toContainText('the best of 3 answers is handed over (40 of 100)');
    await expect(card).toContainText('second');
    await expectAccessible(app.page, 'a partial report');
  },
);
