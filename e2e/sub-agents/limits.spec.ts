/** An edit that goes too far: the reason stands at its field, and the question stays open. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'what was cut is told, and a limit beyond the ceiling is refused at its field in plain words',
  fullSpec([
    'tests/core/runs/narrowing.test.ts › limits are bounded by the settings and the model, not by the lead, and what is cut is said',
    'tests/lib/words/field-problems.test.ts › finds the field of a limit that goes beyond the lead, in the units of the form',
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
