/** Every visit to the screens: to the usual ones, and those of each group; each calls `shoot` where there is something to see. */
import { expect } from '@playwright/test';
import { CHILD, LEAD, plainAnswer, spawn, writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import type { App } from './app.ts';
import { CALL_SCREENS } from './call-screens.ts';
import { CHANGE_SCREENS } from './change-screens.ts';
import { MCP_SCREENS } from './mcp-screens.ts';
import { PAGE_SCREENS } from './page-screens.ts';
import { PART_SCREENS } from './part-screens.ts';
import { QUESTION_SCREENS } from './question-screens.ts';
import { leadCalls, leadSpawns } from './scripts.ts';
import { type Shoot, WORK_SCREENS, type WorkScreen } from './work-screens.ts';

const NAMES = ['accuracy-check', 'tone-check', 'links-check'];
const PROMPT = `Read README.md and everything below docs/, then list each statement that the code contradicts.

For each one give the file, the line, the statement in its own words, and what the code does instead. Leave out matters of taste.`;
const ANSWER = `## What the reviews found

The README is **accurate in all but two places**; see \`src/sum.js\` for the first.

| Place | Statement | What is so |
| --- | --- | --- |
| README, line 3 | "A small project" | it has one function |
| README, line 9 | \`sum\` takes a list | it takes two numbers |

\`\`\`js
// The one function that there is.
export const sum = (a, b) => a + b;
\`\`\`

1. Correct line 9 first, as people copy it.
2. Then say what the project is for. A longer item that runs over more than one line shows how the text is set when it has to be broken, at this width and at a smaller one.

> Nothing else contradicts the code.

More is in [the guide](https://example.com/guide).`;

async function firstRun(app: App, shoot: Shoot): Promise<void> {
  const { page } = app;
  await expect(page.getByRole('heading', { name: 'Welcome to Triad' })).toBeVisible();
  await shoot('first-run');
  await page.getByRole('button', { name: /^Anthropic/ }).click();
  await shoot('first-run-key');
  await app.button('Back').click();
  await page.getByRole('button', { name: /^Another address/ }).click();
  await page.getByLabel('Endpoint', { exact: true }).fill(`${app.model.url}/v1`);
  await app.button('Test and continue').click();
  await expect(page.getByText('It does not work:')).toBeVisible();
  await shoot('first-run-endpoint');
  await app.button('Back').click();
  await page.getByRole('button', { name: /^Try the demo/ }).click();
  await expect(page.getByRole('heading', { name: 'Choose a folder' })).toBeVisible();
  await shoot('first-run-folder');
  await app.button('Start').click();
  await expect(app.message).toBeVisible();
  await shoot('demo-empty');
  await app.send('What is in this folder?');
  await expect(app.question).toBeVisible({ timeout: 15_000 });
  await shoot('demo-question');
  await app.allow();
  await app.expectOutcome('completed');
  await shoot('demo-answer');
}

async function threeAtWork(app: App, shoot: Shoot): Promise<void> {
  await expect(app.message).toBeVisible();
  await shoot('empty-chat');
  await app.send('Have three sub-agents review the README: accuracy, tone, links.');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
  await shoot('approval-several');
  await app.page.keyboard.press('Escape');
  await shoot('chat-waiting');
  await app.reopen.click();
  for (const name of NAMES) await app.allow(name);
  for (const name of NAMES) await app.expectCard(name, 'running');
  await app.lane('tone-check');
  await expect(app.card('tone-check')).toContainText('Finding 1');
  await shoot('streaming');
}

/** Three open cards, each in the middle of a text. */
async function threeWriting(app: App, shoot: Shoot): Promise<void> {
  await app.send('Have three sub-agents review the README: accuracy, tone, links.');
  for (const name of NAMES) await app.allow(name);
  for (const name of NAMES) {
    await app.lane(name);
    await expect(app.card(name)).toContainText('What the reviews found');
  }
  await expect(app.card('links-check').locator('[class^=token-]').first()).toBeVisible();
  await shoot('streaming-cards');
}

async function oneQuestion(app: App, shoot: Shoot): Promise<void> {
  await app.send('Review the README.');
  await expect(app.question).toBeVisible();
  await shoot('approval-one');
  await app.unfoldForm();
  await app.field('Prompt').fill(`${PROMPT}\n\nLeave out the licence.`);
  await shoot('approval-edited');
  await app.allow();
  await app.expectCard('accuracy-check', 'running');
  await app.crashAndRestart();
  await shoot('connection-lost');
  await app.page.goto(new URL('/', app.page.url()).href);
  await app.page.getByRole('link', { name: /Review the README/ }).click();
  await app.expectOutcome('interrupted');
  await shoot('interrupted');
}

async function aWrite(app: App, shoot: Shoot): Promise<void> {
  await app.send('Improve the README.');
  await expect(app.question).toBeVisible();
  await shoot('approval-write');
  await app.allow();
  await app.expectOutcome('completed');
  await shoot('written');
}

async function failures(app: App, shoot: Shoot): Promise<void> {
  await app.send('Do all three.');
  for (const name of ['code-reviewer', 'test-generator', 'documentation-writer']) await app.allow(name);
  await app.expectCard('code-reviewer', 'error');
  await app.expectCard('documentation-writer', 'completed');
  const lane = await app.lane('test-generator');
  await lane.getByRole('button', { name: 'Stop this agent' }).click();
  await app.expectOutcome('completed');
  await shoot('failed-agents');
}

async function refusedKey(app: App, shoot: Shoot): Promise<void> {
  await app.send('Hello.');
  await app.expectOutcome('error');
  await shoot('failed');
}

async function finished(app: App, shoot: Shoot): Promise<void> {
  const { page } = app;
  for (let n = 1; n <= 3; n += 1) {
    await app.send(`Review the README, part ${n}.`);
    for (const name of NAMES) await app.allow(name);
    await app.expectOutcome('completed');
  }
  await shoot('finished');
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Workflows' }).getByRole('link')).toHaveCount(3);
  await shoot('history');
  await page.getByRole('link', { name: 'Sub-agents', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Sub-agents' }).getByRole('link')).toHaveCount(9);
  await shoot('history-sub-agents');
  await page.goBack();
  await page.getByRole('list', { name: 'Workflows' }).getByRole('link').first().click();
  await expect(page.getByRole('list', { name: 'Runs' }).getByRole('button')).toHaveCount(4);
  await shoot('workflow');
  await page
    .getByRole('list', { name: 'Runs' })
    .getByRole('button', { name: /tone-check/ })
    .click();
  for (const tab of ['Envelope', 'Approvals', 'Model requests']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await shoot(`workflow-${tab.toLowerCase().replace(' ', '-')}`);
  }
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByLabel('API key')).toBeVisible();
  await shoot('settings');
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  await sections.getByRole('link', { name: 'Limits' }).click();
  const limit = page.getByRole('textbox', { name: 'Sub-agents per workflow' });
  await limit.fill('9');
  await limit.press('Enter');
  await expect(page.getByText('Write a whole number from 1 to 3.')).toBeVisible();
  await shoot('settings-limits');
  await sections.getByRole('link', { name: 'Sessions and data' }).click();
  await expect(page.getByRole('heading', { name: 'Memory' })).toBeVisible();
  await shoot('settings-data');
  await page.getByRole('searchbox', { name: 'Find a setting' }).fill('cost');
  await expect(page.locator('mark').first()).toBeVisible();
  await shoot('settings-search');
}

function failingBatch(): Script {
  const agents = ['code-reviewer', 'test-generator', 'documentation-writer'];
  const tasks = agents.map((agent) => ({
    agent_id: agent,
    prompt: `Work as ${agent}.`,
    reason: 'Do one third',
  }));
  const error = {
    type: 'invalid_request_error',
    message: 'prompt is too long: 250000 tokens > 200000 maximum',
  };
  return leadCalls(
    [toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })],
    [
      { prompt: /code-reviewer/, task: 'the code', options: { status: 400, error } },
      { prompt: /test-generator/, task: 'the tests', options: { hangAfter: 12 } },
      { prompt: /documentation-writer/, task: 'the docs' },
    ],
  );
}

/** Three reviews for each message, and an answer with all that Markdown can be. */
function reviews(): Script {
  const script = leadSpawns(NAMES);
  script.rules.pop();
  return script.on(LEAD).reply([text(ANSWER, { deltas: 30 })]);
}

/** One is held in its table, one in its code, one near its end. */
function writers(): Script {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(NAMES.map((name) => spawn({ name, prompt: `Check: ${name}.` })));
  for (const [at, name] of NAMES.entries()) {
    const hold = new Gate().at([24, 42, 54][at] ?? 0);
    script.on({ ...CHILD, prompt: new RegExp(name) }).reply([text(ANSWER, { deltas: 60 })], { hold });
  }
  return script;
}

/** All visits; each but the first ones is named by its place among the others. */
export function visits(): Map<string, WorkScreen> {
  const never = { hold: new Gate().at(14) };
  const holding = Object.fromEntries(NAMES.map((name) => [name, never]));
  const one = () =>
    leadCalls(
      [spawn({ name: 'accuracy-check', prompt: PROMPT, reason: 'Compare the README with the code' })],
      [{ prompt: /./, task: 'the README', options: { hangAfter: 12 } }],
    );
  const content =
    '# Sample\n\nA small project with one function, `sum`, which adds two numbers.\n\n## Use\n\n    sum(1, 2)\n';
  const own: WorkScreen[] = [
    { script: plainAnswer, options: { apiKey: null, endpoint: null }, go: firstRun },
    { script: () => leadSpawns(NAMES, holding), go: threeAtWork },
    { script: writers, go: threeWriting },
    { script: one, options: { ownProcess: true }, go: oneQuestion },
    { script: () => writeFile({ path: 'README.md', content }), go: aWrite },
    { script: failingBatch, go: failures },
    { script: plainAnswer, options: { model: { keys: ['another'] } }, go: refusedKey },
    { script: reviews, go: finished },
  ];
  const groups = {
    work: WORK_SCREENS,
    question: QUESTION_SCREENS,
    part: PART_SCREENS,
    call: CALL_SCREENS,
    change: CHANGE_SCREENS,
  };
  const others = Object.entries({ ...groups, mcp: MCP_SCREENS, page: PAGE_SCREENS });
  return new Map([
    ...own.map((screen) => [screen.go.name, screen] as const),
    ...others.flatMap(([group, screens]) => screens.map((screen, at) => [`${group}-${at + 1}`, screen] as const)),
  ]);
}
