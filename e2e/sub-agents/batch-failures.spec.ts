/** One of a batch fails, one hangs until it is stopped, one succeeds: the lead hears of all three. */
import { toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { leadCalls } from '../support/scripts.ts';

test(
  'a failed and a stalled sub-agent do not affect the third one of a batch',
  fullSpec(
    'tests/core/workflows/stop.test.ts › for one sub-agent cancels only that run, and the lead gets the partial result',
  ),
  async ({ start }) => {
    const names = {
      'code-reviewer': 'the code',
      'test-generator': 'the tests',
      'documentation-writer': 'the docs',
    };
    const tasks = Object.entries(names).map(([agent, task]) => {
      return { agent_id: agent, prompt: `Work on ${task}.`, reason: 'Do one third' };
    });
    const app = await start(
      leadCalls(
        [toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })],
        [
          {
            prompt: /the code/,
            task: 'the code',
            options: {
              status: 400,
              error: { type: 'invalid_request_error', message: 'the prompt is too odd' },
            },
          },
          { prompt: /the tests/, task: 'the tests', options: { hangAfter: 8 } },
          { prompt: /the docs/, task: 'the docs' },
        ],
      ),
    );
    await app.send('Do all three.');
    for (const name of Object.keys(names)) await app.allow(name);

    await app.expectCard('documentation-writer', 'completed');
    await app.expectCard('code-reviewer', 'error');
    await expect(app.card('code-reviewer')).toContainText('the prompt is too odd');
    await app.expectCard('test-generator', 'running');
    const stuck = await app.model.waitFor(({ seen }) => seen.prompt.includes('the tests'));
    expect(stuck.closedAt, 'the failure of one does not stop another').toBeNull();

    const lane = await app.lane('test-generator');
    await lane.getByRole('button', { name: 'Stop this agent' }).click();
    await expect(app.page.getByText(/^Stopped ■ test-generator \(1 request\)\. The lead goes on\.$/)).toBeVisible();
    await app.expectCard('test-generator', 'cancelled');
    await app.expectOutcome('completed');
    expect(stuck.closedAt, 'its request was ended').not.toBeNull();
    const handed = app.model.requests.at(-1)?.seen.results[0]?.text ?? '';
    expect(handed).toContain('# Report: the docs');
    expect(handed).toContain('the prompt is too odd');
    expect(handed).toContain('cancelled');
    await app.expectQuoted('the docs');
  },
);
