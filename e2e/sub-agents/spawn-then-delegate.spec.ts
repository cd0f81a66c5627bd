/** One after the other: a temporary sub-agent, then one with a definition, in the same workflow. */
import { spawnThenDelegate } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a spawn and a later delegation in one workflow each require approval',
  fullSpec([
    'tests/core/workflows/spawn.test.ts › delegates to a permanent agent with its own prompt and tools',
    'tests/core/approvals/approval.test.ts › a sub-agent sends nothing before it was approved',
  ]),
  async ({ start }) => {
    const app = await start(spawnThenDelegate());
    await app.send('Inspect, then review.');
    await app.allow('inspector');
    await app.expectCard('inspector', 'completed');

    await app.lookAt('code-reviewer');
    await expect(app.field('What it is told')).toHaveText('Review the code of the workspace.');
    expect(app.model.requests.some(({ seen }) => seen.prompt.includes('Review the code'))).toBe(false);
    await app.allow();
    await app.expectCard('code-reviewer', 'completed');
    await app.expectOutcome('completed');
    await expect(app.footer()).toContainText('2 sub-agents');
    await expect(app.card('inspector')).toContainText('spawned');
    await expect(app.card('code-reviewer')).toContainText('delegated');
    await app.expectQuoted('the code');
    app.model.expectDone();
  },
);
