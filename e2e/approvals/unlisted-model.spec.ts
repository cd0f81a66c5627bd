/** A sub-agent with a model that the endpoint does not list: the approval warns, and starts it all the same. */
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import { leadCalls } from '../support/scripts.ts';
import { expect, test } from '../support/test.ts';

test('the approval warns about an unlisted model until another is chosen, and starts it', async ({ start }) => {
  const call = spawn({ name: 'tester', prompt: 'Write tests.', model: 'claude-sonet-9' });
  const script = leadCalls([call], [{ prompt: /Write tests/, task: 'tests' }]);
  const app = await start(script, { model: { models: ['claude-sonnet-5', 'Qwen3-32B'] } });
  const { page, question } = app;
  await page.setViewportSize({ width: 1280, height: 800 });
  await app.send('Have tests written.');
  const warning = question.getByText(
    /claude-sonet-9 is not in the list of .*, which has claude-sonnet-5, Qwen3-32B; the endpoint may refuse it/,
  );
  await expect(warning).toBeVisible();
  await app.unfoldForm();
  await app.field('Model').selectOption('claude-sonnet-5');
  await expect(warning).toHaveCount(0);
  await app.field('Model').selectOption('claude-sonet-9');
  await expect(warning).toBeVisible();
  await app.allow();
  await app.expectCard('tester', 'completed');
});
