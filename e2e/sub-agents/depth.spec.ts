/** One level only: a sub-agent that asks for another is refused, and goes on. */
import { DEPTH_REFUSAL } from '../../src/contract/limits.ts';
import { childSpawns } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a sub-agent cannot start another one',
  fullSpec(
    'tests/core/workflows/spawn.test.ts › rejects a call of spawn_agent by a sub-agent, which is not offered that tool',
  ),
  async ({ start }) => {
    const app = await start(childSpawns());
    await app.send('Manage this project.');
    await app.allow('manager');
    await app.expectCard('manager', 'completed');
    await app.expectOutcome('completed');
    await expect(app.question).toBeHidden();

    const children = app.model.requests.filter(({ seen }) => seen.prompt.includes('Manage the workspace'));
    expect(children[0]?.seen.tools, 'it was not offered').not.toContain('spawn_agent');
    expect(children[1]?.seen.results).toMatchObject([{ isError: true, text: expect.stringContaining(DEPTH_REFUSAL) }]);

    const card = app.card('manager');
    await card.getByRole('button', { name: /^manager/ }).click();
    await card.getByRole('button', { name: /^spawn_agent.*error/ }).click();
    await expect(card.getByLabel('Output')).toContainText(DEPTH_REFUSAL);
  },
);
