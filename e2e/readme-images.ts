/** The pictures of the README, from the app itself with a scripted model: `node e2e/readme-images.ts`. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, type Page } from '@playwright/test';
import config from '../playwright.config.ts';
import { CHILD, LEAD, spawn } from '../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../tests/support/fake-model/script.ts';
import { startFakeModel } from '../tests/support/fake-model/server.ts';
import { startHost } from './support/host.ts';
import { Person } from './support/person.ts';

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
const ANSWER = `The README is **short and readable**, and two things in it are wrong. Shall I write the corrected version?

1. \`tidepool next\` is called \`tidepool tides\` since the last release.
2. Port names are found whatever their case, so the note about capitals can go.`;

/** The lead asks for three reviews, answers, and on the next message writes the file. */
function story(): Script {
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
    const report = text(`# Report\n\n## Summary\n\n${summary}\n`, { deltas: 12 });
    script
      .on({ ...CHILD, where: (seen) => seen.prompt.includes(prompt) })
      .reply([report], { usage: usage(tokens), firstTokenMs: 900, deltaMs: 140 + 60 * n });
  });
  return script.on(LEAD).reply([text(ANSWER)], { usage: usage([3050, 224]), firstTokenMs: 400 });
}

/** The same moment in light and in dark. */
async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction(
      (dark) => document.documentElement.classList.contains('dark') === dark,
      colorScheme === 'dark',
    );
    await page.screenshot({ path: join(OUT, `${name}-${colorScheme}.png`) });
  }
}

async function tell(page: Page): Promise<void> {
  const person = new Person(page);
  await person.send('Review the README of this project from three sides.');
  await person.lookAt('accuracy-review');
  await shoot(page, 'approval');
  for (const { name } of REVIEWS) await person.allow(name);
  await person.expectOutcome('completed');
  await person.footer().scrollIntoViewIfNeeded();
  await shoot(page, 'chat');
  await person.footer().getByRole('link', { name: 'Open in history' }).click();
  await expect(page.getByRole('list', { name: 'Runs' }).getByRole('button')).toHaveCount(4);
  await shoot(page, 'history');
}

async function main(): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-')));
  const workspace = join(folder, 'tidepool');
  await mkdir(workspace);
  await mkdir(OUT, { recursive: true });
  await writeFile(join(workspace, 'README.md'), README);
  const model = await startFakeModel(story());
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: model.url };
  const host = await startHost({ home: join(folder, 'home'), workspace, env });
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(host.url);
    await tell(page);
  } finally {
    await browser.close();
    await host.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

await main();
