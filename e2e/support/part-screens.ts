/** Visits to the parts of questions: a yes for more than once, an edit, a command of several, a chain, choices, what cannot be undone. */
import { mkdir, writeFile as writeFileOf } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { delegateTo } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { threeWrites } from './scripts.ts';
import type { WorkScreen } from './work-screens.ts';

const calling = (name: string, input: unknown): Script =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse(name, input)])
    .on({})
    .reply([text('Thank you.')]);

/** A yes for more than once, and what is said of it beside the next question, on the page, and on a page without its rail. */
const granting: WorkScreen = {
  script: () => threeWrites(),
  go: async (app, shoot) => {
    const { page, question } = app;
    await app.send('Write them.');
    await question.getByRole('button', { name: 'More than once…' }).click();
    await app.field('this project, always').check();
    await shoot('parts-granting');
    await app.field('Pattern').fill('docs/one.md');
    await question.getByRole('button', { name: 'Always allow for this project' }).click();
    const message = page.locator('[data-sonner-toast]');
    await message.hover();
    await shoot('parts-granted-next');
    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    await message.hover();
    await shoot('parts-granted-page');
    await page.keyboard.press('Control+B');
    await message.hover();
    await shoot('parts-granted-folded');
  },
};

const edit: WorkScreen = {
  script: () =>
    calling('edit_file', {
      path: 'src/sum.js',
      edits: [{ old_text: 'a + b', new_text: 'a.reduce((sum, one) => sum + one, b ?? 0)' }],
    }),
  go: async (app, shoot) => {
    await app.send('Let it add lists.');
    await expect(app.question).toContainText('src/sum.js');
    await shoot('parts-edit');
  },
};

const commands: WorkScreen = {
  script: () => calling('bash', { command: 'git status && npm test | tail -5; rm -rf dist > /dev/null' }),
  go: async (app, shoot) => {
    await app.send('Test it.');
    await expect(app.question).toContainText('npm test');
    await shoot('parts-commands');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await shoot('parts-commands-granting');
    await app.question.getByRole('button', { name: 'Why am I asked?' }).click();
    await shoot('parts-commands-why');
  },
};

const agent = (name: string, keys = '') =>
  `---\nname: ${name}\ndescription: Works as ${name}\ntools: [read_file]\n${keys}---\nYou are the ${name}.\n`;

const chain: WorkScreen = {
  script: () => new Script().on({ step: 1 }).reply([delegateTo('finder', 'Find the facts.')]),
  options: {
    before: async ({ home }) => {
      const files = {
        'finder.md': agent('finder', 'next: writer\n'),
        'writer.md': agent('writer', 'next: checker\n'),
        'checker.md': agent('checker'),
      };
      for (const [name, content] of Object.entries(files)) {
        const path = join(home, 'agents', name);
        await mkdir(dirname(path), { recursive: true });
        await writeFileOf(path, content);
      }
      return () => Promise.resolve();
    },
  },
  go: async (app, shoot) => {
    await app.send('Find and report.');
    await expect(app.question).toContainText('checker');
    await shoot('parts-chain');
    await app.unfoldForm();
    await shoot('parts-chain-form');
  },
};

const choices: WorkScreen = {
  script: () =>
    calling('ask_question', {
      questions: [
        {
          question: 'Which parser stays?',
          kind: 'single',
          choices: [{ label: 'The old one', description: 'Slow, and well known.' }, { label: 'The new one' }],
        },
        {
          question: 'Which formats must it read?',
          kind: 'multiple',
          choices: [{ label: 'YAML' }, { label: 'TOML' }, { label: 'JSON', description: 'With comments.' }],
        },
        { question: 'What is it called?', kind: 'text' },
      ],
    }),
  go: async (app, shoot) => {
    await app.send('Choose.');
    await app.question.getByRole('radio', { name: /The new one/ }).check();
    await app.question.getByRole('checkbox', { name: 'TOML' }).check();
    await shoot('parts-choices');
  },
};

const irreversible: WorkScreen = {
  script: () => calling('request_approval', { action: 'Send the letter', reason: 'It is due.', reversible: false }),
  go: async (app, shoot) => {
    await app.send('Send it.');
    await expect(app.question).toContainText('Send the letter');
    await shoot('parts-irreversible');
    await app.allow();
    await shoot('parts-second-step');
  },
};

export const PART_SCREENS: readonly WorkScreen[] = [granting, edit, commands, chain, choices, irreversible];
