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
  'an answer that is lost with the link: the page finds that its message arrived',
  fullSpec(
    [
      'tests/hosts/http/sent-once.test.ts › the answer is lost, the message is not, and begins its conversation once',
      'tests/lib/chat/composer/unsent.test.ts › a message whose answer was lost goes out with the same id, or is gone once it is known to have arrived',
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
  'a message under way is not shown again by a reload or on the way back',
  fullSpec(
    [
      'tests/lib/chat/composer/unsent.test.ts › two presses are one message; who leaves the box and comes back finds it under way',
      'tests/lib/chat/composer/draft.test.ts › the box is empty as soon as a message is sent, and a restart finds it until it arrived',
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
  'a link that breaks before the program has the message: it stays, and goes out once',
  fullSpec(
    [
      'tests/lib/chat/composer/draft.test.ts › what did not arrive comes back before what was written since',
      'tests/lib/chat/composer/draft.test.ts › the same message keeps its id until it arrived, also across a restart; another one has its own',
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
  'what one tab sends is gone from the box of the other',
  fullSpec(
    'tests/lib/chat/composer/draft.test.ts › what another window sent or wrote is so here, unless something else stands here',
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
  'a refused first message leaves no conversation; an example leaves what was written',
  fullSpec(
    [
      'tests/core/host/runtime/methods/sent-once.test.ts › a message that cannot be sent begins no conversation',
      'e2e/shell/first-run.spec.ts › another address answers the first message in the chosen folder',
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
