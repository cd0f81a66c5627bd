/** What calls did, each in the way that suits its tool, and as text. */
import { expectAccessible } from '../support/accessible.ts';
import { allCalls, letAllRun, PRINTS } from '../support/call-screens.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'commands, searches, lists, plans and changes have views of their own',
  fullSpec([
    'tests/lib/runs/call-row.server.test.ts › shows a call of %s in its own view, with a button for plain text',
    'tests/lib/runs/call-row.server.test.ts › shows a file change as a diff',
    'tests/lib/view/call-view.test.ts › hitsOf groups matches by file, with marked ranges',
  ]),
  async ({ start }) => {
    const app = await start(allCalls(), { files: { 'src/many.js': 'const sum = 1;\n'.repeat(30) } });
    await letAllRun(app);
    const shown = (label: string) => app.log.getByLabel(label, { exact: true });
    const button = (name: string) => app.log.getByRole('button', { name, exact: true });

    await app.call(/^bash/).click();
    const output = shown('Output');
    await expect(shown('Command')).toContainText(PRINTS);
    await expect(output).toHaveText(
      /line 40\s+100%\s+passed and failed, see the log\s+WARN\s+dim under\s+red\s+\[exit code 3\]$/,
    );
    await expect(output).not.toContainText('line 1\n');
    await expect(output.getByText('failed', { exact: true })).toHaveClass('text-danger font-bold');
    await expect(output.getByRole('link')).toHaveCount(0);
    await expect(app.log.getByText('exit code 3', { exact: true })).toBeVisible();
    await button('Show all 44 lines').press('Enter');
    await expect(output).toContainText('line 1\n');
    // What the terminal left out is in the text.
    await button('Show as text').last().click();
    await expect(output).toContainText('https://example.com/hidden');
    await button('Show formatted').click();

    await app.unfold('Listed 1 folder, searched once, updated its plan');
    await app.call(/^grep/).click();
    const hits = app.log.getByRole('table', { name: 'Matches' });
    await expect(hits.getByRole('row')).toHaveCount(1 + 1 + 20);
    await expect(hits.getByRole('rowheader', { name: 'src/many.js' })).toBeVisible();
    await expect(hits.locator('mark').first()).toHaveText('sum');
    await button('Show all 31 matches').click();
    await expect(hits.getByRole('rowheader', { name: 'src/sum.js' })).toBeVisible();
    await app.call(/^list_directory/).click();
    await expect(shown('Entries').getByRole('listitem')).toHaveText(['README.md', 'src/']);
    await app.call(/^todo_write/).click();
    await expect(app.log.getByRole('listitem').filter({ hasText: 'at work: Change it' })).toBeVisible();

    const changes = shown('Changes');
    await expect(changes.locator('[class^=token-]').filter({ hasText: 'const' }).first()).toBeVisible();
    await expect(changes).toContainText('− export const sum = (a, b) => a + b;');
    await expect(changes).toContainText('+ export const sum = (...all) =>');

    await app.call(/^read_file/).click();
    await expect(shown('Arguments')).toHaveText('{"path": "READ');
    await expectAccessible(app.page, 'calls');
  },
);
