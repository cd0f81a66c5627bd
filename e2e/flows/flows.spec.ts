/** Agents that work together: rounds with a coagent, and a chain stage by stage, live, after a reload and in the history. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { delegateTo } from '../../tests/support/fake-model/scenarios.ts';
import { type Match, Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import type { App, AppOptions } from '../support/app.ts';
import { expect, fullSpec, inFullRun, test } from '../support/test.ts';

const ABOVE: Match = { tools: ['delegate_task'] };
const ODD = { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } };

const agent = (name: string, keys = '') =>
  `---\nname: ${name}\ndescription: Works\ntools: [read_file]\n${keys}---\nYou are the ${name}.\n`;

const PAIR = `[agent]
name = "pair"
description = "Writes, and is reviewed"

[composition]
primary = "coder"
coagent = "reviewer"

[control_flow]
type = "judge"
max_rounds = 3
`;

/** With these files in the person's own folder of settings. */
function having(files: Readonly<Record<string, string>>): AppOptions {
  return {
    before: async ({ home }) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFile(join(home, path), content);
      }
      return () => Promise.resolve();
    },
  };
}

const of = (name: string, more: Match = {}): Match => ({ system: new RegExp(`You are the ${name}`), ...more });

/** Of both flows, each begun by the message that names it. */
function pairAndChain(looking: Gate): Script {
  const says = (words: string) => ({ where: ({ prompt }: { prompt: string }) => prompt.includes(words) });
  return new Script()
    .on(of('reviewer', { ...says('It adds two'), turn: 1 }))
    .reply([text('The empty list is **missing**.\n\nScore: 60', { deltas: 8 })], { hold: looking.at(4) })
    .on(of('reviewer', says('It adds all')))
    .reply([toolUse('task_complete', { summary: 'All is there.\n\nScore: 85' })])
    .on(of('coder', { turn: 1 }))
    .reply([text('It adds two numbers.')])
    .on(of('coder'))
    .reply([text('It adds all numbers of a list.')])
    .on(of('finder'))
    .reply([text('Three facts.')])
    .on(of('writer'))
    .reply([], { ...ODD, times: 1 })
    .on(of('writer'))
    .reply([text('# Report: the facts\n\nThree of them.')])
    .on(of('checker'))
    .reply([text('# Report: checked\n\n## Summary\n\nAll is so.')])
    .on({ ...ABOVE, asked: /sum/, step: 1 })
    .reply([delegateTo('pair', 'Say what sum does.')])
    .on({ ...ABOVE, asked: /Find/, step: 1 })
    .reply([delegateTo('finder', 'Find the facts.')])
    .on(ABOVE)
    .reply([text('The lead has the report.')]);
}

const FILES = {
  'compositions/pair.toml': PAIR,
  'agents/coder.md': agent('coder'),
  'agents/reviewer.md': agent('reviewer'),
  'agents/finder.md': agent('finder', 'next: writer\n'),
  'agents/writer.md': agent('writer', 'next: checker\n'),
  'agents/checker.md': agent('checker'),
};
const LINES = [
  '→ reviewer, round 1',
  '← reviewer: wants changes, 60',
  '→ reviewer, round 2',
  '← reviewer: approved, 85',
];

/** A chain is one card with its stages; the one that failed is tried again where it stands. */
async function chain(app: App): Promise<void> {
  await app.send('Find and report.');
  await app.allow();
  const card = app.card('finder');
  const stages = stagesOf(app);
  await expect(card).toHaveCount(1);
  await expect(stages).toContainText(['completed', 'error', 'not reached']);
  await expect(card.locator('header')).toContainText('3 agents');
  await expect(card).toContainText('Agent 2 of 3, writer');
  await expect(card).toContainText('the prompt is too odd');
  await expectAlsoAccessible(app.page, 'a chain that failed');
  await app.expectOutcome('completed');

  await card.getByRole('button', { name: 'Try again' }).press('Enter');
  await expect(stages).toContainText(['completed', 'attempt 2', 'completed']);
  await app.expectCard('finder', 'completed');
  await expect(card).toContainText('All is so.');
  await card.getByRole('button', { name: /finder completed/ }).press('Enter');
  await expect(card.getByText('Three facts.').first()).toBeVisible();
  await app.expectOutcome('completed');
}

const stagesOf = (app: App) => app.card('finder').getByRole('list', { name: 'Chain' }).getByRole('listitem');
const roundsOf = (app: App) => app.card('pair').getByRole('button', { name: /reviewer[,:]/ });

async function rounds(app: App, looking: Gate): Promise<void> {
  await app.send('What does sum do?');
  await app.allow();
  const card = app.card('pair');
  await expect(card).toContainText('reviewer:');
  const line = card.getByRole('button', { name: /^→ reviewer, round 1 of 3/ });
  await expect(line).toContainText('running');
  await line.press('Enter');
  const work = card.getByRole('region', { name: 'What reviewer did' });
  await expect(work).toContainText('The empty');
  await expect(card.getByRole('group', { name: 'What reviewer is told' })).toContainText('It adds two numbers.');
  await expectAlsoAccessible(app.page, 'while the coagent works');
  looking.open();
  await expect(work.locator('strong')).toHaveText('missing');
  await app.expectOutcome('completed');
  await app.expectCard('pair', 'completed');
  await expect(roundsOf(app)).toContainText(LINES);
}

async function inTheHistory(app: App): Promise<void> {
  const { page } = app;
  await app.footer().getByRole('link', { name: 'Open in history' }).click();
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('button');
  await expect(runs).toContainText(['lead', 'pair', 'round 1', 'round 2']);
  await runs.nth(3).press('Enter');
  await page.getByRole('list', { name: 'Works for' }).getByRole('link', { name: 'pair' }).press('Enter');
  await expect(page.getByRole('list', { name: 'Served by' }).getByRole('listitem')).toContainText([
    'round 1',
    'round 2',
  ]);
  await page.getByRole('tab', { name: 'Envelope' }).click();
  const picture = page.getByRole('list', { name: 'Who works, in order' });
  await expect(picture).toContainText('judge, at most 3 rounds');
  await expectAlsoAccessible(page, 'the run in the history');
}

test(
  'a chain is one card with a retry of the failed stage, and each round with a coagent is a line that unfolds',
  fullSpec([
    'tests/lib/view/family.test.ts › shows a failed stage, which can be retried',
    'tests/lib/view/handoffs.test.ts › number the rounds and give each verdict',
    'tests/core/workflows/chains.test.ts › runs all stages after one approval, reports the last answer, and cannot be retried',
  ]),
  async ({ start }) => {
    const looking = new Gate();
    const app = await start(pairAndChain(looking), having(FILES));
    const { page } = app;
    await chain(app);
    await rounds(app, looking);

    await page.reload();
    const pair = app.card('pair');
    await pair.getByRole('button', { name: /^pair/ }).press('Enter');
    await expect(roundsOf(app)).toContainText(LINES);
    const back = pair.getByRole('button', { name: /wants changes/ });
    await expect(back).toContainText('The empty list');
    await back.press('Enter');
    await expect(pair.locator('strong', { hasText: 'missing' })).toBeVisible();
    await expectAlsoAccessible(page, 'the rounds');
    await expect(stagesOf(app)).toContainText(['finder', 'writer', 'checker']);

    if (inFullRun()) {
      await app.footer(0).getByRole('link', { name: 'Open in history' }).click();
      await expect(page.getByRole('list', { name: 'Runs' }).getByRole('button')).toContainText([
        ...['lead', 'agent 1 of 3', 'agent 2 of 3', 'agent 3 of 3'],
      ]);
      await page.goBack();
      await inTheHistory(app);
    }
  },
);

test('an agent page runs the whole chain of the agent and shows the last answer as the result', async ({ start }) => {
  const app = await start(pairAndChain(new Gate()), having(FILES));
  const { page } = app;
  await page.goto(new URL('/agents', page.url()).href);
  await page
    .getByRole('link', { name: /finder/ })
    .first()
    .click();
  const tried = page.getByRole('region', { name: 'Try it' });
  await expect(tried).toContainText('those that work with it');
  await tried.getByRole('textbox').fill('Find the facts.');
  await tried.getByRole('textbox').press('Enter');
  const stages = page.getByRole('list', { name: 'Chain' }).getByRole('listitem');
  await expect(stages).toContainText(['error', 'not reached']);
  await expect(page.getByRole('button', { name: /Passed to writer/ })).toContainText('Three facts.');
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await expect(stages).toContainText(['attempt 2', 'completed']);
  await expect(page.getByRole('article').first()).toContainText('All is so.');
  await expectAlsoAccessible(page, 'the chain of a lead');
});
