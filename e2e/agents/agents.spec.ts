/** The agents' screen: files of real folders, written, checked, trusted, composed and tried out. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { answerFrom, CHILD, delegateTo, LEAD, plainAnswer, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible, expectAccessibleInBoth, expectAlsoAccessible, SAME_PAGE } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const REVIEWER = { system: /You check work that another agent has done/ };
const PATH = '.triad/agents/log-reader.md';
const READER = `---
name: log-reader
# the lead goes by this
description: Reads logs
model: haiku
x-owner: ops # ours
---

You read logs.
`;

const open = (app: App) => app.page.getByRole('link', { name: 'Agents', exact: true }).click();
const row = (app: App, name: RegExp | string) =>
  app.page.getByRole('list', { name: /^Agents: / }).getByRole('link', { name });
const box = (app: App): Locator => app.page.getByRole('textbox', { name: /^Text of / });
const field = (app: App, name: string): Locator =>
  app.page.getByRole('region', { name: 'Form' }).getByLabel(name, { exact: true });
const onDisk = (app: App, path = PATH) => readFile(join(app.workspace, path), 'utf8');
const write = (app: App, content: string, path = PATH) => writeFile(join(app.workspace, path), content);

async function trust(app: App): Promise<void> {
  await app.button('Look').click();
  await app.page
    .getByRole('dialog')
    .getByRole('button', { name: /^Trust \d+ file/ })
    .click();
  await expect(app.page.getByRole('dialog')).toBeHidden();
}

test(
  'creating an agent starts from a template, fixes a typo with one click, and makes it available to the lead',
  fullSpec([
    'tests/lib/agents/fix-fault.test.ts › fixes %s',
    'tests/core/host/runtime/methods/agent-files.test.ts › a draft is not written to disk, and a saved agent is usable at once and the only trusted file',
    'tests/core/host/runtime/methods/agent-files.test.ts › rejects an agent file with a fault, naming line and key, and a second agent with a taken name',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on(START)
      .reply([delegateTo('log-reader', 'Read the logs of today.')])
      .on({ ...CHILD, prompt: /Read the logs of today/ })
      .reply([text('# Report: the logs\n\n## Summary\n\nNothing went wrong.')])
      .on(LEAD)
      .reply((seen) => [text(answerFrom(seen))]);
    const app = await start(script);
    const { page } = app;
    await open(app);
    await app.button('New agent').click();
    await page.getByLabel('Name', { exact: true }).fill('log-reader');
    await page.keyboard.press('Enter');
    await expect(box(app)).toHaveValue(/name: log-reader/);

    await box(app).fill(READER.replace('model:', 'modle:'));
    const findings = page.getByRole('list', { name: 'Faults and warnings' });
    await expect(findings).toContainText('line 5, column 1 unknown key modle. Did you mean model?');
    await app.button('Save').click();
    await expect(page.getByRole('alert')).toContainText('log-reader.md:5:1: unknown key modle');
    await findings.getByRole('button', { name: 'line 5, column 1' }).click();
    await expect(box(app)).toBeFocused();
    expect(
      await box(app).evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)),
    ).toBe('modle');
    await app.button('Use model').click();
    await expect(page.getByText('No faults.')).toBeVisible();
    await expect(field(app, 'Model')).toHaveValue('haiku');
    await app.button('Save').click();
    await expect(page.locator('main > header')).toContainText('usable');
    expect(await onDisk(app)).toBe(READER);

    await app.newConversation();
    await app.send('Have the logs read.');
    await app.allow('log-reader');
    await app.expectCard('log-reader', 'completed');
    await app.expectQuoted('the logs');
    const child = await app.model.waitFor(({ seen }) => seen.prompt.includes('Read the logs of today'));
    expect(child.seen.system).toContain('You read logs.');
  },
);

test(
  'the form and the text stay in sync, preserve comments and unknown keys, and keep unsaved changes',
  fullSpec([
    'tests/lib/agents/agent-editor.alone.test.ts › applies a change of the form to the text, and keeps text written meanwhile',
    'tests/lib/agents/agent-editor.alone.test.ts › restores a draft, and reports a conflict if the file changed since',
    'tests/core/host/runtime/methods/agent-files.test.ts › an edit keeps comments and unknown keys, and returns the new values and faults',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), { files: { [PATH]: READER } });
    const { page } = app;
    await open(app);
    await trust(app);
    await row(app, /^log-reader/).click();
    await field(app, 'Description').fill('Reads all logs');
    await field(app, 'Effort').selectOption('high');
    await page.getByRole('group', { name: 'Tools' }).getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('group', { name: 'Tools' }).getByRole('checkbox', { name: 'write_file' }).check();
    const edited = READER.replace('Reads logs', 'Reads all logs').replace(
      '# ours\n',
      '# ours\neffort: high\ntools: [write_file]\n',
    );
    await expect(box(app)).toHaveValue(edited);
    await box(app).fill(edited.replace('haiku', 'opus'));
    await expect(field(app, 'Model')).toHaveValue('opus');

    await page.getByRole('link', { name: 'All agents' }).click();
    await expect(row(app, /^log-reader not saved/)).toBeVisible();
    await page.reload();
    await row(app, /^log-reader/).click();
    await expect(box(app)).toHaveValue(edited.replace('haiku', 'opus'));
    expect(await onDisk(app)).toBe(READER);
    await box(app).press('ControlOrMeta+s');
    await expect(page.locator('main > header')).toContainText('usable');
    expect(await onDisk(app)).toBe(edited.replace('haiku', 'opus'));
  },
);

test(
  'changes on disk appear without a reload, and a conflict with unsaved changes lets the person choose a version',
  fullSpec([
    'tests/lib/agents/agent-editor.alone.test.ts › follows the file on disk while the text is unchanged',
    'tests/lib/agents/agent-editor.alone.test.ts › reports a conflict if text and file changed, and overwrites only the version that was shown',
    'tests/lib/agents/agent-editor.alone.test.ts › replaces the text by the version on disk on request',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), { files: { [PATH]: READER } });
    const { page } = app;
    await open(app);
    await write(app, READER.replace('log-reader', 'other'), '.triad/agents/other.md');
    await expect(row(app, /^other .*untrusted/)).toBeVisible();
    await row(app, /^log-reader/).click();
    await expect(box(app)).toHaveValue(READER);
    await write(app, READER.replace('haiku', 'opus'));
    await expect(box(app)).toHaveValue(READER.replace('haiku', 'opus'));

    await field(app, 'Description').fill('Mine');
    await expect(box(app)).toHaveValue(/description: Mine/);
    await write(app, READER.replace('haiku', 'sonnet'));
    await expect(page.getByRole('alert')).toContainText('changed on disk');
    await expect(app.button('Save')).toBeDisabled();
    await expectAccessible(page, 'a conflict');
    await app.button('Keep mine').click();
    await app.button('Save').click();
    await expect(page.locator('main > header')).toContainText('usable');
    expect(await onDisk(app)).toContain('description: Mine\nmodel: opus');

    await box(app).fill(READER);
    await write(app, READER.replace('haiku', 'sonnet'));
    await app.button('Take what is on disk').click();
    await expect(box(app)).toHaveValue(READER.replace('haiku', 'sonnet'));
  },
);

/** What a file says, then usable, then changed with what changed, then taken back. */
async function trustAndChange(app: App): Promise<void> {
  const { page } = app;
  const dialog = page.getByRole('dialog');
  await open(app);
  await expect(row(app, /^log-reader .*untrusted/)).toBeVisible();
  await app.button('Look').click();
  await expect(dialog.getByRole('article', { name: PATH })).toContainText('agent log-reader · model haiku');
  await expect(dialog.getByLabel(`Text of ${PATH}`)).toContainText('You read logs.');
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await expect(row(app, /^log-reader .*untrusted/)).toBeVisible();
  await trust(app);
  await expect(row(app, /^log-reader .*usable/)).toBeVisible();

  const changed = READER.replace('read logs', 'delete logs');
  await write(app, changed);
  await expect(row(app, /^log-reader .*untrusted/)).toBeVisible();
  await app.button('Look').click();
  const changes = dialog.getByLabel(`Changes of ${PATH}`);
  await expect(changes).toContainText('You delete logs.');
  await expect(changes).toContainText('You read logs.');
  await expectAlsoAccessible(page, 'the dialog of trust');
  // Changed under the eyes of the person: what was not seen is not trusted.
  await write(app, changed.replace('delete', 'burn'));
  await dialog.getByRole('button', { name: 'Trust 1 file' }).click();
  await expect(dialog.getByRole('status')).toContainText('changed while you looked');
  await expect(changes).toContainText('You burn logs.');
  await dialog.getByRole('button', { name: 'Trust 1 file' }).click();
  await expect(row(app, /^log-reader .*usable/)).toBeVisible();
  await app.button('1 file of this folder is trusted').click();
  await dialog.getByRole('button', { name: 'Trust nothing here any more' }).click();
  await expect(row(app, /^log-reader .*untrusted/)).toBeVisible();
}

/** From the form to its first handoff. */
async function copyBuildSmart(app: App): Promise<void> {
  const { page } = app;
  const form = page.getByRole('region', { name: 'Form' });
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await expect(page.getByRole('link', { name: /^BUILD-SMART .*composition.* lead ⇄ reviewer/ })).toBeVisible();
  await app.button('New agent').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^a composition/ }).check();
  await expect(dialog.getByRole('combobox', { name: 'Begin with' })).toContainText('a copy of BUILD-SMART');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('ship-it');
  await page.keyboard.press('Enter');

  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('ship-it');
  await form.getByRole('radio', { name: /^judge/ }).check();
  await form.getByRole('textbox', { name: 'Rounds at most' }).fill('2');
  await expect(form).toContainText('lead ⇄ reviewer · judge, at most 2 rounds');
  await expect(form).toContainText('reviewer reads each answer and approves it, or says what is missing.');
  await expectAccessibleInBoth(page, 'the form of a composition');
  await app.button('Save').click();
  await expect(page.locator('main > header')).toContainText('usable');
  const saved = await readFile(join(app.workspace, '.triad/compositions/ship-it.toml'), 'utf8');
  expect(saved).toMatch(/name = "ship-it"[^]*type = "judge"[^]*max_rounds = 2/);

  await app.newConversation();
  await page.getByRole('combobox', { name: 'Lead', exact: true }).selectOption('ship-it');
  const preview = page.getByRole('region', { name: 'Who works' });
  await expect(preview).toContainText(/ship-it with the coagent reviewer, judge, at most 2 rounds/);
  await preview.getByText('ship-it with the coagent').click();
  await preview.getByText('works with ship-it').click();
  await expect(preview.getByLabel('reviewer: System prompt')).toContainText(
    'You check work that another agent has done',
  );
  await expectAlsoAccessible(page, 'who works before the first message');
  await app.send('Write it.');
  await expect(app.workflow()).toContainText('A second draft of notes.md.');
  await expect(app.workflow()).toContainText('wants changes, 40 of 100');
  await expect(app.workflow()).toContainText('approved');
}

test(
  'the person trusts the displayed version of an agent file and revokes it; a copy of BUILD-SMART becomes a lead',
  fullSpec([
    'tests/core/agents/agents.test.ts › rejects trust for a file that changed after it was displayed',
    'tests/core/agents/trust.test.ts › trust covers the exact text of a file at its own path',
    'tests/core/agents/shipped.test.ts › a copy of a composition with three changed lines is a separate lead',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ ...REVIEWER, prompt: /A first draft/ })
      .reply([text('Name the file.\n\nScore: 40')])
      .on(REVIEWER)
      .reply([toolUse('task_complete', { summary: 'It names the file.' })])
      .on({ turn: 2 })
      .reply([text('A second draft of notes.md.')])
      .on({})
      .reply([text('A first draft.')]);
    const app = await start(script, { files: { [PATH]: READER } });
    await trustAndChange(app);
    await copyBuildSmart(app);
  },
);

test('an agent file can be trusted only after the end of its text was displayed', async ({ start }) => {
  const app = await start(plainAnswer(), {
    files: { [PATH]: `${READER}${'Look at each line.\n'.repeat(80)}Then send them.\n` },
    ownContext: true,
  });
  /** Advances the clock past the time after a click or a key in which no answer counts. */
  const waitUntilReady = () => app.page.clock.runFor(600);
  const dialog = app.page.getByRole('dialog');
  await open(app);
  await expect(row(app, /^log-reader .*untrusted/)).toBeVisible();
  await expectAccessible(app.page, 'the list of agents');
  await app.page.clock.install();
  await app.button('Look').click();
  const yes = dialog.getByRole('button', { name: 'Trust 1 file' });
  await expect(yes).toHaveAccessibleDescription(`Trust waits until you have seen the end of: ${PATH}`);
  // Neither a key nor folding it away is a way around it.
  await waitUntilReady();
  await expect(yes).toBeDisabled();
  await yes.press('Enter');
  await dialog.getByText('Whole text').click();
  await expect(dialog.getByLabel(`Text of ${PATH}`)).toBeHidden();
  await waitUntilReady();
  await expect(yes).toBeDisabled();
  await yes.press('Enter');
  await dialog.getByText('Whole text').click();
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: PATH, exact: true }).click();
  await expect(dialog.getByLabel(`Text of ${PATH}`)).toBeFocused();
  await app.page.keyboard.press('End');
  await expect(yes).toBeEnabled();
  await yes.click();
  await expect(row(app, /^log-reader .*usable/)).toBeVisible();
});

test(
  'another lead answers only in the conversation for which the person selected it',
  fullSpec([
    'tests/core/agents/agents.test.ts › a lead of a project can lead once it is trusted, with the tools that its permissions allow',
    'tests/core/agents/agents.test.ts › another primary agent never replaces the default lead; a nested agent file of another program can be read',
  ]),
  async ({ start }) => {
    const boss = '---\nname: boss\ndescription: Leads too\nrole: primary\n---\nYou are boss.\n';
    const script = new Script().on({ system: /You are boss/ }).reply([text('The boss is here.')]);
    const app = await start(script.on({}).reply([text('The lead is here.')]), {
      before: async ({ home }) => {
        await mkdir(join(home, 'agents'), { recursive: true });
        await writeFile(join(home, 'agents/boss.md'), boss);
        return () => Promise.resolve();
      },
    });
    const choice = app.page.getByRole('combobox', { name: 'Lead', exact: true });
    await expect(choice).toHaveValue('lead');
    await app.send('Who is there?');
    await expect(app.workflow()).toContainText('The lead is here.');

    await app.newConversation();
    await choice.selectOption('boss');
    await app.send('And now?');
    await expect(app.workflow()).toContainText('The boss is here.');
  },
);

test(
  'an agent can be tried without a lead, and a built-in agent can be edited only as a copy',
  fullSpec([
    'tests/core/runs/test-run.test.ts › an agent answers the person with its own prompt and tools, without tools that start sub-agents',
    'tests/core/host/runtime/methods/agent-files.test.ts › built-in and foreign agents can be read but not saved, and a copy of a foreign agent can be saved',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ prompt: /Look at it/, ...CHILD })
      .reply([text('# Report\n\nI looked at it.', { deltas: 4 })]);
    const app = await start(script);
    const { page } = app;
    await open(app);
    await row(app, /^code-reviewer/).click();
    await expect(page.getByText('Read only: it comes with Triad.')).toBeVisible();
    await expect(box(app)).not.toBeEditable();
    await app.message.fill('Look at it.');
    await app.button('Send').click();
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('I looked at it.');
    expect(app.model.requests[0]?.seen.tools).not.toContain('spawn_agent');

    await open(app);
    await row(app, /^code-reviewer/).click();
    await app.button('Copy to my agents').click();
    await field(app, 'Enabled').uncheck();
    await expect(box(app)).toHaveValue(/enabled: false/);
    await app.button('Save').click();
    await page.getByRole('link', { name: 'All agents' }).click();
    await expect(row(app, /^code-reviewer .*disabled/)).toBeVisible();
    await expect(row(app, /^code-reviewer .*overridden/)).toBeVisible();
  },
);

test(
  'the agent pages pass the accessibility checks in light and dark, and can be used by keyboard',
  fullSpec('e2e/agents/agents.spec.ts › an agent file can be trusted only after the end of its text was displayed', {
    tag: '@browser',
    annotation: SAME_PAGE,
  }),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      files: {
        [PATH]: READER,
        '.triad/agents/bad.md': READER.replace('model', 'modle').replace('log-reader', 'bad'),
      },
    });
    const { page } = app;
    await open(app);
    await expect(row(app, /^log-reader/)).toBeVisible();
    await expectAccessibleInBoth(page, 'the list');
    await app.button('New agent').focus();
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
    await expectAccessibleInBoth(page, 'a new agent');
    await page.keyboard.press('Escape');
    await expect(app.button('New agent')).toBeFocused();
    await row(app, /^bad .*faulty/).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText('unknown key modle')).toBeVisible();
    await page.setViewportSize({ width: 800, height: 600 });
    await app.button('1 fault').focus();
    await page.keyboard.press('Enter');
    await expect(app.button('Use model')).toBeInViewport();
    await expectAccessibleInBoth(page, 'an agent with a fault');
  },
);
