/** A task for an agent that has a definition: what it is built from is the definition. */
import { delegate } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a delegated task shows the definition and runs with its tools and system prompt',
  fullSpec([
    'tests/core/workflows/spawn.test.ts › delegates to a permanent agent with its own prompt and tools',
    'tests/lib/approvals/approval-modal.server.test.ts › shows a text that needs no reading as one line, and pages only through the others',
  ]),
  async ({ start }) => {
    const app = await start(delegate());
    await app.send('Have the code reviewed.');

    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('code-reviewer');
    await expect(app.field('What it is told')).toHaveText('Review the code of the workspace.');
    await expect(app.field('Its system prompt'), 'one line for what ships with the program').toHaveCount(0);
    await app.question.getByRole('button', { name: 'Built-in code-reviewer, unchanged' }).click();
    await expect(app.field('Its system prompt')).toBeVisible();
    await expect(app.question.locator('[data-risk]'), 'it only reads').toHaveCount(0);
    await app.unfoldForm();
    await expect(app.question.getByRole('checkbox', { name: 'write_file' })).not.toBeChecked();
    const shown = await app.field('System prompt').inputValue();
    expect(shown.length).toBeGreaterThan(100);

    await app.allow();
    await app.expectCard('code-reviewer', 'completed');
    await expect(app.card('code-reviewer')).toContainText('delegated');
    await app.expectQuoted('the code');
    await app.expectOutcome('completed');
    const child = await app.model.waitFor(({ seen }) => seen.prompt.includes('Review the code'));
    expect(child.seen.system, 'the system prompt that was shown').toContain(shown.trim());
    expect(child.seen.tools).not.toContain('write_file');
    app.model.expectDone();
  },
);
