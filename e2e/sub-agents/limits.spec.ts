/** An edit that goes too far: the reason stands at its field, and the question stays open. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'the approval reports reduced limits, and rejects a limit above the ceiling at its field',
  fullSpec([
    'tests/core/runs/narrowing.test.ts › the settings and the model bound the limits of a sub-agent, not the lead, and each cut is reported',
    'tests/lib/words/field-problems.test.ts › finds the field of a limit above the maximum, in the units of the form',
  ]),
  async ({ start }) => {
    const settings = '[limits]\nmax_iterations_ceiling = 30\nrun.max_iterations = 50\n';
    const app = await start(spawnOne(), {
      before: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        await writeFile(join(home, 'config.toml'), settings, { mode: 0o600 });
        return () => Promise.resolve();
      },
    });
    await app.send('Inspect this project.');
    await app.lookAt('inspector');
    await app.unfoldForm();
    await expect(app.question.getByRole('checkbox', { name: 'spawn_agent' })).toHaveCount(0);
    const granted = app.question.getByRole('checkbox', { name: 'read_file' });
    await expect(granted).toBeChecked();
    await expect(granted).toBeDisabled();

    await expect(app.question).toContainText(
      'iterations cut from 50 to 30: limits.max_iterations_ceiling of the settings',
    );
    await app.field('Turns at most').fill('31');
    await app.question.getByRole('button', { name: 'Allow once' }).click();
    await expect(
      app.question.getByText('cannot be more than limits.max_iterations_ceiling allows (30)', { exact: true }),
    ).toBeVisible();
    await expect(app.field('Turns at most')).toHaveAttribute('aria-invalid', 'true');
    await app.field('Turns at most').fill('5000');
    await app.question.getByRole('button', { name: 'Allow once' }).click();
    await expect(app.question.getByText('cannot be more than 200', { exact: true })).toBeVisible();
    await expect(app.question).not.toContainText('✖');

    await app.field('Turns at most').fill('5');
    await app.allow();
    await app.expectOutcome('completed');
  },
);
