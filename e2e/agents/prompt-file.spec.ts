/** The form of an agent whose prompt is in a file of its own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('shows and saves the prompt of an agent that is in a separate file', async ({ start }) => {
  const app = await start(plainAnswer());
  const { page } = app;
  const toml = '[agent]\nname = "base"\ndescription = "Leads" # why\n\n[prompt]\nsystem = { file = "base.md" }\n';
  const [agentFile, promptFile] = [join(app.home, 'agents/base.toml'), join(app.home, 'prompts/system/base.md')];
  await mkdir(join(app.home, 'agents'), { recursive: true });
  await mkdir(join(app.home, 'prompts/system'), { recursive: true });
  await writeFile(promptFile, 'You lead.\n', { mode: 0o600 });
  await writeFile(agentFile, toml, { mode: 0o600 });
  const field = (name: string) => page.getByRole('region', { name: 'Form' }).getByLabel(name, { exact: true });
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page
    .getByRole('list', { name: /^Agents: / })
    .getByRole('link', { name: /^base/ })
    .click();
  await expect(field('Description')).toHaveValue('Leads');
  await expect(field('System prompt')).toHaveValue('You lead.');
  await expect(page.getByText(`Stored in ${promptFile}.`)).toBeVisible();
  await field('System prompt').fill('You plan.');
  await expect(page.getByText('not saved', { exact: true })).toBeVisible();
  await app.button('Save').click();
  await expect(page.locator('main > header')).toContainText('usable');
  expect(await readFile(promptFile, 'utf8')).toBe('You plan.\n');
  expect(await readFile(agentFile, 'utf8')).toBe(toml);
  // A change on disk shows by itself.
  await writeFile(promptFile, 'You judge.\n');
  await expect(field('System prompt')).toHaveValue('You judge.');
});
