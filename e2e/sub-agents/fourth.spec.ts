/** The cap of three: the fourth is refused before anyone is asked. */
import { fourth } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'rejects a fourth sub-agent with a visible error and without an approval request',
  fullSpec('tests/core/workflows/spawn.test.ts › rejects a fourth sub-agent and reports the maximum and the count'),
  async ({ start }) => {
    const app = await start(fourth());
    await app.send('Look at four parts.');
    for (const name of ['alpha', 'beta', 'gamma']) await app.allow(name);
    await app.expectOutcome('completed');
    await expect(app.question).toBeHidden();
    await expect(app.footer()).toContainText('3 sub-agents');
    await expect(app.card('delta')).toHaveCount(0);

    const refused = app.call(/^spawn_agent.*error/);
    await expect(refused).toHaveCount(1);
    await refused.click();
    await expect(app.workflow().getByLabel('Output')).toContainText(/3/);
    expect(app.model.requests.some(({ seen }) => seen.prompt.includes('part delta'))).toBe(false);
    const told = app.model.requests.at(-1)?.seen.results[0];
    expect(told?.isError).toBe(true);
    await expect(app.workflow().getByLabel('Output')).toContainText(told?.text ?? '(nothing)');
  },
);
