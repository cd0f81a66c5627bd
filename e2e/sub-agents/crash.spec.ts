/** The host is killed in the middle of a sub-agent's words: nothing finished is lost, nothing finished is repeated. */
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { answerFrom, reportOf } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** A lead that starts these sub-agents in its first response, and answers with what they report. */
const asking = (...calls: ReturnType<typeof spawn>[]) =>
  new Script()
    .on({ ...LEAD, step: 1 })
    .reply(calls)
    .on(CHILD)
    .reply([text(reportOf('the workspace'))])
    .on(LEAD)
    .reply((seen) => [text(answerFrom(seen))]);

test(
  'a killed host offers to resume the workflow and continues after the last finished step',
  fullSpec([
    'tests/core/workflows/crash.test.ts › loses and repeats nothing after a few durable events; in the full run after many',
    'tests/core/workflows/interrupted-work.test.ts › an interrupted workflow is in the attention feed after a restart until it is resumed',
  ]),
  async ({ start }) => {
    const script = new Script();
    const report = text(reportOf('the workspace'), { deltas: 40 });
    script.on({ ...LEAD, step: 1 }).reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })]);
    script.on({ ...CHILD, step: 1 }).reply([toolUse('list_directory', { path: '.' })]);
    script.on({ ...CHILD, step: 2 }).reply([report], { hangAfter: 38, deltaMs: 50, times: 1 });
    script.on({ ...CHILD, step: 2 }).reply([report]);
    script.on(LEAD).reply((seen) => [text(answerFrom(seen))]);
    const app = await start(script, { ownProcess: true });
    await app.send('Inspect this project.');
    await app.allow('inspector');
    await app.expectCard('inspector', 'running');
    // Only the last half second of words in flight may be lost; a second passes until here.
    await expect(app.card('inspector')).toContainText('Finding 10');

    // A tab stays let in and comes back by itself, the desktop opens where it was.
    await app.crashAndRestart();
    await expect(
      app
        .workflow()
        .getByRole('status')
        .filter({ hasText: /^\s*Interrupted/ }),
    ).toContainText('The program ended while this was running');
    await app.expectOutcome('interrupted');
    await app.expectCard('inspector', 'interrupted');
    await expect(app.card('inspector'), 'the words before the crash').toContainText('Finding 1:');
    await expectAlsoAccessible(app.page, 'an interrupted workflow in the chat');
    expect(app.model.requests, 'nothing goes on by itself').toHaveLength(3);

    await app.button('Resume').click();
    await app.expectCard('inspector', 'completed');
    await app.expectOutcome('completed');
    await app.expectQuoted('the workspace');
    await expect(app.question, 'what was allowed is not asked again').toBeHidden();
    const turns = app.model.requests.map(
      ({ seen }) => `${seen.tools.includes('spawn_agent') ? 'lead' : 'child'} ${seen.turn}`,
    );
    expect(turns).toEqual(['lead 1', 'child 1', 'child 2', 'child 2', 'lead 2']);
    expect(app.model.requests.map(({ completed }) => completed)).toEqual([true, true, false, true, true]);
    app.model.expectDone();

    await app.page.getByRole('link', { name: 'Open in history' }).click();
    const runs = app.page.getByRole('list', { name: 'Runs' }).getByRole('button');
    await expect(runs).toHaveCount(2);
    for (const run of await runs.all())
      await expect(run, 'the time while nothing ran is no work').toContainText(/, stood still \d/);
  },
);

test(
  'approvals that were open when the host was killed are answered in the inbox, which resumes the workflow',
  fullSpec([
    'tests/core/approvals/asked-and-open.test.ts › resumes the workflow once for an answer, and passes the answer to the gate when the approval reopens',
    'tests/lib/app/attention.test.ts › keeps questions of interrupted work in the inbox, and opens when the work resumes',
  ]),
  async ({ start }) => {
    const app = await start(
      asking(
        spawn({ name: 'inspector', prompt: 'Inspect the workspace.' }),
        spawn({ name: 'auditor', prompt: 'Audit the workspace.' }),
      ),
      { ownProcess: true },
    );
    await app.send('Inspect this project.');
    await app.lookAt('inspector');
    await app.crashAndRestart();
    const { page } = app;
    await expect(page.getByRole('alertdialog'), 'nothing waits for it, so nothing is in the way').toHaveCount(0);
    await expect(app.reopen).toHaveAccessibleName(/^2 waiting/);
    await app.reopen.click();
    const question = page.getByRole('alertdialog');
    await expect(question).toContainText('Its workflow was interrupted: your answer resumes it.');
    await app.allow('inspector');
    await expect(question, 'the other one is awake now').toContainText('left, then no');
    await app.allow('auditor');
    await app.expectOutcome('completed');
    for (const name of ['inspector', 'auditor']) await app.expectCard(name, 'completed');
    expect(app.model.requests.map(({ seen }) => seen.turn)).toEqual([1, 1, 1, 2]);
  },
);
