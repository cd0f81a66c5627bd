/** The plan of an agent is followed live: the lead's above the message box, a sub-agent's in its card. */
import { answerFrom, CHILD, LEAD, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { type Block, Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, fullSpec, test } from '../support/test.ts';

function plan(...states: string[]): Block {
  const items = states.map((status, n) => ({ content: `Step ${n + 1}`, status, priority: 'medium' }));
  return toolUse('todo_write', { items });
}

test(
  'a plan shows its progress, and remains visible after the run has ended',
  fullSpec([
    'tests/core/runs/plan.test.ts › emits an event at each write, is stored in the run row, and needs no approval',
    'tests/lib/view/plan-and-limits.test.ts › equals the stored plans, limits and working time',
    'tests/lib/runs/plan.test.ts › returns the step in progress, else the next pending step, else none',
    'tests/lib/runs/mounted.test.ts › shows the progress and the current step of a plan, and all steps once the plan is unfolded',
  ]),
  async ({ start }) => {
    const rest = new Gate();
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([
          plan('completed', 'in_progress', 'pending'),
          spawn({ name: 'inspector', prompt: 'Inspect.', tools: ['todo_write'] }),
        ])
        .on({ ...CHILD, step: 1 })
        .reply([plan('in_progress', 'pending')])
        .on(CHILD)
        .reply([text(reportOf('the workspace'))], { hold: rest.at(4) })
        .on({ ...LEAD, step: 2 })
        .reply([plan('completed', 'completed', 'completed')])
        .on(LEAD)
        .reply((seen) => [text(answerFrom(seen))]),
    );
    await app.send('Inspect this project.');
    await app.allow('inspector');
    const plans = app.page.getByRole('region', { name: 'Plan' });
    const lead = plans.last();
    await expect(lead).toContainText('1 of 3');
    await expect(lead).toContainText('Step 2');
    await expect(app.card('inspector').getByRole('region', { name: 'Plan' })).toContainText('0 of 2');
    await lead.getByRole('button').click();
    await expect(lead.getByRole('listitem')).toHaveCount(3);
    await expect(lead.getByRole('listitem').nth(1)).toContainText('at work');

    rest.open();
    await app.expectOutcome('completed');
    await expect(app.workflow().locator('> section')).toContainText('3 of 3');
    await expect(app.workflow().locator('> section')).toContainText('All steps are done');
  },
);
