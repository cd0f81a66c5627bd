/** Lanes in windows of different sizes: side by side, next to a folded sidebar, and as tabs. */
import type { Page } from '@playwright/test';
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import type { App } from '../support/app.ts';
import { expect, test } from '../support/test.ts';

const NAMES = ['alpha', 'beta', 'gamma'];
const OPEN = { width: 1280, height: 800 };

/** The lead starts an agent for each name, in each of its first two messages. */
function leadStarts(names: readonly string[]): Script {
  const calls = names.map((name) => spawn({ name, prompt: `Inspect part ${name}.` }, `call_${name}`));
  return new Script()
    .on({ ...LEAD, step: 1, asked: /^Look/ })
    .reply([text('I split this up.'), ...calls])
    .on({ ...LEAD, step: 1, asked: /^Again/ })
    .reply([text('I split this up again.'), ...calls.map((call, at) => ({ ...call, id: `call_again_${at}` }))]);
}

/** Each agent writes the start of a report and then waits for the gate of that moment. */
function writing(gate: () => Gate, names: readonly string[]): Script {
  const script = leadStarts(names);
  for (const name of names)
    script
      .on({ ...CHILD, prompt: new RegExp(`part ${name}`) })
      .reply([text(`I read part ${name}. ${'It has a few lines of text. '.repeat(8)}`, { deltas: 20 })], {
        hold: { after: 14, until: () => gate().pass() },
      });
  return script.on(LEAD).reply([text('All parts are well.')]);
}

async function startAll(app: App, message: string, names: readonly string[]): Promise<void> {
  await app.send(message);
  for (const name of names) await app.allow(name);
}

/** Returns whether the middle of an element is in the viewport and not covered. */
async function isUncovered(page: Page, name: string): Promise<boolean> {
  const words = page.getByRole('article', { name, exact: true }).getByText(`I read part ${name}.`);
  return words.evaluate((element) => {
    const { left, top, width, height, bottom, right } = element.getBoundingClientRect();
    const isInside = left >= 0 && top >= 0 && bottom <= innerHeight && right <= innerWidth;
    const shown = document.elementFromPoint(left + width / 2, top + height / 2);
    return isInside && element.contains(shown);
  });
}

test(
  'shows the text of three agents side by side at 1280×800 with the sidebar open',
  { tag: '@browser' },
  async ({ start }) => {
    const held = new Gate();
    const app = await start(writing(() => held, NAMES));
    const { page } = app;
    await page.setViewportSize(OPEN);
    await startAll(app, 'Look at every part.', NAMES);
    await expect(app.button('Hide sidebar')).toBeVisible();
    await expect(app.log.getByRole('tab')).toHaveCount(0);
    const left: number[] = [];
    for (const name of NAMES) {
      const words = app.card(name).getByText(`I read part ${name}.`);
      await expect(words).toBeVisible();
      await expect(words).toBeInViewport({ ratio: 1 });
      await expect.poll(() => isUncovered(page, name), `nothing covers the text of ${name}`).toBe(true);
      await app.expectCard(name, 'running');
      left.push((await app.card(name).boundingBox())!.x);
    }
    expect(left[1]! - left[0]!).toBeGreaterThanOrEqual(300);
    expect(left[2]! - left[1]!).toBeGreaterThanOrEqual(300);
    held.open();
    await app.expectOutcome('completed');
  },
);

test(
  'folds the sidebar below 1,180 px while two lanes run, and leaves it open once the person opened it',
  { tag: '@browser' },
  async ({ start }) => {
    const names = ['alpha', 'beta'];
    let gate = new Gate();
    const app = await start(writing(() => gate, names));
    const { page } = app;
    const lanes = app.log.getByRole('group', { name: 'At work: alpha, beta' }).getByRole('article');
    const tabs = app.log.getByRole('tab');
    const column = () => app.log.evaluate((element) => (element as HTMLElement).offsetWidth);
    const hide = app.button('Hide sidebar');
    const show = app.button('Show sidebar');
    await page.setViewportSize({ width: 1180, height: 800 });
    await startAll(app, 'Look at two parts.', names);
    await expect(lanes).toHaveCount(2);
    await expect(hide).toBeVisible();
    expect(await column()).toBe(940);
    await page.setViewportSize({ width: 1179, height: 800 });
    await expect(show).toBeVisible();
    await expect(lanes).toHaveCount(2);
    await page.setViewportSize({ width: 995, height: 800 });
    await expect(tabs).toHaveCount(2);
    await page.setViewportSize({ width: 996, height: 800 });
    await expect(lanes).toHaveCount(2);
    await page.setViewportSize({ width: 1100, height: 800 });
    await expect(show).toBeVisible();
    gate.open();
    await app.expectOutcome('completed');
    await expect(hide, 'it opens again').toBeVisible();

    gate = new Gate();
    await startAll(app, 'Again, look at two parts.', names);
    await expect(lanes).toHaveCount(2);
    await show.click();
    await expect(hide).toBeVisible();
    await expect(tabs).toHaveCount(2);
    gate.open();
    await app.expectOutcome('completed');
    await expect(hide).toBeVisible();
  },
);

test(
  'selects the tab of an agent that needs approval, else the chosen tab, else a running agent',
  { tag: '@browser' },
  async ({ start }) => {
    const gates = { alpha: new Gate(), beta: new Gate(), gamma: new Gate() };
    const script = leadStarts(NAMES)
      .on({ ...CHILD, prompt: /part gamma/, step: 1 })
      .reply([toolUse('write_file', { path: 'gamma.md', content: 'Gamma.\n' })]);
    for (const [name, gate] of Object.entries(gates))
      script
        .on({ ...CHILD, prompt: new RegExp(`part ${name}`) })
        .reply([text('I read this part. '.repeat(8), { deltas: 20 })], { hold: gate.at(14) });
    const app = await start(script.on(LEAD).reply([text('All parts are well.')]));
    const { page } = app;
    await page.setViewportSize({ width: 800, height: 600 });
    await startAll(app, 'Look at every part.', NAMES);
    const front = app.log.getByRole('tab', { selected: true, includeHidden: true });
    await expect(app.question).toContainText('gamma.md');
    await page.keyboard.press('Escape');
    await expect(front).toHaveText(/gamma/);
    await app.reopen.click();
    await app.allow();
    await expect(front).toHaveText(/alpha/);
    await app.lane('gamma');
    await app.message.focus();
    gates.alpha.open();
    await app.expectCard('alpha', 'completed');
    await expect(front).toHaveText(/gamma/);
    gates.gamma.open();
    await app.expectCard('gamma', 'completed');
    await expect(front).toHaveText(/beta/);
    gates.beta.open();
    await app.expectOutcome('completed');
  },
);
