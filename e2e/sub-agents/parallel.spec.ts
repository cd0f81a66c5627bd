/** Three sub-agents at the same time: one question each, all at work together, every report in the answer. */
import { expect, fullSpec, test } from '../support/test.ts';
import { Gate } from '../../tests/support/gate.ts';
import { leadSpawns } from '../support/scripts.ts';

test(
  'three sub-agents work at the same time and all their reports come back',
  fullSpec(
    'tests/core/workflows/spawn.test.ts › runs three sub-agents side by side and returns their reports in the order of the calls',
  ),
  async ({ start }) => {
    const together = new Gate();
    const hold = { hold: together.at(6) };
    const app = await start(leadSpawns(['alpha', 'beta', 'gamma'], { alpha: hold, beta: hold, gamma: hold }));
    await app.send('Look at every part.');

    await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
    for (const name of ['gamma', 'alpha', 'beta']) await app.allow(name);
    await expect(app.question).toBeHidden();
    for (const name of ['alpha', 'beta', 'gamma']) await app.expectCard(name, 'running');
    await expect.poll(() => app.model.requests.length).toBe(4);
    expect(app.model.requests.slice(1).every(({ endedAt }) => endedAt === null)).toBe(true);

    together.open();
    for (const name of ['alpha', 'beta', 'gamma']) {
      await app.expectCard(name, 'completed');
      await app.expectQuoted(`part ${name}`);
    }
    await app.expectOutcome('completed');
    await expect(app.footer()).toContainText('3 sub-agents');
    const handed = app.model.requests.at(-1)?.seen.results.map(({ text }) => /part (\w+)/.exec(text)?.[1]);
    expect(handed, 'in the order of the calls, whoever was allowed first').toEqual(['alpha', 'beta', 'gamma']);
    app.model.expectDone();
  },
);
