/** Who is away is called by sound and notification, from one of all tabs, as the settings say; a press on one answers nothing. */
import type { BrowserContext, Page } from '@playwright/test';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const browserOnly = {
  tag: '@browser',
  annotation: { type: 'why', description: 'The desktop shows its own notifications, which its specs look at' },
};

interface Called {
  tones: number;
  notes: { title: string; body: string; onclick?: () => void; closed: boolean }[];
}

/** Notes in each page what would be heard and shown. */
async function listen(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const called: Called = { tones: 0, notes: [] };
    Object.assign(window, { called });
    const start: (when?: number) => void = Reflect.get(OscillatorNode.prototype, 'start');
    OscillatorNode.prototype.start = function (this: OscillatorNode, when?: number) {
      called.tones += 1;
      start.call(this, when);
    };
    class Shown {
      static permission = 'granted';
      readonly #note: Called['notes'][number];
      constructor(title: string, { body }: { body: string }) {
        this.#note = { title, body, closed: false };
        called.notes.push(this.#note);
      }
      set onclick(press: () => void) {
        this.#note.onclick = press;
      }
      close() {
        this.#note.closed = true;
      }
    }
    Object.assign(window, { Notification: Shown });
  });
}

const calledIn = (page: Page) =>
  page.evaluate(() => {
    const { tones, notes } = Reflect.get(window, 'called') as Called;
    return { tones, notes: notes.map(({ title, body, closed }) => ({ title, body, closed })) };
  });

/** Of all tabs together. */
async function callsIn(pages: readonly Page[]): Promise<{ tones: number[]; notes: number }> {
  const all = await Promise.all(pages.map(calledIn));
  return {
    tones: all.map(({ tones }) => tones).sort((a, b) => a - b),
    notes: all.reduce((sum, { notes }) => sum + notes.length, 0),
  };
}

async function choose(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name: label, exact: true });
  await field.fill(value);
  await field.press('Enter');
  // It is there once it is saved.
  await expect(page.getByRole('button', { name: new RegExp(`^(Unset|Reset to .*): ${label}$`) })).toBeVisible();
  await expect(field).toHaveValue(value);
}

test(
  'only one of two tabs alerts the person, and only while the person is away, until the approval is answered',
  fullSpec(
    [
      'tests/lib/app/page-caller.alone.test.ts › calls an absent user at once, again after a minute, and not after an answer',
      'tests/lib/app/page-caller.alone.test.ts › a window that does not lead stays silent',
      'tests/lib/app/page-caller.alone.test.ts › is silent in quiet hours, and calls for a waiting question when they end',
      'tests/lib/app/page-caller.alone.test.ts › a click on a notification opens the conversation with its question, and answers nothing',
    ],
    browserOnly,
  ),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha']), { ownContext: true });
    const { page } = app;
    const context = page.context();
    await listen(context);
    await context.clock.install();
    await app.goto('/settings?at=attention');
    const sound = page.getByRole('checkbox', { name: 'Sound: waits for you' });
    await expect(sound).not.toBeChecked();
    await sound.check();
    await expect(page.getByText('Saved.')).toBeVisible();
    await expect(page.getByText('This browser shows notifications.')).toBeVisible();
    await page.getByRole('button', { name: 'Play “waits for you”' }).click();
    await expect.poll(async () => (await calledIn(page)).tones).toBe(2);
    await expectAccessibleInBoth(page, 'settings of attention');
    await page.reload();

    const other = await app.secondTab('/');
    const tabs = [page, other.page];
    const pass = (seconds: number) => Promise.all(tabs.map((tab) => tab.clock.runFor(seconds * 1000)));
    await other.send('Look at one part.');
    await expect(other.question).toBeVisible();
    await expect(page).toHaveTitle(/^\(1\) /);
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', /favicon-waiting/);
    expect(await callsIn(tabs), 'the person is here').toEqual({ tones: [0, 0], notes: 0 });

    await other.page.keyboard.press('Escape');
    await other.page.getByRole('link', { name: 'Agents', exact: true }).click();
    await expect(other.page).toHaveURL(/\/agents/);
    await pass(70);
    await expect.poll(() => callsIn(tabs), 'one of both, once').toEqual({ tones: [0, 2], notes: 1 });
    await pass(120);
    await expect.poll(() => callsIn(tabs), 'and again').toEqual({ tones: [0, 4], notes: 2 });

    const caller = (await calledIn(page)).notes.length > 0 ? page : other.page;
    expect((await calledIn(caller)).notes[0]).toMatchObject({ title: 'Question from alpha' });
    await caller.evaluate(() => (Reflect.get(window, 'called') as Called).notes.at(-1)?.onclick?.());
    await expect(caller, 'a press leads to its conversation').toHaveURL(/\/chat\//);
    await expect(caller.getByRole('alertdialog')).toBeVisible();
    await expect(page, 'a press answers nothing').toHaveTitle(/^\(1\) /);

    await choose(page, 'Quiet from', '00:00');
    await choose(page, 'Quiet until', '23:59');
    await pass(600);
    expect(await callsIn(tabs), 'quiet hours').toEqual({ tones: [0, 4], notes: 2 });
    await expect(page).toHaveTitle(/^\(1\) /);
    await other.allow('alpha');
    await other.expectOutcome('completed');
    await expect(page).not.toHaveTitle(/\(/);
    await expect(page.locator('link[rel=icon]')).not.toHaveAttribute('href', /waiting/);
    expect((await calledIn(caller)).notes.at(-1)?.closed, 'what is answered is taken away').toBe(true);
  },
);

test(
  'an interrupted workflow is listed in the inbox and can be resumed there by keyboard',
  fullSpec([
    'tests/core/workflows/interrupted-work.test.ts › an interrupted workflow is in the attention feed after a restart until it is resumed',
    'tests/lib/view/waiting-list.test.ts › lists sleeping questions, sign-ins and interrupted workflows after blocking approvals',
    'tests/lib/approvals/inbox-page.server.test.ts › offers to resume interrupted work',
  ]),
  async ({ start }) => {
    const held = new Gate();
    const script = new Script()
      .on({ step: 1 })
      .reply([text('Half of it.')], { times: 1, hold: held.at(0) })
      .on({})
      .reply([text('All of it.')]);
    const app = await start(script, { ownProcess: true });
    await app.send('Write it all.');
    await held.reached;
    await app.crashAndRestart();
    held.open();
    const { page } = app;
    await app.goto('/approvals');
    const entry = app.waiting.getByRole('button', { name: /Write it all/ });
    await expect(entry).toBeVisible();
    await expect(page).toHaveTitle(/^\(1\) /);
    await expect(page.getByRole('heading', { name: 'Resume this workflow?' })).toBeVisible();
    await expectAccessibleInBoth(page, 'a workflow to resume');
    await page.setViewportSize({ width: 640, height: 400 });
    await expect(app.button('Resume'), 'at 200 % zoom, too').toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await entry.press('Enter');
    await expect(page.getByRole('group', { name: 'What you can do' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(app.button('Resume')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    await expect(page).not.toHaveTitle(/\(/);
  },
);
