/** One run that calls the tools whose results are shown in ways of their own, and a visit to each of them. */
import { expect } from '@playwright/test';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { Person } from './person.ts';
import type { WorkScreen } from './work-screens.ts';

/** A word that only the command has. */
export const PRINTS = 'seq -f';

const COMMAND = String.raw`${PRINTS} 'line %g' 40
printf '10%%\r100%%\n'
printf '\033[32mpassed\033[0m and \033[1;31mfailed\033[0m, see \033]8;;https://example.com/hidden\033\\the log\033]8;;\033\\\n'
printf '\033]0;a title\007\033[33;7m WARN \033[0m\033[2m dim\033[0m \033[4;36munder\033[0m \033[41m red \033[0m\n'
exit 3`;

const PLAN = [
  { content: 'Look for uses of sum', status: 'completed', priority: 'medium' },
  { content: 'Change it', status: 'in_progress', priority: 'high' },
  { content: 'Run the tests', status: 'pending', priority: 'low' },
];

/** Asks twice: about a change, then about a command that fails. */
export function allCalls(): Script {
  const edits = [
    {
      old_text: 'export const sum = (a, b) => a + b;',
      new_text: '/** Adds all. */\nexport const sum = (...all) => all.reduce((a, b) => a + b, 0);',
    },
  ];
  return new Script()
    .on({ step: 1 })
    .reply([
      text('I look around.'),
      toolUse('todo_write', { items: PLAN }),
      toolUse('grep', { pattern: 's(u)m' }),
      toolUse('list_directory', {}),
      toolUse('read_file', {}, { raw: '{"path": "READ' }),
    ])
    .on({ step: 2 })
    .reply([toolUse('edit_file', { path: 'src/sum.js', edits })])
    .on({ step: 3 })
    .reply([toolUse('bash', { command: COMMAND })])
    .on({})
    .reply([text('It is done.')]);
}

/** Says yes to the change, then to the command, and waits for the end. */
export async function letAllRun(person: Person): Promise<void> {
  await person.send('Do it all.');
  await person.allow();
  await person.allow();
  await person.expectOutcome('completed');
}

const calls: WorkScreen = {
  script: allCalls,
  go: async (app, shoot) => {
    await letAllRun(app);
    await expect(app.log.locator('[class^=token-]').first()).toBeVisible();
    await shoot('calls-folded');
    await app.unfold(/^Listed/);
    for (const name of ['todo_write', 'grep', 'list_directory', 'read_file', 'bash']) {
      await app.call(new RegExp(`^${name}`)).click();
      await app.call(new RegExp(`^${name}`)).scrollIntoViewIfNeeded();
      if (name === 'bash') await app.button('Jump to latest').click();
      await shoot(`call-${name}`);
      await app.call(new RegExp(`^${name}`)).click();
    }
  },
};

export const CALL_SCREENS: readonly WorkScreen[] = [calls];
