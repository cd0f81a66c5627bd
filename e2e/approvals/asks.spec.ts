/** A message, an approval, an agent's questions in its own words, and the person asks back: nothing but the buttons answers, and all of it by keyboard. */
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { answerFrom, CHILD, LEAD, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expectAccessible, expectAlsoAccessible } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { tabTo } from '../support/keyboard.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const questions = [
  {
    question: 'Which parser stays?',
    kind: 'single',
    choices: [{ label: 'The old one', description: 'Slow, and well known.' }, { label: 'The new one' }],
  },
  {
    question: 'Which formats must it read?',
    kind: 'multiple',
    choices: [{ label: 'YAML' }, { label: 'TOML' }],
  },
  { question: 'What is it called?', kind: 'text' },
];

const PROMPT = `Inspect part alpha of the workspace.

1. Every file, with at least one finding
2. The **error messages**, word for word

Report as Markdown with a \`## Summary\`.`;

const LETTER = { action: 'Send the letter', reason: 'It is due.', reversible: false };

/** Allows an irreversible action, which needs a second step. "Back" returns from that step. */
async function allowIrreversible(app: App): Promise<void> {
  const { question } = app;
  await app.send('Send it.');
  await expect(question.getByText('its agent says that it cannot be undone', { exact: true })).toBeVisible();
  const requests = app.model.requests.length;
  await app.allow();
  await expect(question.getByRole('alert')).toHaveText('Its agent says that this cannot be undone.');
  expect(app.model.requests).toHaveLength(requests);
  await question.getByRole('button', { name: 'Back' }).click();
  await expect(question.getByRole('alert')).toHaveCount(0);
  await app.allow();
  const confirm = question.getByRole('button', { name: 'Allow what cannot be undone' });
  await expect(confirm).toHaveAttribute('aria-disabled', 'false');
  await confirm.press('Enter');
  await app.expectOutcome('completed');
}

function calling(name: string, input: unknown): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse(name, input)])
    .on(LEAD)
    .reply([text('Thank you.')]);
}

/** A message, an approval and the look at its result. */
async function workWithoutMouse(app: App): Promise<void> {
  const { page } = app;
  await expect(app.message).toBeVisible();
  await tabTo(page, 'Message');
  await page.keyboard.type('Look at one part.');
  await page.keyboard.press('Enter');
  await expect(app.question).toBeVisible();
  await expect(app.decision, 'never on a button that answers').toBeFocused();
  await expect(page.locator('[aria-live=assertive]', { hasText: 'Question' })).toContainText('Question from alpha');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await expect(app.question).toBeVisible();
  expect(app.model.requests).toHaveLength(1);

  await expect(app.unseen, 'all of it is in sight').toHaveCount(0);
  await expect(app.question.getByRole('button', { name: 'Why am I asked?' })).toBeInViewport({ ratio: 1 });
  await tabTo(page, 'Allow once', 'Tab', 3);
  await expect(app.question.getByRole('button', { name: 'Allow once' })).not.toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await expect(app.question).toBeHidden();
  await expect(app.message, 'the button is gone, the page does not have its focus').toBeFocused();
  await app.expectOutcome('completed');
  await tabTo(page, 'Full report', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(app.card('alpha').getByRole('heading', { name: 'Details' })).toBeVisible();
}

test('the person sends a message, approves a sub-agent and answers or skips questions without a mouse', async ({
  start,
}) => {
  const script = new Script()
    .on({ ...LEAD, asked: /one part/, step: 1 })
    .reply([spawn({ name: 'alpha', prompt: PROMPT, tools: ['write_file'] })])
    .on(CHILD)
    .reply([text(reportOf('part alpha'), { deltas: 20 })])
    .on({ ...LEAD, asked: /Ask me/, step: 1 })
    .reply([toolUse('ask_question', { questions })])
    .on({ ...LEAD, asked: /Send it/, step: 1 })
    .reply([toolUse('request_approval', LETTER)])
    .on(LEAD)
    .reply((seen) => [text(answerFrom(seen))]);
  const app = await start(script);
  await workWithoutMouse(app);
  const { page, question } = app;
  await app.send('Ask me.');
  await expect(question.getByRole('heading', { level: 2 })).toContainText('3 questions to you');
  const send = question.getByRole('button', { name: 'Send answers' });
  const asked = app.model.requests.length;
  await expect(send, 'nothing is answered yet').toHaveAttribute('aria-disabled', 'true');
  await expectAlsoAccessible(page, 'questions of an agent');

  await question.getByRole('radio', { name: /The old one/ }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await expect(question.getByRole('radio', { name: 'The new one' })).toBeChecked();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(question.getByRole('checkbox', { name: 'YAML' })).toBeFocused();
  await page.keyboard.press('Space');
  await question
    .getByRole('group', { name: /Which formats/ })
    .getByLabel('Something else')
    .fill('CSV');
  await page.keyboard.press('Enter');
  await expect(question, 'Enter in a box answers nothing').toBeVisible();
  await page.reload();
  await expect(question, 'nor does a reload').toBeVisible();
  expect(app.model.requests).toHaveLength(asked);

  await question.getByRole('radio', { name: 'The new one' }).check();
  await question.getByRole('checkbox', { name: 'YAML' }).check();
  await expect(send).toHaveAttribute('aria-disabled', 'false');
  await send.focus();
  await page.keyboard.press('Enter');
  await app.expectOutcome('completed');
  expect(app.model.requests.at(-1)?.seen.results[0]?.text).toBe(
    'Which parser stays?\n→ The new one\n\nWhich formats must it read?\n→ YAML\n\nWhat is it called?\n→ (skipped: decide yourself, and say what you assumed)',
  );
  await allowIrreversible(app);
});

test(
  'the person can skip the only question of an agent, and the workflow completes',
  fullSpec([
    'tests/core/approvals/ask-question.test.ts › a skipped question is reported to the agent, which then decides',
    'tests/lib/app/approval-draft.test.ts › skips every question and discards written answers',
    'tests/lib/approvals/approval-modal.server.test.ts › shows the reason and impact of an action, and offers to skip questions',
  ]),
  async ({ start }) => {
    const app = await start(calling('ask_question', { questions: [questions[2]] }));
    await app.send('Ask me.');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('What is it called?');
    await app.question.getByRole('button', { name: 'Skip', exact: true }).click();
    await app.expectOutcome('completed');
    expect(app.model.requests.at(-1)?.seen.results[0]?.text).toContain('skipped');
  },
);

test(
  'the agent receives the action that the person edited before allowing it',
  fullSpec([
    'tests/core/approvals/request-approval.test.ts › an edited action reaches the agent, and the decision has the edit and the hashes of both versions',
    'tests/lib/app/approval-draft.test.ts › allows an unchanged action, and sends an edited action with the rest of the input',
  ]),
  async ({ start }) => {
    const input = {
      action: 'Rewrite the whole parser',
      reason: 'It is too slow',
      impact: 'Every caller of it',
    };
    const app = await start(calling('request_approval', input));
    await app.send('Go.');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('Rewrite the whole parser');
    await expect(app.question.getByText('Every caller of it')).toBeVisible();
    await expectAccessible(app.page, 'an action');
    await app.field('What it wants to do').fill('Rewrite only its tests');
    await app.allow();
    await app.expectOutcome('completed');
    expect(app.model.requests.at(-1)?.seen.results[0]?.text).toContain('Rewrite only its tests');
  },
);

test(
  'the agent answers a question about its call before the person rejects the call',
  fullSpec([
    'tests/core/approvals/ask-back.test.ts › a question back is answered from the run context, counted and stored, and an empty question is rejected',
    'tests/lib/approvals/approval-modal.server.test.ts › shows answered and pending questions to the agent above the answer buttons',
  ]),
  async ({ start }) => {
    const wait = new Gate();
    const script = new Script()
      .on({ ...LEAD, asked: /question about your call/ })
      .reply([text('Because the **notes** are missing.')], { hold: wait.at(1) })
      .on({ ...LEAD, asked: /What will they say/ })
      .reply([text('What was found.')])
      .on({ ...LEAD, step: 1 })
      .reply([toolUse('write_file', { path: 'notes.md', content: 'One.\n' })])
      .on(LEAD)
      .reply([text('I wrote nothing.')]);
    const app = await start(script);
    const { question, page } = app;
    await page.setViewportSize({ width: 800, height: 600 });
    await app.send('Take notes.');
    const back = question.getByRole('textbox', { name: 'Ask lead first' });
    await question.getByRole('button', { name: 'Ask lead first…' }).click();
    await back.fill('Why this file?');
    await back.press('Enter');
    await expect(question.getByText('lead answers…')).toBeVisible();
    await expectAccessible(page, 'an agent answers a question');
    await page.reload();
    await expect(question.getByText('Why this file?'), 'it is kept').toBeVisible();
    wait.open();
    await expect(question.getByText('Because the notes are missing.')).toBeVisible();
    await back.fill('What will they say?');
    await back.press('Enter');
    await expect(question.getByText('What was found.'), 'brought into sight').toBeInViewport({ ratio: 1 });
    await expect(question.getByRole('button', { name: 'Allow once' }), 'still open').toBeVisible();
    await app.reject('Then not.');
    await app.expectOutcome('completed');
    expect(app.model.requests).toHaveLength(4);
  },
);
