/** What the store has lost of a history is said where that history is shown, with what there is and what to do. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { ROOT, startProcess } from '../support/process.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

async function damage(task: string, home: string): Promise<void> {
  const args = [join(ROOT, 'tests/core/store/child/damage.ts'), task, join(home, 'store')];
  const child = startProcess({ args, folder: ROOT, env: {}, stdio: 'ignore' });
  expect((await once(child, 'exit'))[0]).toBe(0);
}

test(
  'history and chat report a missing message and still show the other messages',
  fullSpec(
    'tests/lib/history/mounted.svelte.test.ts › reports the missing entries of a history, and checks each workflow once',
  ),
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
    await expectAlsoAccessible(app.page, 'a conversation of which a message is gone');
  },
);

test(
  'a notice about a recovered store is shown on every page until the person hides it',
  fullSpec([
    'tests/lib/shell/connection-banner.test.ts › shows what was recovered of a damaged store until the person hides it',
    'tests/core/store/store-notices.test.ts › every window shows a notice about the history until one of them hides it',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      before: async ({ home }) => {
        await damage('seed-archived', home);
        await rm(join(home, 'store'), { recursive: true });
        return async () => undefined;
      },
    });
    const notice = app.page.getByRole('status').filter({ hasText: 'was rebuilt' });
    await expect(notice).toContainText(
      /History: The store was missing and was rebuilt from its archive with 1 conversation and \d+ events\. Nothing is missing\./,
    );
    await app.page
      .getByRole('link', { name: /Question 0/ })
      .first()
      .click();
    await expectAlsoAccessible(app.page, 'a notice about a recovered store');
    const other = await app.secondTab();
    await expect(other.page.getByText('was rebuilt')).toBeVisible();
    await notice.getByRole('button', { name: 'Hide' }).click();
    await expect(notice).toBeHidden();
    await expect(other.page.getByText('was rebuilt')).toBeHidden();
    await app.page.reload();
    await expect(app.page.getByRole('link', { name: /Question 0/ }).first()).toBeVisible();
    await expect(notice).toBeHidden();
  },
);

// The desktop's messages to the program are not seen from here.
test(
  'a long conversation is checked for missing entries only where the reader stops scrolling',
  fullSpec(
    'tests/lib/history/mounted.svelte.test.ts › reports the missing entries of a history, and checks each workflow once',
    {
      tag: '@browser',
    },
  ),
  async ({ start }) => {
    const { page, log } = await start(plainAnswer(), {
      ownContext: true,
      before: async ({ home }) => {
        await damage('seed-long', home);
        await damage('lose', home);
        return async () => undefined;
      },
    });
    const asked = new Set<string>();
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const { method, input } = JSON.parse(String(payload)) as {
          method?: string;
          input?: { workflowIds?: string[] };
        };
        if (method === 'conversation.check') for (const id of input?.workflowIds ?? []) asked.add(id);
      }),
    );
    await page.reload();
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('link', { name: /Question 0/ })
      .click();
    await expect(page.getByRole('status').filter({ hasText: 'This history is not complete' })).toBeVisible();
    expect(asked.size).toBeGreaterThan(0);
    await log.evaluate(async (element) => {
      while (!element.textContent.includes('Question 0:')) {
        element.scrollTop -= 400;
        await new Promise(requestAnimationFrame);
      }
    });
    const first = page.getByRole('article', { name: /Question 0:/ }).getByRole('link', { name: 'Open in history' });
    const id = (await first.getAttribute('href'))?.split('/').at(-1) ?? '';
    await expect.poll(() => asked.has(id), 'where it was stayed').toBe(true);
    expect(asked.size, 'not what passed by').toBeLessThan(300);
  },
);

test(
  'a missing conversation and a lost network connection are reported on the page',
  fullSpec([
    'tests/lib/shell/connection-banner.test.ts › shows that the computer is offline until the network is back',
    'tests/lib/runs/session.test.ts › says what went wrong when the conversation cannot be read',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), { ownContext: true });
    const { page } = app;
    await app.goto('/chat/00000000-0000-4000-8000-000000000000');
    await expect(page.getByText('There is no such conversation', { exact: true }).first()).toBeVisible();
    await expectAlsoAccessible(page, 'a conversation that is not there');
    await page.context().setOffline(true);
    await expect(page.getByText('This computer is offline.')).toBeVisible();
    await expectAlsoAccessible(page, 'a machine without a network');
    await page.context().setOffline(false);
    await expect(page.getByText('This computer is offline.')).toBeHidden();
  },
);
