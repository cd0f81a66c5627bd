/** Visits to the screens of work that goes on and of work that is looked up; each leaves pictures. */
import { addFilter } from './history.ts';
import { expect } from '@playwright/test';
import { Gate } from '../../tests/support/gate.ts';
import { answerFrom, CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App, AppOptions } from './app.ts';
import { openActions } from './conversation-menu.ts';

export type Shoot = (screen: string) => Promise<void>;
export interface WorkScreen {
  script: () => Script;
  options?: AppOptions;
  go: (app: App, shoot: Shoot) => Promise<void>;
}

const STEPS = [
  'Read the README and everything below docs/',
  'List each statement that the code contradicts, with its file and line, and leave out matters of taste',
  'Check the links',
  'Write the report',
];

function plan(...states: string[]): Block {
  const items = states.map((status, n) => ({
    content: STEPS[n],
    status,
    priority: n === 1 ? 'high' : 'medium',
  }));
  return toolUse('todo_write', { items });
}

/** A plan of the lead and one of a sub-agent, which waits in the middle of its words. */
const planned: WorkScreen = {
  script: () =>
    new Script()
      .on(START)
      .reply([
        plan('completed', 'in_progress', 'pending', 'pending'),
        spawn({
          name: 'docs-check',
          prompt: 'Check the docs.',
          tools: ['todo_write'],
          reason: 'Compare docs and code',
        }),
      ])
      .on({ ...CHILD, step: 1 })
      .reply([plan('in_progress', 'pending')])
      .on(CHILD)
      .reply([text(reportOf('the docs'), { deltas: 20 })], { hold: new Gate().at(12) }),
  go: async (app, shoot) => {
    await app.send('Compare the documentation with the code.');
    await app.lookAt('docs-check');
    await app.unfoldForm();
    await app.field('Budget: tokens in all').fill('50000');
    await shoot('approval-budget');
    await app.allow();
    await expect(app.card('docs-check')).toContainText('0 of 2');
    await shoot('plan');
    const plans = app.page.getByRole('region', { name: 'Plan' });
    await plans.last().getByRole('button').click();
    await shoot('plan-open');
  },
};

/** One sub-agent at its limit, one that failed. */
const salvaged: WorkScreen = {
  script: () =>
    new Script()
      .on(START)
      .reply([
        spawn({ name: 'slow-check', prompt: 'Check slowly.' }),
        spawn({ name: 'odd-check', prompt: 'Check oddly.' }),
      ])
      .on({ ...CHILD, lastUser: /no tools any more/ })
      .reply([text('Half of the files are read: README.md is accurate, docs/ is not read yet.')])
      .on({ ...CHILD, step: 1 })
      .reply([text('I look around first.'), toolUse('list_directory', { path: '.' })])
      .on({ ...CHILD, prompt: /oddly/ })
      .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } })
      .on(LEAD)
      .reply((seen) => [text(answerFrom(seen))]),
  go: async (app, shoot) => {
    await app.send('Check everything.');
    await app.lookAt('slow-check');
    await app.unfoldForm();
    await app.field('Turns at most').fill('1');
    await app.allow();
    await app.allow('odd-check');
    await shoot('at-limit');
    await app.question.getByRole('button', { name: 'Finish now' }).click();
    await app.expectOutcome('completed');
    await app.card('slow-check').getByRole('button', { name: 'Extend', exact: true }).click();
    await app.log.hover();
    await app.page.mouse.wheel(0, -3000);
    await shoot('salvage');
  },
};

/** Many messages: found in, filtered, searched, deleted. */
const lookedUp: WorkScreen = {
  script: () =>
    new Script()
      .on({ asked: /7/ })
      .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } })
      .on({})
      .reply((seen) => [text(`## Answer to ${seen.asked}\n\n${'It has a few **lines** of text. '.repeat(14)}`)]),
  go: async (app, shoot) => {
    const { page } = app;
    for (let n = 1; n <= 12; n += 1) {
      await app.send(`Message ${n}: what is in the lines of this project?`);
      await app.expectOutcome(n === 7 ? 'error' : 'completed');
    }
    await app.log.hover();
    await page.mouse.wheel(0, -900);
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('lines of text');
    await shoot('long');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await expect(page.getByRole('list', { name: 'Workflows' }).getByRole('link')).toHaveCount(12);
    await shoot('history-long');
    await addFilter(page, 'Outcome', 'completed');
    await addFilter(page, 'Agent', 'lead');
    await shoot('history-filters');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByRole('searchbox').fill('lines answer');
    const hits = page.getByRole('list', { name: 'Places found' }).getByRole('link');
    await expect(hits.first()).toBeVisible();
    await shoot('search');
    await hits.first().click();
    await expect(page.getByRole('list', { name: 'Runs' })).toBeVisible();
    await shoot('search-place');
    await openActions(page);
    await shoot('conversation-menu');
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await page.getByRole('link', { name: 'Trash', exact: true }).click();
    await expect(page.getByRole('list', { name: 'Deleted conversations' })).toContainText('Message 1');
    await shoot('trash');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await shoot('trash-question');
  },
};

export const WORK_SCREENS: readonly WorkScreen[] = [planned, salvaged, lookedUp];
