/** Visits to what a person sees of MCP servers: their page, the question about a call, its result, its time. */
import { expect } from '@playwright/test';
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { withServers, writeTools } from './mcp-servers.ts';
import type { App } from './app.ts';
import { leadCalls } from './scripts.ts';
import type { Person } from './person.ts';
import type { WorkScreen } from './work-screens.ts';

/** Looks at the servers; since the person has agreed to what one of them offers, it says something else. */
export async function changeTracker({ page, workspace }: App): Promise<void> {
  await page.getByRole('link', { name: 'MCP servers', exact: true }).click();
  const tracker = page.getByRole('article', { name: 'tracker', exact: true });
  const press = (button: string) => tracker.getByRole('button', { name: `${button}: tracker` }).click();
  await press('Test');
  await expect(tracker).toContainText('It answered in');
  await writeTools(workspace, 'changed');
  await press('Restart');
  await expect(tracker.getByRole('status')).toHaveCount(0);
  await press('Test');
  await expect(tracker.getByRole('button', { name: 'Agree to the changes' })).toBeVisible();
}

const servers: WorkScreen = {
  script: () => new Script().on({}).reply([text('Done.')]),
  options: withServers(true),
  go: async (app, shoot) => {
    const { page } = app;
    await changeTracker(app);
    const card = (name: string) => page.getByRole('article', { name, exact: true });
    const test = (name: string) =>
      card(name)
        .getByRole('button', { name: `Test: ${name}` })
        .click();
    await test('everything');
    await expect(card('everything')).toContainText('It answered in');
    await test('broken');
    await expect(card('broken')).toContainText('No database at');
    await page.getByRole('heading', { name: 'everything' }).scrollIntoViewIfNeeded();
    await shoot('mcp-servers');
    for (const name of ['tracker', 'broken', 'browser']) {
      await card(name).evaluate((element) => element.scrollIntoView());
      await shoot(`mcp-${name}`);
    }
    await card('everything').getByText('Prompts (4)').click();
    await card('everything').getByText('args-prompt').click();
    await card('everything').evaluate((element) => element.scrollIntoView());
    await shoot('mcp-prompts');
    await card('everything')
      .getByText(/^Tools \(/)
      .click();
    await card('everything').getByText('echo', { exact: true }).click();
    await card('everything')
      .getByText(/^Tools \(/)
      .evaluate((element) => element.scrollIntoView());
    await shoot('mcp-tools');
    await app.button('Add a server').click();
    await app.page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('weather');
    await shoot('mcp-add');
  },
};

/** Says yes twice: what a server changes cannot be undone here. */
export async function allowForGood(person: Person): Promise<void> {
  await person.allow();
  await person.question.getByRole('button', { name: 'Allow what cannot be undone' }).click();
}

/** A call that is asked about, of a tool that has changed since, and the results of three. */
export const calls = (): Script =>
  new Script()
    .on({ step: 1 })
    .reply([
      toolUse('mcp__everything__echo', {
        message: `Hello${' and hello'.repeat(60)}`,
        to: { names: ['ada', 'grace'], deep: { deeper: { deepest: true } }, none: null },
      }),
    ])
    .on({ step: 2 })
    .reply([
      toolUse('mcp__tracker__list_issues', { project: 'sum' }),
      toolUse('mcp__everything__get-structured-content', { location: 'Chicago' }),
      toolUse('mcp__everything__get-tiny-image', {}),
    ])
    .on({})
    .reply([text('It is done.')]);

const TOOLS = ['list_issues', 'get-structured-content', 'get-tiny-image'];

const results: WorkScreen = {
  script: calls,
  options: withServers(true),
  go: async (app, shoot) => {
    await changeTracker(app);
    await app.newConversation();
    await app.send('Look at the issues.');
    await shoot('mcp-question');
    await allowForGood(app);
    // The calls go to two servers, so the order of their questions differs from run to run.
    const unasked = new Set(TOOLS);
    while (unasked.size > 0) {
      const heading = app.question.getByRole('heading', { level: 2 });
      await expect(heading).toContainText(new RegExp([...unasked].join('|')));
      const asked = await heading.innerText();
      const tool = [...unasked].find((name) => asked.includes(name)) ?? '';
      unasked.delete(tool);
      await shoot(`mcp-question-${tool}`);
      await (tool === 'list_issues' ? app.allow() : allowForGood(app));
    }
    await app.expectOutcome('completed');
    await app.unfold(/^Asked MCP servers/);
    for (const tool of TOOLS) await app.call(new RegExp(` · ${tool}`)).click();
    await app.call(/ · list_issues/).scrollIntoViewIfNeeded();
    await shoot('mcp-results');
    await app.page.getByRole('link', { name: 'Open in history' }).click();
    await expect(app.page.getByRole('list', { name: 'Runs' }).getByRole('button')).toHaveCount(1);
    await shoot('mcp-waterfall');
    await app.page.getByRole('tab', { name: 'Envelope' }).click();
    await app.page.getByRole('region', { name: /tracker/ }).scrollIntoViewIfNeeded();
    await shoot('mcp-envelope');
  },
};

/** A sub-agent that gets some of the tools. */
const given: WorkScreen = {
  script: () =>
    leadCalls(
      [
        spawn({
          name: 'issue-reader',
          prompt: 'Read the open issues and sum them up.',
          tools: ['mcp__tracker__list_issues', 'mcp__everything__echo', 'read_file'],
        }),
      ],
      [{ prompt: /./, task: 'the issues' }],
    ),
  options: withServers(true),
  go: async (app, shoot) => {
    await app.send('Sum the issues up.');
    await expect(app.question).toBeVisible();
    await app.unfoldForm();
    await app.question.getByRole('region', { name: /tracker/ }).scrollIntoViewIfNeeded();
    await app.question
      .getByRole('region', { name: /tracker/ })
      .locator('summary')
      .first()
      .click();
    await shoot('mcp-spawn');
  },
};

export const MCP_SCREENS: readonly WorkScreen[] = [servers, results, given];
