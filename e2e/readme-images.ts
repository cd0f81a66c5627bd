/** Takes the pictures of the documentation at 1280×800 with the sidebar open: `node e2e/readme-images.ts`. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, type Page } from '@playwright/test';
import config from '../playwright.config.ts';
import { CHILD, LEAD, spawn } from '../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../tests/support/fake-model/script.ts';
import { startFakeModel } from '../tests/support/fake-model/server.ts';
import { Gate } from '../tests/support/gate.ts';
import { startHost } from './support/host.ts';
import { Person } from './support/person.ts';

// Seen in the pictures: not the folder of tests.
const TEMPORARY = process.platform === 'win32' ? tmpdir() : '/tmp';
const OUT = join(import.meta.dirname, '..', 'docs', 'images');
const README = `# Tidepool

Tidepool reads tide tables and says when the rock pools can be reached.

## Use

    tidepool next --port Roscoff
`;
const REVIEWS = [
  {
    name: 'accuracy-review',
    reason: 'Compare the README with the code',
    prompt:
      'Read README.md and everything below src/, then list each statement that the code contradicts: the file, the line, the statement, and what the code does instead. Leave out matters of taste.',
    summary:
      'Two statements do not hold: the command is called `tides`, not `next`, and the port is looked up without regard to case.',
    tokens: [3120, 412],
  },
  {
    name: 'tone-review',
    reason: 'Check that newcomers can follow it',
    prompt: 'Read README.md as someone who has never used a tide table. Name every sentence that loses you.',
    summary: 'Clear and short. Say what a tide table is before it is used, and show what the command prints.',
    tokens: [1480, 296],
  },
  {
    name: 'links-review',
    reason: 'Check every reference',
    prompt: 'Check that every file and command that README.md names exists. List those that do not.',
    summary: 'All files that are named exist; nothing says where the tables come from.',
    tokens: [2210, 188],
  },
] as const;
const DETAILS = `## Details

- \`README.md\`, line 7: the example names a command that is not there.
- \`README.md\`, line 3: "rock pools" is said before a tide table is.
- Everything else holds.
`;
const ANSWER = `The README is **short and readable**, and two things in it are wrong. Shall I write the corrected version?

1. \`tidepool next\` is called \`tidepool tides\` since the last release.
2. Port names are found whatever their case, so the note about capitals can go.`;
const CORRECTED = README.replace(
  'reads tide tables',
  'reads tide tables, which say when the sea is high and low,',
).replace(
  'tidepool next --port Roscoff',
  'tidepool tides --port Roscoff\n\nIt prints the next low tides, with their heights in metres.',
);
const QUESTIONS = [
  'Which commands does this project have?',
  'Where do the tide tables come from?',
  'Is there a test for a port with two names?',
];
const RULES = `[[permissions.rules]]
effect = "deny"
tool = "write_file"
pattern = "tables/**"

[[permissions.rules]]
effect = "ask"
tool = "bash"
pattern = "git push **"
`;
const AGENT = `---
name: docs-reviewer
description: Compares what documentation says with what the code does, and reports what differs
model: sonnet
tools: [read_file, list_directory, glob, grep]
---

You review documentation. You change nothing.

## How

- Read the page, then the code that it speaks of.
- Name the file and the line of every statement that does not hold.
- Say what the code does instead, in one sentence.

## What you leave out

Matters of taste, and what nobody would notice.
`;

/** The lead asks for three reviews, which stop in their middle until `half` opens; on the next message it writes the file. */
function story(half: Gate): Script {
  const usage = ([input, output]: readonly [number, number]) => ({ input, output });
  const script = new Script();
  script
    .on({ ...LEAD, step: 1, asked: /review/i })
    .reply(
      [
        text('Three people would look at this differently, so I ask for three reviews at once.'),
        ...REVIEWS.map(({ name, reason, prompt }) => spawn({ name, reason, prompt })),
      ],
      { usage: usage([1840, 310]), firstTokenMs: 400 },
    );
  REVIEWS.forEach(({ prompt, summary, tokens }, n) => {
    const report = text(`# Report\n\n## Summary\n\n${summary}\n\n${DETAILS}`, { deltas: 40 });
    script
      .on({ ...CHILD, where: (seen) => seen.prompt.includes(prompt) })
      .reply([report], { usage: usage(tokens), firstTokenMs: 900, deltaMs: 30, hold: half.at(32 + 3 * n) });
  });
  script
    .on({ ...LEAD, asked: /corrected/i, step: 1 })
    .reply([toolUse('write_file', { path: 'README.md', content: CORRECTED })], { usage: usage([3400, 190]) });
  script.on({ ...LEAD, asked: /corrected/i }).reply([text('The README is corrected.')], { usage: usage([3610, 24]) });
  QUESTIONS.forEach((asked, n) =>
    script
      .on({ ...LEAD, where: (seen) => seen.asked.includes(asked) })
      .reply([text('It is in `src/`.')], { usage: usage([1200 + 310 * n, 60 + 45 * n]), firstTokenMs: 300 + 200 * n }),
  );
  return script.on(LEAD).reply([text(ANSWER)], { usage: usage([3050, 224]), firstTokenMs: 400 });
}

/** The same moment in light and in dark. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.mouse.move(1279, 799);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction(
      (dark) => document.documentElement.classList.contains('dark') === dark,
      colorScheme === 'dark',
    );
    await page.screenshot({ path: join(OUT, `${name}-${colorScheme}.png`) });
  }
}

async function work(person: Person, half: Gate): Promise<void> {
  const { page } = person;
  await person.send('Review the README of this project from three sides.');
  await person.lookAt('accuracy-review');
  await shoot(page, 'approval-three');
  for (const { name } of REVIEWS) await person.allow(name);
  for (const { name } of REVIEWS) await expect(await person.lane(name)).toContainText('Details');
  await person.lane(REVIEWS[0].name);
  await shoot(page, 'chat');
  half.open();
  await person.expectOutcome('completed');
  await person.send('Yes, write the corrected version.');
  await expect(person.question).toBeVisible();
  await shoot(page, 'approval');
  await person.allow();
  await person.expectOutcome('completed');
  for (const question of QUESTIONS) {
    await page.getByRole('link', { name: 'New conversation' }).click();
    await expect(page.getByLabel('Folder', { exact: true })).toBeVisible();
    await person.send(question);
    await person.expectOutcome('completed');
  }
}

async function history({ page }: Person): Promise<void> {
  const goTo = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await goTo('History');
  const rows = page.getByRole('list', { name: 'Workflows' }).getByRole('link');
  await expect(rows).toHaveCount(5);
  await shoot(page, 'history');
  await rows.filter({ hasText: 'Review the README' }).last().click();
  await expect(page.getByRole('list', { name: 'Runs' }).getByRole('button')).toHaveCount(4);
  await shoot(page, 'workflow');
  await page.getByRole('link', { name: /^Replay/ }).click();
  await expect(page.getByRole('slider', { name: 'Moment of the workflow' })).toBeFocused();
  await page.keyboard.press('End');
  for (let step = 0; step < 9; step += 1) await page.keyboard.press('ArrowLeft');
  await shoot(page, 'replay');
}

async function pages({ page }: Person): Promise<void> {
  const goTo = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await goTo('Permissions');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Effect').selectOption('allow');
  await page.getByLabel('On', { exact: true }).fill('*.md');
  await expect(page.getByRole('group', { name: 'What it would decide' })).toContainText('it decides 1');
  await page.getByRole('heading', { name: 'Rules', exact: true }).evaluate((heading) => heading.scrollIntoView());
  await shoot(page, 'permissions');
  await goTo('Settings');
  await goTo('Limits');
  await shoot(page, 'settings');
  await goTo('Agents');
  await page
    .getByRole('list', { name: /^Agents: / })
    .getByRole('link', { name: /^docs-reviewer/ })
    .click();
  await expect(page.getByText('No faults.')).toBeVisible();
  await shoot(page, 'agents');
  await goTo('History');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('re');
  await expect(page.getByRole('dialog').getByRole('option', { name: /^Review/ })).toBeVisible();
  await shoot(page, 'palette');
}

async function main(): Promise<void> {
  const folder = await realpath(await mkdtemp(join(TEMPORARY, 'demo-')));
  const workspace = join(folder, 'tidepool');
  await mkdir(workspace);
  await mkdir(OUT, { recursive: true });
  await writeFile(join(workspace, 'README.md'), README);
  const home = join(folder, 'home');
  await mkdir(join(home, 'agents'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, 'config.toml'), RULES, { mode: 0o600 });
  await writeFile(join(home, 'agents', 'docs-reviewer.md'), AGENT, { mode: 0o600 });
  const half = new Gate();
  const model = await startFakeModel(story(half));
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: model.url };
  const host = await startHost({ home, workspace, env });
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(host.url);
    const person = new Person(page);
    await work(person, half);
    await history(person);
    await pages(person);
  } finally {
    await browser.close();
    await host.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

await main();
