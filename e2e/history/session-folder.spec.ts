/** The history names the trace of each run and the folder of the session; the desktop opens that folder, and no other. */
import type { Bridge } from '../../src/contract/frames.ts';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { openActions } from '../support/conversation-menu.ts';

test(
  'the trace id of a run can be copied, and the session folder is shown and can be opened on the desktop',
  fullSpec([
    'tests/lib/history/mounted.svelte.test.ts › the folder of a session has a button that opens it: %s',
    'tests/core/host/records/sessions.test.ts › writes a session folder with one file for each sub-agent, links in both directions and all totals',
    'tests/core/host/telemetry/workflow.test.ts › exports spans and metrics of three sub-agents, a handoff and failed requests that match the history',
  ]),
  async ({ start, surface }) => {
    const app = await start(spawnOne(), { ownContext: true });
    const { page } = app;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await app.send('Inspect this project.');
    await app.allow();
    await app.expectOutcome('completed');
    const chat = app.path;

    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('list', { name: 'Workflows' }).getByRole('link').click();
    const trace = page.getByRole('group', { name: 'Trace' });
    await expect(trace).toContainText(/[0-9a-f]{32}.*You › lead$/s);
    const lead = await trace.textContent();
    await page.getByRole('list', { name: 'Runs' }).getByRole('button').nth(1).click();
    await expect(trace).toContainText(/You › lead › inspector/);
    expect(await trace.textContent()).not.toBe(lead);
    await trace.getByRole('button', { name: 'Copy: Trace' }).click();
    await expect.poll(clipboard).toMatch(/^[0-9a-f]{32}$/);
    await expect(trace).toContainText(await clipboard());
    const detail = app.path;
    await trace.getByRole('button', { name: 'Copy: Span' }).click();
    await expect.poll(clipboard).toMatch(/^[0-9a-f]{16}$/);
    await app.goto(`/trace/${await clipboard()}`);
    await expect(page, 'the span of an export leads to its run').toHaveURL(new RegExp(`${detail}\\?run=`));
    await expect(trace).toContainText(/You › lead › inspector/);
    await page.getByRole('list', { name: 'Runs' }).getByRole('button').first().click();
    await expect(page.locator('[data-context]'), 'no chat has asked for the window').toContainText('of 1M');
    await app.goto('/trace/aaaaaaaaaaaaaaaa');
    await expect(page.getByText('This trace or span could not be opened: Nothing in the history has')).toBeVisible();
    await expect(page.getByRole('link', { name: 'All workflows' })).toBeVisible();
    await expectAlsoAccessible(page, 'a trace that nothing has');
    await app.goto(detail);

    const place = page.getByRole('group', { name: 'Folder of the session' });
    const sessions = `${app.home}/sessions/`;
    await expect(place).toContainText(sessions);
    const folder = (await place.textContent())?.match(/\/\S+inspect-this-project-[0-9a-f]{12}/)?.[0] ?? '';
    expect(folder.startsWith(sessions), folder).toBe(true);
    const opens = surface === 'stand-in';
    await expect(place.getByRole('button', { name: 'Open', exact: true })).toHaveCount(opens ? 1 : 0);
    if (opens) {
      await place.getByRole('button', { name: 'Open', exact: true }).click();
      await expect.poll(() => app.desktop.asked('folder')).toEqual([folder]);
    } else {
      await place.getByRole('button', { name: 'Copy: Folder of the session' }).click();
      await expect.poll(clipboard).toBe(folder);
    }

    await app.goto(chat);
    await openActions(page);
    const item = page.getByRole('menuitem', { name: opens ? 'Open the folder' : 'Copy the path' });
    await expect(item).toContainText(folder);
    await item.click();
    if (opens) await expect.poll(() => app.desktop.asked('folder')).toEqual([folder, folder]);
    else await expect(page.getByText(`Copied: ${folder}`)).toBeVisible();
    if (!opens) return;

    // A page that asks for another folder gets none, whatever it sends.
    const refused = await page.evaluate(async (id) => {
      const bridge = Reflect.get(window, 'triad') as Bridge;
      const ask = (input: object) => bridge.request('conversation.folder', input);
      const wrong = [
        { conversationId: id, open: true, folder: '/etc' },
        { conversationId: '/etc', open: true },
      ];
      return (await Promise.all(wrong.map(ask))).map(({ ok }) => ok);
    }, chat.split('/').at(-1));
    expect(refused).toEqual([false, false]);
    expect(app.desktop.asked('folder')).toHaveLength(2);
  },
);
