/** A workflow is replayed from its log: by the keyboard, as it was, and with no way to do anything in it. */
import type { Page } from '@playwright/test';
import { CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { openActions } from '../support/conversation-menu.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const NAMES = ['alpha', 'beta', 'gamma'];
/** What acts on the world, wherever it stands. */
const ACTS =
  /^(Stop|Stop .*|Undo|Undo .*|Redo|Redo .*|Try again|Resume|Extend.*|Answer.*|Allow.*|Reject.*|Say it|Send.*|Retry.*|Edit.*|Go back.*)$/;

/** Two write and report, the third fails; the lead writes a file and tells of them. */
function script(): Script {
  const calls = NAMES.map((name) => spawn({ name, prompt: `Inspect part ${name} of the workspace.` }));
  const made = new Script()
    .on(START)
    .reply([text('I split this into three parts.'), ...calls])
    .on({ ...CHILD, prompt: /part gamma/ })
    .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'no such thing' } });
  for (const name of NAMES.slice(0, 2))
    made
      .on({ ...CHILD, prompt: new RegExp(`part ${name}`), step: 1 })
      .reply([toolUse('read_file', { path: 'README.md' })])
      .on({ ...CHILD, prompt: new RegExp(`part ${name}`) })
      .reply([text(reportOf(`part ${name}`), { deltas: 30 })], { deltaMs: 20 });
  return made
    .on({ ...LEAD, step: 2 })
    .reply([toolUse('write_file', { path: 'found.md', content: 'All is well.\n' })])
    .on(LEAD)
    .reply([text('Two parts are well. '.repeat(20), { deltas: 20 })], { deltaMs: 20 });
}

/** The methods that a page asks for from its next connection on. */
function methodsOf(page: Page): string[] {
  const methods: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) =>
      methods.push(...(/"method":"([^"]+)"/.exec(String(payload))?.slice(1) ?? [])),
    ),
  );
  return methods;
}

test(
  'a replay of three agents is controlled by keyboard, sends no model request and has no button that acts',
  fullSpec(
    [
      'tests/lib/history/replay/player.test.ts › handles keys only where the focused element does not use them',
      'tests/lib/history/replay/nothing-to-press.server.test.ts › a replay has no action button and no text field, though the live rows have them',
      'tests/core/host/runtime/replay.test.ts › a replay of a workflow with three sub-agents sends no requests and ends in the recorded state',
    ],
    { tag: '@browser', annotation: { type: 'why', description: 'It reads what the page asks for on its WebSocket' } },
  ),
  async ({ start }) => {
    const app = await start(script());
    const { page } = app;
    await app.send('Inspect the workspace.');
    for (const name of NAMES) await app.allow(name);
    await app.allow();
    await app.expectOutcome('completed');
    await expect(app.workflow().getByRole('button', { name: 'Undo', exact: true })).toBeVisible();
    await expect(app.workflow().getByRole('button', { name: 'Try again', exact: true }).first()).toBeVisible();
    const requests = app.model.requests.length;

    await openActions(page);
    await page.getByRole('menuitem', { name: /^Replay the last workflow/ }).press('Enter');
    await expect(page).toHaveURL(/\/replay$/);
    const methods = methodsOf(page);
    await page.reload();
    const slider = page.getByRole('slider', { name: 'Moment of the workflow' });
    await expect(slider).toBeFocused();
    await expect(slider).toHaveAttribute(
      'aria-valuetext',
      /^Moment 1 of \d+, 0 ms after the beginning: You sent the message$/,
    );
    const scene = page.getByRole('group', { name: 'The conversation at this moment' });
    await expect(scene).toContainText('Inspect the workspace.');
    await expect(scene.getByRole('article', { name: 'alpha' })).toHaveCount(0);

    const says = page.locator('[data-says]');
    const seen = new Set<string>();
    const steps = Number(await slider.getAttribute('aria-valuemax'));
    const tops = new Set<number | undefined>();
    for (let step = 1; step <= steps; step += 1) {
      await expect(slider).toHaveAttribute('aria-valuenow', String(step));
      tops.add((await slider.boundingBox())?.y);
      seen.add((await says.textContent()) ?? '');
      const names = await page.getByRole('main').getByRole('button').allInnerTexts();
      expect(names.map((name) => name.trim()).filter((name) => ACTS.test(name))).toEqual([]);
      await expect(page.getByRole('main').getByRole('textbox'), 'nothing can be said').toHaveCount(0);
      await page.keyboard.press('ArrowRight');
    }
    expect(tops.size, 'nothing moves while one steps').toBe(1);
    const told = [...seen].join('\n');
    for (const sentence of [
      /alpha starts/,
      /lead asks you: /,
      /You said yes/,
      /gamma has ended: error/,
      /The workflow has ended: completed/,
    ])
      expect(told).toMatch(sentence);
    await expect(scene).toContainText('Two parts are well.');
    await expectAccessibleInBoth(page, 'a replay at its end');

    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    const asked = page.getByRole('region', { name: 'What you were asked at this moment' });
    await expect(asked).toContainText('alpha: You said yes');
    await expect(asked.getByRole('button')).toHaveCount(0);
    await asked.locator('summary').first().click();
    await expect(asked).toContainText('by you');
    await expectAccessibleInBoth(page, 'a question of the past');
    await slider.focus();
    while (!/gamma starts/.test((await says.textContent()) ?? '')) await page.keyboard.press('ArrowRight');
    await expect(
      page
        .getByRole('tab', { name: /^beta/ })
        .or(scene.getByRole('article', { name: 'beta' }))
        .first(),
    ).toBeVisible();

    await page.getByRole('radio', { name: '20×' }).check({ force: true });
    await slider.focus();
    await page.keyboard.press('Space');
    await expect(page.getByRole('button', { name: 'Play again' })).toBeVisible({ timeout: 20_000 });
    await expect(slider).toHaveAttribute('aria-valuenow', String(steps));

    await page.keyboard.press('Shift+ArrowLeft');
    await expect(slider).toHaveAttribute('aria-valuenow', String(steps - 10));
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await expect(slider).toHaveAttribute('aria-valuenow', '11');
    expect(app.model.requests.length, 'a replay asks for nothing').toBe(requests);
    const reads =
      /^(app\.state|context\.state|conversation\.(list|events|get|work)|folder\..*|rail\..*|settings\.list|store\.unlisted|workflow\.get|.*\.list|.*\.state|.*\.look)$/;
    expect(methods.filter((method) => !reads.test(method))).toEqual([]);
    expect(methods).toContain('conversation.events');

    await page.getByRole('button', { name: 'Fork from here' }).press('Enter');
    await expect(page).toHaveURL(/\/chat\//);
    await expect(app.workflow()).toContainText('I split this into three parts.');
    await expect(app.workflow()).not.toContainText('Two parts are well.');
  },
);
