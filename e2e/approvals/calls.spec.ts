/** Calls of an agent: a write and a command are whole before the yes, and are shown at their rows, also after a reload. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSandbox } from '#core/workspace/shell/sandbox.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { pdf } from '../../tests/support/pdf.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const sandbox = await findSandbox(process.env);

const CONTENT = '# Sample\n\nA small project with notes.\n';
const EDITED = '# Sample\n\nEdited by the person.\n';
const COMMAND = 'echo "first line"\nwhile ! test -e go; do sleep 0.1; done\necho second line';

async function write(app: App): Promise<void> {
  const file = () => readFile(join(app.workspace, 'README.md'), 'utf8');
  const before = await file();
  await app.send('Improve the README.');
  await expect(app.question.getByRole('heading', { level: 2 })).toContainText('README.md');
  const changes = app.question.getByLabel('Changes', { exact: true });
  await expect(changes).toContainText('A small project.');
  await expect(changes).toContainText('A small project with notes.');
  await app.unfoldForm();
  await expect(app.question.getByRole('textbox', { name: 'Content' })).toHaveValue(CONTENT);
  expect(await file(), 'nothing before the answer').toBe(before);

  await app.question.getByRole('textbox', { name: 'Content' }).fill(EDITED);
  await expect(app.question.getByText('edited', { exact: true }).first()).toBeVisible();
  await app.allow();
  await app.expectOutcome('completed');
  expect(await file()).toBe(EDITED);
  await expect(app.workflow().getByLabel('Changes', { exact: true })).toContainText('Edited by the person.');
}

async function run(app: App): Promise<void> {
  await app.send('Run it.');
  await expect(app.question.getByRole('group', { name: 'Command' })).toHaveText(COMMAND);
  await expect(app.question).toContainText(app.workspace);
  await expect(app.question).toContainText('it does not reach the network');
  await expect(app.question).toContainText('What it changes can be undone');
  await app.allow();
  const output = app.workflow().getByLabel('Output', { exact: true });
  // As long as it is asked about, it is unfolded.
  await expect(app.call('bash')).toContainText('running');
  await app.call('bash').click();
  await expect(output).toHaveText('first line');
  // What is told again while it runs reaches a page that comes later.
  await app.page.reload();
  await app.call('bash').click();
  await expect(output).toHaveText('first line');
  await mkdir(join(app.workspace, 'go'));
  await expect(output).toHaveText(/^first line\s+second line\s+\[exit code 0\]$/);
  await app.expectOutcome('completed');
}

test(
  'an edited write is saved exactly, a command shows its output while it runs, and a PDF is read',
  fullSpec([
    'tests/core/approvals/approval.test.ts › the approval of a write contains a diff, and the edited content is written to disk',
    'tests/lib/view/call-view.test.ts › a command view shows the live output, then the final output',
    'tests/lib/app/approval-draft.test.ts › has a field for a command with its real line breaks',
    'tests/core/tools/reading/pdf.test.ts › returns the text with a mark for each page, even a page without text, and selects lines by offset and limit',
    'tests/hosts/packed.test.ts › every file that the program starts or reads is built and packed',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ asked: /README/, step: 1 })
      .reply([toolUse('write_file', { path: 'README.md', content: CONTENT }), toolUse('read_file', { path: 'a.pdf' })])
      .on({ asked: /Run it/, step: 1 })
      .reply([toolUse('bash', { command: COMMAND })])
      .on({})
      .reply([text('It went well.')]);
    const app = await start(script, { files: { 'a.pdf': pdf([['Hello']]) } });
    await write(app);
    const results = app.model.requests.at(-1)?.seen.results.map((result) => result.text);
    expect(results).toContain('[Page 1 of 1]\nHello\n');
    test.skip(!sandbox, 'the command was not run: this machine has no sandbox');
    await run(app);
  },
);
