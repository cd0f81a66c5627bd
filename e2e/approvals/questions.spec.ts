/** Several questions at once: nothing but the buttons answers one, each is answered alone, and a batch as it stands in its forms. */
import { toolUse } from '../../tests/support/fake-model/script.ts';
import { leadCalls, leadSpawns } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { DOUBLE_ZOOM, expectRoomForQuestion, withWindowSize } from '../support/window-size.ts';

const AGENTS = ['code-reviewer', 'test-generator', 'documentation-writer'];

test('closing the approvals answers none of them; one is rejected, the others are allowed together with their edits', async ({
  start,
}) => {
  const tasks = AGENTS.map((agent) => ({ agent_id: agent, prompt: `Work as ${agent}.`, reason: 'One third' }));
  const app = await start(
    leadCalls(
      [toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })],
      AGENTS.map((agent) => ({ prompt: new RegExp(`as ${agent}`), task: agent })),
    ),
  );
  const { page } = app;
  const title = app.question.getByRole('heading', { level: 2 });
  await app.send('Do all three.');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
  await withWindowSize(page, DOUBLE_ZOOM, () => expectRoomForQuestion(app));

  await app.page.keyboard.press('Escape');
  await expect(app.question).toBeHidden();
  await expect(app.reopen).toHaveText('3 waiting');
  await app.reopen.click();
  await expect(app.question).toBeVisible();
  await app.page.mouse.click(5, 300);
  await expect(app.question, 'a click beside it').toBeHidden();
  await app.reopen.click();
  await app.question.getByRole('button', { name: /^Close/ }).click();
  await expect(app.question).toBeHidden();
  const lane = await app.lane('test-generator');
  await lane.getByRole('button', { name: /^Answer: / }).click();
  await expect(app.field('What it is told'), 'the lane opens its own question').toContainText('as test-generator');

  await app.question.getByRole('button', { name: 'Reject…' }).click();
  await app.field('Reason').fill('y');
  await app.field('Reason').press('Escape');
  await expect(app.question, 'one step back').toBeVisible();
  await app.unfoldForm();
  await expect(app.field('Prompt'), 'in sight, to be written').toBeFocused();
  await app.field('Prompt').press('Enter');
  await app.page.reload();
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
  expect(app.model.requests, 'only the lead has asked the model').toHaveLength(1);
  for (const name of AGENTS) await app.expectCard(name, 'waiting for you');

  await expect(app.button('Allow all 3')).toBeVisible();
  await app.lookAt('code-reviewer');
  await app.readAll();
  await expect(app.unseenElsewhere.first()).toBeVisible();
  await expect(app.question.getByRole('button', { name: 'Allow once' })).toBeEnabled();
  await app.decision.focus();
  await page.keyboard.press('ControlOrMeta+Shift+Enter');
  await expect(title, 'the key of the batch leads to an unread text').not.toContainText('code-reviewer');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);

  await app.lookAt('test-generator');
  await app.decision.focus();
  await page.keyboard.press('ControlOrMeta+Backspace');
  await expect(app.field('Reason')).toBeFocused();
  await page.keyboard.type('Not needed.');
  await page.keyboard.press('Enter');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
  await app.decision.focus();
  await page.keyboard.press('1');
  await expect(title).toContainText('code-reviewer');
  await app.unfoldForm();
  await app.field('Prompt').fill('Work as code-reviewer. Be brief.');
  await app.lookAt('documentation-writer');
  await expect(app.field('Reason')).toHaveCount(0);
  const rest = app.button('Allow all 2');
  await app.readAll();
  await expect(app.question.getByRole('button', { name: 'Allow once' }), 'all of this one was seen').toBeEnabled();
  await app.readBatch();
  await rest.click();
  await expect(app.question).toBeHidden();
  await app.expectCard('code-reviewer', 'completed');
  await app.expectCard('documentation-writer', 'completed');
  await app.expectCard('test-generator', 'rejected');
  await app.expectOutcome('completed');
  const prompts = app.model.requests.flatMap(({ seen }) => (seen.tools.includes('spawn_agent') ? [] : [seen.prompt]));
  expect(prompts.sort()).toEqual(['Work as code-reviewer. Be brief.', 'Work as documentation-writer.']);
  const told = app.model.requests
    .at(-1)
    ?.seen.results.map(({ text }) => text)
    .join('\n');
  expect(told).toContain('Not needed.');
});

test(
  'approvals are answered in any order, and a rejection reason stays with its approval',
  fullSpec([
    'tests/lib/app/attention.test.ts › keeps the reason and the read texts of a question while another question is selected',
    'tests/core/approvals/approval.test.ts › each task of a batch is approved or rejected separately',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta', 'gamma']));
    await app.send('Look at every part.');
    await app.lookAt('beta');
    await app.question.getByRole('button', { name: 'Reject…' }).click();
    await app.field('Reason').fill('Not needed.');
    await app.lookAt('gamma');
    await expect(app.field('Reason')).toHaveCount(0);
    await app.allow();
    await app.expectCard('gamma', 'completed');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(2);

    await app.lookAt('beta');
    await expect(app.field('Reason')).toHaveValue('Not needed.');
    await app.question.getByRole('button', { name: 'Reject', exact: true }).click();
    await app.expectCard('beta', 'rejected');
    await app.expectCard('alpha', 'waiting for you');
    await app.allow('alpha');
    await app.expectOutcome('completed');
    const asked = app.model.requests.map(({ seen }) => /part (\w+)/.exec(seen.prompt)?.[1]).filter(Boolean);
    expect(asked).toEqual(['gamma', 'alpha']);
    const told = app.model.requests.at(-1)?.seen.results.map(({ text }) => text) ?? [];
    expect(told[1]).toContain('Not needed.');
  },
);
