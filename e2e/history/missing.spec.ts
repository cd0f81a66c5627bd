/** What the store has lost of a history is said where that history is shown, with what there is and what to do. */
import { once } from 'node:events';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { ROOT, startProcess } from '../support/process.ts';
import { expect, test } from '../support/test.ts';

async function damage(task: string, home: string): Promise<void> {
  const args = [join(ROOT, 'tests/core/store/child/damage.ts'), task, join(home, 'store')];
  const child = startProcess({ args, folder: ROOT, env: {}, stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(0);
}

test(
  'a message that is gone is told in the history and in the chat, where the others still are',
  { tag: '@soak' },
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      before: async ({ home }) => {
        await damage('seed-few', home);
        await damage('lose', home);
        return async () => undefined;
      },
    });
    const notice = app.page.getByRole('status').filter({ hasText: 'This history is not complete' });
    await app.page.getByRole('navigation').getByRole('link', { name: 'History', exact: true }).click();
    await app.page.getByRole('link', { name: /Question 2/ }).click();
    await expect(notice).toHaveText(
      'This history is not complete: 1 message or result cannot be found or read in the store. To get them back, restore a backup with "triad restore DIR".',
    );
    await app.page.getByRole('link', { name: 'Open conversation' }).click();
    await expect(notice).toBeVisible();
    await expect(app.page.getByText('Answer 1: it does what it should.')).toBeVisible();
  },
);
