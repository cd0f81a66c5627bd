/** Visits to the pages, and to what lies over them: inbox, agents, permissions, replay, palette, forks; each leaves pictures. */
import { expect } from '@playwright/test';
import { plainAnswer, reportOf, spawn, spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { openActions } from './conversation-menu.ts';
import { leadCalls, leadSpawns } from './scripts.ts';
import type { WorkScreen } from './work-screens.ts';

const READER = `---
name: log-reader
description: Reads logs and says what went wrong
model: haiku
tools: [read_file, grep]
---

You read logs. Say what went wrong first, then when, then where.
`;
const BAD = READER.replace('model', 'modle').replace('log-reader', 'table-maker');

const agents: WorkScreen = {
  script: plainAnswer,
  options: { files: { '.triad/agents/log-reader.md': READER, '.triad/agents/table-maker.md': BAD } },
  go: async (app, shoot) => {
    const { page } = app;
    const row = (name: RegExp) => page.getByRole('list', { name: /^Agents: / }).getByRole('link', { name });
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await expect(row(/^log-reader/)).toBeVisible();
    await shoot('agents');
    await app.button('New agent').click();
    await shoot('agents-new');
    await page.keyboard.press('Escape');
    await row(/^table-maker/).click();
    await expect(page.getByText('unknown key modle')).toBeVisible();
    await shoot('agent-fault');
    await page.goBack();
    await row(/^code-reviewer/).click();
    await expect(page.getByRole('textbox', { name: /^Text of / })).toBeVisible();
    await shoot('agent-editor');
  },
};

const PATHS = ['docs/guide.md', 'docs/reference.md', 'Makefile'];

/** Rules, the inbox without and with answers, the palette, the shortcuts. */
const rules: WorkScreen = {
  script: () => {
    const script = new Script();
    PATHS.forEach((path, at) => script.on({ step: at + 1 }).reply([toolUse('write_file', { path, content: 'text' })]));
    return script.on({}).reply([text('Done.')]);
  },
  go: async (app, shoot) => {
    const { page } = app;
    const inbox = page.getByRole('link', { name: /^Approvals/ });
    await inbox.click();
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    await shoot('inbox-empty');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await shoot('history-empty');
    await page.getByRole('link', { name: 'Trash', exact: true }).click();
    await shoot('trash-empty');
    await page.getByRole('link', { name: 'MCP servers', exact: true }).click();
    await shoot('mcp-empty');
    await page.getByRole('link', { name: 'Permissions', exact: true }).click();
    await shoot('permissions-empty');
    await app.newConversation();
    await app.send('Write the documentation.');
    for (const path of PATHS) {
      await expect(app.question.getByRole('heading', { level: 2 })).toContainText(path);
      await app.allow();
    }
    await app.expectOutcome('completed');
    await inbox.click();
    await shoot('inbox-answered');
    await page.getByRole('link', { name: 'Permissions', exact: true }).click();
    await app.button('Add rule').click();
    await page.getByLabel('Effect').selectOption('allow');
    await page.getByLabel('On', { exact: true }).fill('docs/**');
    await expect(page.getByRole('group', { name: 'What it would decide' })).toContainText('it decides 2');
    await shoot('rule-editor');
    await page.getByLabel('On', { exact: true }).press('Enter');
    await expect(page.getByRole('row').filter({ hasText: 'docs/**' })).toBeVisible();
    await page.getByLabel('Path', { exact: true }).fill('docs/guide.md');
    await app.button('Explain').click();
    await shoot('permissions');
    await page
      .getByRole('link', { name: /^Write the documentation/ })
      .first()
      .click();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toBeVisible();
    await shoot('palette');
    await page.keyboard.type('replay');
    await shoot('palette-search');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await shoot('shortcuts');
  },
};

const NAMES = ['accuracy-check', 'tone-check', 'links-check'];

/** Questions in the inbox, then the work folded, compared, looked up, and played again. */
const after: WorkScreen = {
  script: () => leadSpawns(NAMES),
  go: async (app, shoot) => {
    const { page } = app;
    await app.send('Have three sub-agents review the README: accuracy, tone, links.');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^Approvals/ }).click();
    await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
    await shoot('inbox');
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await app.reopen.click();
    for (const name of NAMES) await app.allow(name);
    await app.expectOutcome('completed');
    await page.reload();
    await app.expectOutcome('completed');
    await shoot('stage-folded');
    await app.button('Compare reports').click();
    await shoot('stage-compare');
    await page.keyboard.press('Escape');
    await app.workflow().getByRole('link', { name: 'Open in history' }).click();
    const lane = page.getByRole('listbox', { name: 'What tone-check did when' });
    await lane.locator('[data-request]').first().click();
    await expect(page.getByRole('region', { name: 'Model request' })).toBeVisible();
    await shoot('request-panel');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await openActions(page);
    await page.getByRole('menuitem', { name: /^Replay the last workflow/ }).press('Enter');
    await expect(page.getByRole('slider', { name: 'Moment of the workflow' })).toBeFocused();
    await shoot('replay-start');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('PageDown');
    await shoot('replay');
  },
};

const again: WorkScreen = {
  script: spawnOne,
  go: async (app, shoot) => {
    const { page } = app;
    await app.send('Inspect this project.');
    await app.allow();
    await app.expectOutcome('completed');
    await app.card('inspector').getByRole('button', { name: 'More on inspector' }).press('Enter');
    await shoot('again-menu');
    await page.getByRole('menuitem', { name: 'Run again…' }).press('Enter');
    await expect(app.question.getByRole('heading', { level: 2 })).toHaveText('Run inspector again?');
    await shoot('again-question');
    const startButton = app.question.getByRole('button', { name: /^Start/ });
    await expect(startButton, 'ready half a second after it is shown').toHaveAttribute('aria-disabled', 'false');
    await startButton.press('Enter');
    await app.expectOutcome('completed');
    await shoot('again');
    await app.card('inspector').getByRole('button', { name: 'Compare with the first' }).press('Enter');
    await shoot('again-compare');
    await page.keyboard.press('Escape');
    await app.card('inspector').getByRole('button', { name: 'More on inspector' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Open in history' }).click();
    await page.getByRole('link', { name: 'the first run' }).press('Enter');
    await expect(page.getByRole('button', { name: 'Compare with the rerun' })).toBeVisible();
    await page.getByRole('link', { name: 'Open conversation' }).click();
    const answer = app.workflow().getByRole('toolbar', { name: /^The answer/ });
    await answer.getByRole('button', { name: 'Fork from here' }).press('Enter');
    await expect(app.log).toContainText('Up to here it is a copy');
    await shoot('fork');
    await app.workflow().getByRole('button', { name: 'Edit and resend' }).press('Enter');
    await shoot('fork-edit');
  },
};

const settings: WorkScreen = {
  script: () => leadCalls([spawn({ name: 'reader', prompt: 'Read.' })], [{ prompt: /./, task: reportOf('it') }]),
  go: async (app, shoot) => {
    const { page } = app;
    await page.getByRole('link', { name: 'Settings' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('link');
    await expect(sections.first()).toBeVisible();
    const names = await sections.allInnerTexts();
    for (const [at, name] of names.entries()) {
      await sections.nth(at).click();
      await expect(sections.nth(at)).toHaveAttribute('aria-current', /./);
      await shoot(`settings-${name.trim().toLowerCase().replaceAll(/\W+/g, '-')}`);
    }
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('zzz');
    await shoot('settings-none');
    const field = page.getByRole('searchbox', { name: 'Find a setting' });
    await field.fill('français');
    await field.press('Enter');
    await expect(page.locator('[data-setting=language] :checked')).toBeFocused();
    await shoot('settings-language');
  },
};

export const PAGE_SCREENS: readonly WorkScreen[] = [agents, rules, after, again, settings];
