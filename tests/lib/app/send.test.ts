// Every message goes out by one function; what is refused stays with the caller, or is told by a toast.
import { describe, expect, it } from 'vitest';
import { App } from '#lib/app/app.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';
import { conversationId } from '../../support/recording.ts';

function open(connection: FakeConnection) {
  const errors: string[] = [];
  const nothing = (): void => undefined;
  connection.on('conversation.list', () => ({ items: [], next: null }));
  const app = new App(connection, { info: nothing, error: (message) => void errors.push(message), offer: nothing });
  connection.calls.length = 0;
  return { app, errors };
}
const sent = { workflowId: 'workflow', runId: 'run', queued: false };

describe('App', () => {
  it('begins a conversation with its first message, in one request, then refreshes the list and the models', async () => {
    const connection = new FakeConnection().on('message.send', () => sent);
    const { app } = open(connection);
    await settled();
    connection.calls.length = 0;
    const id = await app.startConversation({ folder: '/work', agent: 'writer' }, 'Hello');
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    await settled();
    expect(connection.calls.map(({ method }) => method)).toEqual(['message.send', 'conversation.list', 'app.state']);
    expect(connection.calls[0]?.input).toEqual({
      conversationId: id,
      sentAs: id,
      text: 'Hello',
      via: 'app',
      begin: { folder: '/work', agent: 'writer' },
    });
    expect(await app.startConversation({}, 'Hello', { sentAs: conversationId }), 'once more').toBe(conversationId);
  });

  it('gives a requested focus once to the next message box', async () => {
    const { app } = open(new FakeConnection());
    const given: string[] = [];
    const box = (name: string) => ({
      folder: undefined,
      agent: 'lead',
      mention: () => undefined,
      insert: () => undefined,
      focus: () => given.push(name),
    });
    app.focusBox();
    const leave = app.offerBox(box('first'));
    leave();
    app.offerBox(box('second'));
    expect(given).toEqual(['first']);
    app.focusBox();
    expect(given).toEqual(['first', 'second']);
  });

  it('finds out whether a message arrived, and assumes that it did not if the request fails', async () => {
    const workflows = [{ ...new Rows().snapshot().workflows[0], sentAs: 'mine' }];
    const connection = new FakeConnection().on('conversation.snapshot', () => ({ workflows }) as never);
    const { app } = open(connection);
    const has = (id: string) => app.hasMessage(conversationId, id);
    expect([await has('mine'), await has('other')]).toEqual([true, false]);
    connection.on('conversation.snapshot', () => {
      throw new RequestError('not_found', 'There is no such conversation');
    });
    expect(await has('mine')).toBe(false);
  });

  it('reports how much the lists lack', async () => {
    const { app } = open(new FakeConnection().on('store.unlisted', () => ({ conversations: 2, workflows: 1 })));
    await settled();
    expect(app.unlisted).toMatch(/^The lists are not complete: at least 2 conversations and 1 workflow cannot be read/);
    const { app: whole } = open(new FakeConnection().on('store.unlisted', () => ({ conversations: 0, workflows: 0 })));
    await settled();
    expect(whole.unlisted).toBeNull();
  });

  it('send rejects with the reason, and sendAgain shows the reason as a toast', async () => {
    const refusal = new RequestError('not_found', 'There is no such conversation');
    const connection = new FakeConnection().on('message.send', () => {
      throw refusal;
    });
    const { app, errors } = open(connection);
    await expect(app.send(conversationId, 'Hello')).rejects.toBe(refusal);
    expect(errors).toEqual([]);
    expect(await app.sendAgain({ conversationId, prompt: 'Hello' })).toBe(false);
    expect(errors).toEqual(['There is no such conversation']);
  });

  it('sendAgain sends a message with its pictures, and sends nothing if a picture is missing', async () => {
    const picture = { mediaType: 'image/png' as const, bytes: 3, width: 1, height: 1 };
    const message = (...kept: string[]) => ({
      conversationId,
      prompt: 'Which colour?',
      images: kept.map((sha256) => ({ ...picture, sha256 })),
    });
    const connection = new FakeConnection()
      .on('message.send', () => sent)
      .on('call.image', ({ sha256 }) => {
        if (sha256 === 'gone') throw new RequestError('not_found', 'This image is not kept any more');
        return { data: `bytes of ${sha256}` };
      });
    const { app, errors } = open(connection);
    const sendings = () => connection.calls.filter(({ method }) => method === 'message.send');
    expect(await app.sendAgain(message('red', 'gone'))).toBe(false);
    expect([errors, sendings()]).toEqual([['This image is not kept any more'], []]);
    expect(await app.sendAgain(message('red', 'blue'))).toBe(true);
    const images = ['red', 'blue'].map((sha256) => ({ mediaType: 'image/png', data: `bytes of ${sha256}` }));
    expect(sendings()).toEqual([
      {
        method: 'message.send',
        input: { conversationId, text: 'Which colour?', via: 'app', images },
      },
    ]);
  });
});
