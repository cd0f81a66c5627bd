// A conversation goes to the trash with an offer to take it back; what is refused is reported and changes nothing.
import { describe, expect, it } from 'vitest';
import { ConversationActions } from '#lib/app/conversation-actions.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { emptyConversation } from '../support/rows.ts';
import { conversationId } from '../../support/recording.ts';

function setup(connection: FakeConnection) {
  const messages: string[] = [];
  const lists: string[] = [];
  let undo = (): void => undefined;
  const toasts = {
    info: (message: string) => void messages.push(message),
    error: (message: string) => void messages.push(`error: ${message}`),
    offer: (message: string, button: string, press: () => void) => {
      messages.push(`${message} [${button}]`);
      undo = press;
    },
  };
  const actions = new ConversationActions(connection, toasts, {
    removed: (id) => void lists.push(`removed ${id}`),
    restored: () => void lists.push('restored'),
    changed: ({ title, pinned }) => void lists.push(`changed ${title}${pinned ? ', pinned' : ''}`),
  });
  return { actions, messages, lists, undo: () => undo() };
}

describe('ConversationActions', () => {
  it('moves a conversation to the trash with an offer to undo, which restores it', async () => {
    const connection = new FakeConnection()
      .on('conversation.delete', () => ({}))
      .on('conversation.restore', () => ({}));
    const { actions, messages, lists, undo } = setup(connection);
    expect(await actions.remove(conversationId)).toBe(true);
    expect(lists).toEqual([`removed ${conversationId}`]);
    undo();
    await settled();
    expect(connection.calls.map(({ method }) => method)).toEqual(['conversation.delete', 'conversation.restore']);
    expect(lists.at(-1)).toBe('restored');
    expect(messages).toEqual(['Conversation moved to the trash [Undo]', 'Conversation restored']);
  });

  it('moves several conversations to the trash with one offer to undo, without the rejected ones', async () => {
    const connection = new FakeConnection()
      .on('conversation.delete', ({ conversationId }) => {
        if (conversationId === 'busy') throw new RequestError('conflict', 'Something runs in this conversation');
        return {};
      })
      .on('conversation.restore', () => ({}));
    const { actions, messages, lists, undo } = setup(connection);
    expect(await actions.removeAll(['one', 'busy', 'two'])).toEqual(['one', 'two']);
    expect(messages).toEqual([
      'error: Something runs in this conversation',
      '2 conversations moved to the trash [Undo]',
    ]);
    undo();
    await settled();
    expect(lists).toEqual(['removed one', 'removed two', 'restored', 'restored']);
  });

  it('renames and pins a conversation, and updates the lists', async () => {
    const row = { ...emptyConversation(), title: 'Named' };
    const connection = new FakeConnection().on('conversation.keep', ({ pinned }) => ({ ...row, pinned }));
    const { actions, lists } = setup(connection);
    expect(await actions.rename(conversationId, 'Named')).toBe(true);
    expect(await actions.pin(conversationId, true)).toBe(true);
    expect(lists).toEqual(['changed Named', 'changed Named, pinned']);
  });

  it('reports a rejected deletion, and changes nothing', async () => {
    const connection = new FakeConnection().on('conversation.delete', () => {
      throw new RequestError('conflict', 'Something runs in this conversation');
    });
    const { actions, messages, lists } = setup(connection);
    expect(await actions.remove(conversationId)).toBe(false);
    expect(messages).toEqual(['error: Something runs in this conversation']);
    expect(lists).toEqual([]);
  });
});
