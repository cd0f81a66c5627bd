/** Making room in the lead's context: the gauge, the step in the conversation, and its undo. */
import { NOTES, summarising, SUMMARISER } from '../../tests/support/fake-model/compacting.ts';
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible, expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const usage = { input: 4_000, cacheRead: 26_000, output: 500 };

test(
  'the person compacts the context by button and by command, reads the summary and undoes the compaction',
  fullSpec([
    'tests/core/runs/loop/compaction.test.ts › of an idle conversation can be undone and redone: the next request has the full history, then the summary',
    'tests/lib/shell/command-table.alone.test.ts › slash commands run the commands of the palette, and are disabled if unavailable',
    'tests/core/runs/loop/context-parts.test.ts › returns the parts of the last request and its answer, only if parts are requested',
  ]),
  async ({ start }) => {
    const script = summarising()
      .on({ leads: false })
      .reply([text('# Report\nFound.')], { usage: { input: 900, output: 20 } })
      .on({ lastUser: /^Look/ })
      .reply([toolUse('glob', { pattern: '*.md' }), spawn({ name: 'looker', prompt: 'Find it.' })], { usage })
      .on({})
      .reply([text('There is one file.')], { usage });
    const app = await start(script);
    const { page } = app;
    await app.send('Look at the files');
    await app.allow();
    await expect(app.log).toContainText('There is one file.');
    const gauge = page.getByRole('group', { name: 'Context of the lead' });
    await expect(gauge).toContainText('30.5K of 1M');
    await expect(app.log).toContainText('cached 85 %');
    await gauge.getByRole('button', { name: '30.5K of 1M' }).click();
    const parts = page.getByRole('list', { name: 'What fills it' });
    const kinds = ['System prompt', 'Tools', 'Your messages', 'Answers and calls', 'Results of calls'];
    for (const [index, kind] of kinds.entries())
      await expect(parts.getByRole('listitem').nth(index)).toHaveText(
        new RegExp(`^${kind}.*\\d · (under )?\\d+ %\\s*$`),
      );
    await expect(parts.getByRole('listitem')).toHaveCount(kinds.length);
    await expect(page.getByText('together the 30,500 tokens')).toBeVisible();
    await expectAlsoAccessible(page, 'what fills a context');
    await page.getByRole('button', { name: 'Compact now' }).click();
    const line = app.log.locator('[data-compaction]');
    await expect(line).toContainText(/Context compacted by you: 30\.5K → .* tokens/);
    await expect(parts.getByText('Summary of what was compacted')).toBeVisible();
    await line.locator('summary').click();
    await expect(line).toContainText('The notes of the model.');
    await expect(line).toContainText('1. Look at the files');
    await expectAlsoAccessible(page, 'a compaction');
    await line.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(line).toContainText('(undone)');
    await expect(gauge).toContainText('30.5K of 1M');
    await line.getByRole('button', { name: 'Compact again' }).click();
    await expect(line).not.toContainText('(undone)');
    await page.reload();
    await expect(app.log.locator('[data-compaction]')).toContainText('Context compacted by you');
    await app.send('And now?');
    await expect.poll(() => JSON.stringify(app.model.requests.at(-1)?.body.messages)).toContain(NOTES.split('\n')[1]!);
    await expect(app.log.getByText('There is one file.')).toHaveCount(2);
    await app.message.fill('/compact');
    await app.message.press('Enter');
    await expect(app.message).toHaveValue('');
    await expect(app.log.locator('[data-compaction]')).toHaveCount(2);
    expect(app.model.requests.filter(({ seen }) => SUMMARISER.test(seen.system))).toHaveLength(2);
  },
);

test(
  'a failed compaction is shown as one notice, also after a reload',
  fullSpec(
    'tests/core/runs/loop/compaction.test.ts › continues the run without a summary when the model writes none, with one notice',
  ),
  async ({ start }) => {
    const script = new Script()
      .on({ system: SUMMARISER })
      .reply([text('')])
      .on({ step: 1 })
      .reply([text('A look first.'), toolUse('glob', { pattern: '*.md' })])
      .on({})
      .reply([text('Half of')], { stopReason: 'model_context_window_exceeded' });
    const app = await start(script);
    await app.send('Look at the files');
    const notice = app.log.locator('[data-notice]');
    await expect(notice).toHaveText('The context was not compacted: the model wrote no summary');
    await app.page.reload();
    await expect(notice).toHaveCount(1);
    await expectAccessible(app.page, 'a notice');
  },
);
