/** A command of an agent: whole before the yes, its output while it runs, and again after a reload. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findSandbox } from '#core/workspace/shell/sandbox.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, test } from '../support/test.ts';

const sandbox = await findSandbox(process.env);

test('a command is asked about as it is, and shown while it runs', async ({ start }) => {
  test.skip(!sandbox, 'not run: this machine has no sandbox');
  const command = 'echo "first line"\nwhile ! test -e go; do sleep 0.1; done\necho second line';
  const app = await start(
    new Script()
      .on({ step: 1 })
      .reply([toolUse('bash', { command })])
      .on({})
      .reply([text('It went well.')]),
  );
  await app.send('Run it.');
  await expect(app.question.getByRole('textbox', { name: 'Command' })).toHaveValue(command);
  await expect(app.question).toContainText(app.workspace);
  await expect(app.question).toContainText('it does not reach the network');
  await expect(app.question).toContainText('What it changes can be undone');
  await app.allow();
  const output = app.log.getByLabel('Output', { exact: true });
  await app.call('bash').click();
  await expect(output).toHaveText('first line');
  // What is told again while it runs reaches a page that comes later.
  await app.page.reload();
  await app.call('bash').click();
  await expect(output).toHaveText('first line');
  await mkdir(join(app.workspace, 'go'));
  await expect(output).toHaveText(/^first line\s+second line\s+\[exit code 0\]$/);
  await app.expectOutcome('completed');
});
