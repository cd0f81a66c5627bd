/** The lanes of a workflow: its time told apart, long waits folded, and each bar opens what it stands for, also by keyboard. */
import type { Locator } from '@playwright/test';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** By key, button, drag and wheel: where the work of the lead is drawn, in percent of what is in sight, says where the axis is. */
async function expectZoomAndPan(app: App, track: Locator): Promise<void> {
  const { page } = app;
  const sight = () =>
    track
      .locator('.work')
      .first()
      .evaluate(
        ({ style }) =>
          [style.left, style.width].map((place) => Math.round(parseFloat(place) * 1000) / 1000 || 0) as [
            number,
            number,
          ],
      );
  const [left, width] = await sight();
  const wide = async () => (await sight())[1];
  const expectNear = () => expect.poll(wide, 'nearer by a half').toBeCloseTo(width * 1.5, 2);
  const expectWhole = () => expect.poll(sight, 'all is in sight').toEqual([left, width]);
  for (const [nearer, back] of [
    ['+', '-'],
    ['=', '0'],
  ] as const) {
    await track.press(nearer);
    await expectNear();
    await track.press(back);
    await expectWhole();
  }
  for (const back of ['Zoom out', 'Show all']) {
    await app.button('Zoom in').click();
    await expectNear();
    await app.button(back).click();
    await expectWhole();
  }

  const box = await track.boundingBox();
  if (!box) throw new Error('The lane is not drawn');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  await expect.poll(wide, 'nearer by the wheel').toBeGreaterThan(width * 1.5);
  const [near] = await sight();
  await page.mouse.down();
  await page.mouse.move(x + box.width / 10, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await sight())[0], 'a tenth to the right').toBeCloseTo(near + 10, 0);
  await expect(page.getByRole('region', { name: /^(?:Model request|Tool call)$/ }), 'a drag opens nothing').toHaveCount(
    0,
  );
  await track.press('0');
  await expectWhole();
}

test(
  'a timeline bar opens its request and answer, and the arrow keys move between bars',
  fullSpec([
    'tests/lib/history/timeline/bars.test.ts › each bar has an address that selects it again',
    'tests/lib/history/timeline/bars.test.ts › nearestBar returns the bar of another lane that is nearest in time',
  ]),
  async ({ start }) => {
    const app = await start(spawnOne({ reply: { firstTokenMs: 150, usage: { input: 100, cacheRead: 300 } } }));
    const { page } = app;
    await app.send('Inspect this project.');
    await app.lookAt('inspector');
    // The waiting time is folded only if it is longer than the whole work, which takes up to 4 s on a busy machine.
    await expect(app.question.getByText(/4:5[0-2] left/).first()).toBeVisible();
    await app.allow();
    await app.expectOutcome('completed');
    await page.getByRole('link', { name: 'Open in history' }).click();
    const legend = page.getByRole('list', { name: 'What the bars show' }).getByRole('listitem');
    const kinds = [
      'in the queue',
      'waiting for you',
      'model',
      'until the first token',
      'of its input, from the cache',
      'tools',
    ];
    await expect(legend).toHaveText(kinds);
    await expect(page.getByRole('group', { name: 'How the time was spent' })).toHaveText(
      /^[\d.]+ m?s work\s*· [\d.]+ s waiting for you/,
    );
    await expect(page.getByText(/^Folded: [\d.]+ s waiting for you/)).toBeAttached();
    await page.getByRole('button', { name: 'True time' }).click();
    await expect(page.getByText(/^Folded:/)).toHaveCount(0);
    await page.getByRole('button', { name: 'True time' }).click();

    const inspector = page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /inspector/ });
    await expect(inspector).toContainText(/worked .*: .*waiting for you, .*model, /);
    const track = page.getByRole('listbox', { name: 'What inspector did when' });
    const bars = track.locator('[data-request]');
    await expect(bars).toHaveCount(2);
    await expect(bars.first().locator('.until-first')).toHaveAttribute('style', /--cached: 75%/);
    await bars.nth(1).click();
    const panel = page.getByRole('region', { name: 'Model request' });
    await expect(panel).toContainText('Results of');
    await expect(panel.getByRole('region', { name: 'Its answer' })).toContainText('Summary');
    await expect(page).toHaveURL(/request=/);
    await page.reload();
    await expect(panel.getByRole('region', { name: 'Its answer' })).toContainText('Summary');
    await expectAccessibleInBoth(page, 'a request beside the lanes');
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
    await expect(page, 'only the panel is closed').toHaveURL(/\/history\/[^?]+\?run=/);

    const ofLead = page.getByRole('listbox', { name: 'What lead did when' });
    await ofLead.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    await expect(track).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expectZoomAndPan(app, ofLead);
    await track.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await expect(track.getByRole('option', { selected: true })).toHaveAccessibleName(
      /^model, .*first token after .*100 fresh, 300 cached/,
    );
    await page.keyboard.press('Enter');
    await expect(panel).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(track).toBeFocused();

    await ofLead.locator('[data-call]').first().click();
    await expect(page.getByRole('region', { name: 'Tool call' })).toContainText('Runs that it started');
    await page.getByRole('region', { name: 'Tool call' }).getByRole('link', { name: 'inspector' }).click();
    await expect(inspector).toHaveAttribute('aria-current', 'true');
    await page.getByRole('tab', { name: 'Files' }).click();
    await expect(page.getByText('No file was changed in this workflow.')).toBeVisible();
  },
);
