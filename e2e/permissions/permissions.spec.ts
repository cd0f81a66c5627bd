/** The permissions page: rules with their places, grants that can be taken back, and why a call is asked about. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible, expectAccessibleInBoth } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, type Start, test } from '../support/test.ts';

const RULE = '[[permissions.rules]]\neffect = "deny"\ntool = "write_file"\npattern = "dist/**"\n';

const SERVERS = '{"mcpServers":{"here":{"command":"node","args":["none.js"]}}}\n';

/** Each message has the lead write one file, and never the same. */
function writes(path: string): Script {
  let written = 0;
  return new Script()
    .on({ step: 1 })
    .reply(() => [toolUse('write_file', { path, content: `text ${(written += 1)}` })])
    .on({})
    .reply([text('Done.')]);
}

const grants = (page: Page) => page.getByRole('list', { name: 'Grants', exact: true });
const steps = (page: Page) => page.getByRole('list', { name: 'What was looked at, in this order' });
const decisive = (page: Page) => steps(page).locator('[aria-current=true]');

async function granted(start: Start): Promise<App> {
  const app = await start(writes('docs/a.md'));
  await app.send('Write it.');
  await app.question.getByRole('button', { name: 'More than once…' }).click();
  await app.question.getByRole('radio', { name: 'this project, always' }).click();
  await app.field('Pattern').fill('docs/*.md');
  await app.question.getByRole('button', { name: 'Always allow for this project' }).click();
  await app.expectOutcome('completed');
  return app;
}

test(
  'the page lists a grant, and after the grant is revoked the next call requires approval',
  fullSpec([
    'tests/core/approvals/grants-given.test.ts › comes with its revocation, which is recorded once in the conversation of the grant',
    'tests/lib/approvals/rules/grant-row.server.test.ts › shows the agent, tool, duration and use of a grant, and offers to revoke it',
  ]),
  async ({ start }) => {
    const app = await granted(start);
    const { page } = app;
    await app.send('Write it again.');
    await app.expectOutcome('completed');
    const chat = page.url();
    await expect(app.call('write_file').last()).toContainText('by a grant');

    await page.getByRole('link', { name: 'Permissions', exact: true }).click();
    const row = grants(page).getByRole('listitem');
    await expect(row).toContainText('lead may use write_file on docs/*.md');
    await expect(row).toContainText('always for this project');
    await expect(row).toContainText('used 1 time');
    await expectAccessible(page, 'permissions');
    await row.getByRole('button', { name: /^Revoke/ }).press('Enter');
    await expect(page.getByText('Revoked: it no longer allows lead to use write_file on docs/*.md')).toBeVisible();
    await expect(page.getByText('Nothing is granted in this folder.')).toBeVisible();

    await app.goto(new URL(chat).pathname);
    await app.send('And once more.');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('docs/a.md');
    await app.reject('Enough.');
    await app.expectOutcome('completed');
  },
);

test(
  'the history names the grant that allowed a call, and links to it',
  fullSpec([
    'tests/core/host/runtime/methods/answered.test.ts › lists recent answers newest first, each with its decider and the grant that answered',
    'tests/lib/approvals/rules/grant-row.server.test.ts › links to the permissions page only while the grant is valid',
  ]),
  async ({ start }) => {
    const app = await granted(start);
    const { page } = app;
    await app.send('Write it again.');
    await app.expectOutcome('completed');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('list', { name: 'Workflows' }).getByRole('link').first().click();
    await page.getByRole('tab', { name: /^Approvals/ }).click();
    const panel = page.getByRole('tabpanel');
    await expect(panel).toContainText('by a grant');
    await expect(panel).toContainText('lead may use write_file on docs/*.md');
    await panel.getByRole('link', { name: 'See the grant, or revoke it' }).click();
    await expect(grants(page).locator('[aria-current=true]')).toContainText('docs/*.md');

    await page.goBack();
    await page.getByRole('tab', { name: /^Approvals/ }).click();
    const why = page.getByRole('tabpanel').getByRole('button', { name: 'Why?' });
    const place = page.url();
    await why.click();
    await expect(decisive(page)).toContainText('You allowed lead to use write_file on docs/*.md');
    expect(page.url(), 'it is said in place').toBe(place);
    await page.getByRole('tabpanel').getByRole('link', { name: 'Open in Permissions' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Permissions' })).toBeVisible();
    await expect(decisive(page)).toContainText('You allowed lead to use write_file on docs/*.md');
  },
);

test(
  'the page explains a decision with the rule, its file and its line, and follows changes of the file',
  fullSpec([
    'tests/core/host/runtime/methods/permissions.test.ts › the verdict names the deciding rule with file and line, and the other rules considered',
    'tests/lib/approvals/rules/explain-draft.test.ts › explains the last explained call again, and sends no request before a first explanation',
    'tests/core/host/runtime/methods/permissions.test.ts › the list of permissions reports faults in the rules with file and line',
  ]),
  async ({ start }) => {
    const app = await start(writes('docs/a.md'));
    const { page } = app;
    const file = join(app.workspace, '.triad', 'config.toml');
    await mkdir(join(app.workspace, '.triad'));
    await writeFile(file, RULE);
    await page.getByRole('link', { name: 'Permissions', exact: true }).click();
    await expect(page.getByRole('cell', { name: '.triad/config.toml:1', exact: true })).toBeVisible();
    await expect(page.getByText('nobody has trusted its file as it is')).toBeVisible();

    await page.getByLabel('Path', { exact: true }).fill('dist/a.js');
    await page.getByLabel('Path', { exact: true }).press('Enter');
    await expect(page.getByText('It is denied.')).toBeVisible();
    await expect(decisive(page)).toContainText(`${file}:1`);
    await expectAccessibleInBoth(page, 'permissions with a verdict');

    await writeFile(file, `\n\n${RULE.replace('deny', 'ask')}`);
    await page.getByRole('button', { name: 'Explain' }).press('Enter');
    await expect(page.getByText('You are asked.')).toBeVisible();
    await expect(decisive(page)).toContainText(`${file}:3`);

    await page.getByLabel('Tool', { exact: true }).selectOption('parallel_tasks');
    await page.getByLabel('Arguments (JSON)').fill('{');
    await page.getByRole('button', { name: 'Explain' }).press('Enter');
    await expect(page.getByText(/This is not JSON/)).toBeVisible();

    await writeFile(file, '[[permissions.rules]]\neffect = "perhaps"\ntool = "*"\n');
    await page.reload();
    await expect(page.getByRole('alert')).toContainText(`${file}:2`);
  },
);

test(
  'an approval links to the explanation of the decision and back, all by keyboard',
  fullSpec([
    'tests/lib/app/explained.test.ts › repeats the request when rules may differ, keeps the old verdict until then, and drops it on failure',
    'tests/lib/view/permissions/explain-call.test.ts › contains the tool and its input',
  ]),
  async ({ start }) => {
    const app = await start(writes('docs/a.md'));
    const { page } = app;
    await app.send('Write it.');
    await app.question.getByRole('button', { name: 'Why am I asked?' }).press('Enter');
    await expect(decisive(page)).toContainText('write_file is asked about');
    // As rules are now, whoever has changed them: a window looks again when it gets the focus.
    const file = join(app.workspace, '.triad', 'config.toml');
    await mkdir(join(app.workspace, '.triad'));
    await writeFile(file, RULE.replace('deny', 'ask').replace('dist', 'docs'));
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(decisive(page)).toContainText(`${file}:1`);
    await app.question.getByRole('link', { name: 'Open in Permissions' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'Try a call' })).toBeFocused();
    await expect(page.getByLabel('Path', { exact: true })).toHaveValue('docs/a.md');
    await expect(decisive(page)).toContainText(`${file}:1`);
    await expect(app.question, 'the question is put aside, not answered').toBeHidden();
    await expect(app.reopen).toHaveText('1 waiting');
    await page.getByRole('link', { name: /^Approvals/ }).press('Enter');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(1);
  },
);

test(
  'permissions, agents and MCP servers are shown for the folder of the open conversation',
  fullSpec(
    'tests/lib/app/rail.alone.test.ts › remembers the open folder after its conversation was left, and in a new window',
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), { files: { 'part/.triad/config.toml': RULE, 'part/.mcp.json': SERVERS } });
    const { page, workspace } = app;
    const part = join(workspace, 'part');
    await page.getByLabel('Folder', { exact: true }).fill(part);
    await app.send('Hello.');
    await app.expectOutcome('completed');
    const folder = page.getByRole('combobox', { name: 'Folder' });
    for (const name of ['Agents', 'MCP servers', 'Permissions']) {
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await expect(folder, name).toHaveValue(part);
    }
    await expect(page.getByRole('cell', { name: 'dist/**', exact: true })).toBeVisible();

    // Trusted where it is said.
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust 2 files' }).click();
    await expect(page.getByText('nobody has trusted its file')).toBeHidden();
    await page.getByRole('link', { name: 'MCP servers', exact: true }).click();
    await expect(page.getByRole('article', { name: 'here' })).toBeVisible();
    await expect(page.getByText('nobody has trusted the file')).toBeHidden();

    // Another one is written or picked by keys, and stands in the address.
    await folder.fill(workspace);
    await folder.press('Enter');
    await expect(page.getByText('MCP servers are programs or addresses')).toBeVisible();
    expect(new URL(page.url()).searchParams.get('folder')).toBe(workspace);
    await page.reload();
    await expect(folder).toHaveValue(workspace);
    await folder.click();
    await folder.press('ArrowDown');
    await folder.press('Enter');
    await expect(page.getByRole('article', { name: 'here' })).toBeVisible();
    await folder.fill('/nowhere');
    await page.getByRole('heading', { level: 1 }).click();
    await expect(folder, 'left half written').toHaveValue(part);
  },
);
