/** A batch is allowed as a whole, each item as it stands in its form; each can still be answered alone. */
import { toolUse } from '../../tests/support/fake-model/script.ts';
import { leadCalls } from '../support/scripts.ts';
import { expect, test } from '../support/test.ts';

const AGENTS = ['code-reviewer', 'test-generator', 'documentation-writer'];

test('one is refused, the rest is allowed at once with its edits', async ({ start }) => {
  const tasks = AGENTS.map((agent) => ({
    agent_id: agent,
    prompt: `Work as ${agent}.`,
    reason: 'One third',
  }));
  const app = await start(
    leadCalls(
      [toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })],
      AGENTS.map((agent) => ({ prompt: new RegExp(`as ${agent}`), task: agent })),
    ),
  );
  await app.send('Do all three.');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
  await expect(app.button('Allow all 3')).toBeVisible();
  await expect(app.question.getByText('high risk: several agents at once').first()).toBeVisible();
  await app.reject('Not needed.', 'test-generator');
  await app.lookAt('code-reviewer');
  await app.field('Prompt').fill('Work as code-reviewer. Be brief.');
  await app.lookAt('documentation-writer');
  const rest = app.button('Allow all 2');
  await app.readAll();
  await expect(app.question.getByRole('button', { name: 'Allow once' }), 'all of this one was seen').toBeEnabled();
  await expect(app.unseenElsewhere).toHaveText(['code-reviewer: System prompt']);
  await expect(rest).toBeDisabled();
  await app.readBatch();
  await rest.click();
  await expect(app.question).toBeHidden();
  await app.expectCard('code-reviewer', 'completed');
  await app.expectCard('documentation-writer', 'completed');
  await app.expectCard('test-generator', 'rejected');
  await app.expectOutcome('completed');
  const prompts = app.model.requests.flatMap(({ seen }) => (seen.tools.includes('spawn_agent') ? [] : [seen.prompt]));
  expect(prompts.sort()).toEqual(['Work as code-reviewer. Be brief.', 'Work as documentation-writer.']);
});
