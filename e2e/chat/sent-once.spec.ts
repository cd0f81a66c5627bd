/** A message goes out once, and no draft is lost: lost answers, reloads, other pages, two tabs, examples, refusals. */
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { RED } from '../../tests/support/images.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const RED_PNG = { name: 'red.png', mimeType: 'image/png', buffer: RED };
// Only the browser's link to the program can be broken from here.
const details = { tag: '@browser' };
const own = { ownContext: true };

interface Held {
  lose: () => void;
  pass: () => void;
}

/** The program's answers to messages are held until they are lost with the link, or let go. */
async function holdAnswers(page: Page) {
  let holds = true;
  let held: Held | null = null;
  await page.routeWebSocket(/.*/, (socket) => {
    const server = socket.connectToServer();
    const sent = new Set<number>();
    socket.onMessage((message) => {
      const [id] = /(?<="id":)\d+/.exec(String(message)) ?? [];
      if (String(message).includes('"method":"message.send"')) sent.add(Number(id));
      server.send(message);
    });
    server.onMessage((message) => {
      const [, id] = /^\{"kind":"reply","id":(\d+)/.exec(String(message)) ?? [];
      if (!holds || id === undefined || !sent.has(Number(id))) return socket.send(message);
      held = { lose: () => void socket.close({ code: 1012 }), pass: () => socket.send(message) };
    });
  });
  await page.reload();
  const taken = async (): Promise<Held> => {
    await expect.poll(() => held).not.toBeNull();
    const now = held;
    held = null;
    if (now === null) throw new Error('Nothing was taken');
    return now;
  };
  return { taken, letThrough: () => void (holds = false) };
}

const conversations = ({ page }: App) =>
  page.getByRole('navigation', { name: 'Conversations' }).getByRole('list', { name: 'Conversations' });

const press = async ({ message }: Pick<App, 'message'>, words: string) => {
  await message.fill(words);
  await message.press('Enter');
  await message.press('Enter');
};

test(
  'a message whose response was lost with the connection is recognised as delivered',
  fullSpec(
    [
      'tests/hosts/http/sent-once.test.ts › a message whose answer is lost starts its conversation once when it is sent again',
      'tests/lib/chat/composer/unsent.alone.test.ts › sends a message without a reply again under its first id, or drops it once it is known to have arrived',
    ],
    details,
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), own);
    const { page, message } = app;
    const link = await holdAnswers(page);
    await page.locator('input[type=file]').setInputFiles([RED_PNG]);
    await press(app, 'Look at this.');
    (await link.taken()).lose();
    await app.expectOutcome('completed');
    await expect(message).toHaveValue('');
    await expect(page.getByText('Not sent')).toBeHidden();
    await expect(conversations(app).getByRole('link')).toHaveCount(1);

    await press(app, 'And this.');
    (await link.taken()).lose();
    await expect(app.workflow()).toContainText('And this.');
    await expect(message).toHaveValue('');
    await expect(page.getByText('Not sent')).toBeHidden();
    link.letThrough();
    await press(app, 'And this.');
    await expect(app.workflow(2)).toContainText('And this.');
    await app.expectOutcome('completed');
    expect(app.model.requests).toHaveLength(3);
  },
);

test(
  'a message that is being sent does not reappear in the box after a reload or a return to the page',
  fullSpec(
    [
      'tests/lib/chat/composer/unsent.alone.test.ts › sends one message on two presses, also after the box is left and reopened',
      'tests/lib/chat/composer/draft.alone.test.ts › empties the box when a message is sent, and stores the message until it arrives',
    ],
    details,
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), own);
    const { page, message } = app;
    const link = await holdAnswers(page);
    await press(app, 'Look at this.');
    await link.taken();
    await page.reload();
    await expect(conversations(app).getByRole('link')).toHaveCount(1);
    await expect(message).toHaveValue('');
    await conversations(app).getByRole('link').click();
    await app.expectOutcome('completed');
    await expect(message).toHaveValue('');

    await press(app, 'And this.');
    const { pass } = await link.taken();
    await app.newConversation();
    await conversations(app).getByRole('link').click();
    await expect(app.workflow()).toContainText('And this.');
    await expect(message).toHaveValue('');
    await message.fill('Then that.');
    pass();
    link.letThrough();
    await message.press('Enter');
    await expect(app.workflow()).toContainText('Then that.');
    await app.expectOutcome('completed');
    expect(app.model.requests).toHaveLength(3);
  },
);

test(
  'a message that the connection lost before delivery stays in the box and is delivered once',
  fullSpec(
    [
      'tests/lib/chat/composer/draft.alone.test.ts › restores an unsent message before the text written since',
      'tests/lib/chat/composer/draft.alone.test.ts › retries of one message share an id until it arrives, also after a restart; other messages have their own',
    ],
    details,
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), own);
    const { page, message } = app;
    await app.send('Say hello.');
    await app.expectOutcome('completed');
    let breaks = true;
    let late = (): void => undefined;
    await page.routeWebSocket(/.*/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((frame) => {
        if (breaks && String(frame).includes('"method":"message.send"')) {
          late = () => server.send(frame);
          void socket.close({ code: 1012 });
        } else server.send(frame);
      });
    });
    await page.reload();
    await press(app, 'And this.');
    await expect(page.getByText('Not sent')).toBeVisible();
    await expect(message).toHaveValue('And this.');
    breaks = false;
    await page.reload();
    await expect(message).toHaveValue('And this.');
    await press(app, 'And this.');
    await expect(app.workflow()).toContainText('And this.');
    await app.expectOutcome('completed');
    await expect(message).toHaveValue('');
    expect(app.model.requests).toHaveLength(2);

    breaks = true;
    await press(app, 'And late.');
    await expect(page.getByText('Not sent')).toBeVisible();
    await expect(message).toHaveValue('And late.');
    late();
    await expect(app.workflow()).toContainText('And late.');
    await expect(message).toHaveValue('');
    await expect(page.getByText('Not sent')).toBeHidden();
  },
);

test(
  'a message that was sent in one tab disappears from the box of the other tab',
  fullSpec(
    'tests/lib/chat/composer/draft.alone.test.ts › follows drafts written or sent in another window, unless this window has other text',
    details,
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), own);
    await app.send('Say hello.');
    await app.expectOutcome('completed');
    const other = await app.secondTab(app.path);
    await app.message.fill('And this.');
    await expect(other.message).toHaveValue('And this.');
    await app.message.press('Enter');
    await expect(app.message).toHaveValue('');
    await expect(other.message).toHaveValue('');
  },
);

test(
  'a rejected first message creates no conversation, and an example does not replace the draft',
  fullSpec(
    [
      'tests/core/host/runtime/methods/sent-once.test.ts › an invalid first message creates no conversation',
      'e2e/shell/first-run.spec.ts › a custom endpoint answers the first message in the chosen folder',
    ],
    details,
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), own);
    const { page, message } = app;
    const folder = page.getByLabel('Folder', { exact: true });
    const usual = await folder.inputValue();
    await folder.fill(`${usual}/none`);
    await press(app, 'My own words.');
    await expect(page.getByText('Not sent')).toBeVisible();
    await expect(message).toHaveValue('My own words.');
    await expect(conversations(app).getByRole('link')).toHaveCount(0);
    const examples = page.getByRole('main').getByRole('list').last().getByRole('button');
    // A folder that cannot be read gets the general tasks.
    await expect(examples.first()).toHaveText(/Summarise the documents/);
    const [first = ''] = await examples.allTextContents();
    await examples.first().click();
    await expect(message).toHaveValue(`My own words.\n\n${first.trim()}`);
    await message.fill('');
    await examples.first().click();
    const second = await examples.nth(1).innerText();
    await examples.nth(1).click();
    await expect(message).toHaveValue(second.trim());
    await folder.fill(usual);
    await press(app, 'My own words.');
    await app.expectOutcome('completed');
    await expect(conversations(app).getByRole('link')).toHaveCount(1);
  },
);
