/** A page whose connection breaks after the host took its message: sent again with its id, it is one message, one workflow. */
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { newId } from '#core/base/ids.ts';
import { startEngine } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { fullTest } from '../../support/samples.ts';
import { TestBrowser } from '../../support/test-browser.ts';
import { becomesOwner, waits } from '../support/owner.ts';
import { machine, type Machine } from '../support/process.ts';
import { openSite } from '../support/web-site.ts';

function openPage(browser: TestBrowser) {
  const page = browser.connect();
  onTestFinished(() => page.connection.close());
  return page;
}

test('a message whose answer is lost starts its conversation once when it is sent again', async () => {
  const engine = await startEngine(plainAnswer());
  let taken = 0;
  const request: Client['request'] = async (method, input) => {
    const output = await engine.runtime.request(method, input);
    if (method === 'message.send' && (taken += 1) === 1) {
      page.cut();
      await expect.poll(() => page.connection.status).not.toBe('open');
    }
    return output;
  };
  const site = await openSite({ request, subscribe: engine.runtime.subscribe.bind(engine.runtime) });
  onTestFinished(() => site.close());
  const page = openPage(await site.enter());
  const id = newId();
  const begin = { folder: engine.folder };
  const send = () => page.connection.request('message.send', { conversationId: id, text: 'Look', sentAs: id, begin });
  await expect(send()).rejects.toMatchObject({ code: 'disconnected' });
  await expect.poll(() => page.connection.status, waits).toBe('open');
  const { workflows } = await page.connection.request('conversation.snapshot', { conversationId: id });
  expect(
    workflows.map(({ sentAs }) => sentAs),
    'the page sees that it arrived',
  ).toEqual([id]);
  expect(await send()).toMatchObject({ workflowId: workflows[0]?.id });
  const after = await page.connection.request('conversation.snapshot', { conversationId: id });
  expect([taken, after.workflows.length]).toEqual([2, 1]);
  const { items } = await page.connection.request('conversation.list', { limit: 10 });
  expect(items.map((one) => one.id).toSorted()).toEqual([engine.conversationId, id].toSorted());
});

fullTest(
  'tests/core/host/runtime/methods/sent-once.test.ts › a restarted program recognizes a message id, also if the message created the conversation',
)('after kill -9 of the host, the next host recognises a message that is sent again', async () => {
  const home = await machine(plainAnswer());
  const id = newId();
  const message = { conversationId: id, text: 'Look', sentAs: id, begin: { folder: home.folder } };
  const first = await opened(home);
  const { workflowId } = await first.page.connection.request('message.send', message);
  first.app.child.kill('SIGKILL');
  await first.app.exit;
  const next = await opened(home);
  expect(await next.page.connection.request('message.send', message)).toMatchObject({ workflowId });
  const { workflows } = await next.page.connection.request('conversation.snapshot', { conversationId: id });
  expect(workflows.map((one) => [one.id, one.sentAs])).toEqual([[workflowId, id]]);
});

async function opened(home: Machine) {
  const app = await home.app();
  await becomesOwner(home, app);
  await expect.poll(app.out, waits).toMatch(/http:\S+/);
  const [url = ''] = /http:\S+/.exec(app.out()) ?? [];
  return { app, page: openPage(await TestBrowser.signedIn(url)) };
}
