// A conversation goes to the trash with an offer to take it back; what is refused is told and changes nothing.
import { describe, expect, it } from 'vitest';
import { Keeping } from '#lib/app/keeping.ts';
import { RequestError } from '#lib/client/request-error.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { CONVERSATION } from '../support/story.ts';

function desk(connection: FakeConnection) {
  const told: string[] = [];
  const shelves: string[] = [];
  let undo = (): void => undefined;
  const toasts = {
    info: (message: string) => void told.push(message),
    error: (message: string) => void told.push(`error: ${message}`),
    offer: (message: string, button: string, press: () => void) => {
      told.push(`${message} [${button}]`);
      undo = press;
    },
  };
  const keeping = new Keeping(connection, toasts, {
    removed: (id) => void shelves.push(`removed ${id}`),
    restored: () => void shelves.push('restored'),
  });
  return { keeping, told, shelves, undo: () => undo() };
}

describe('Keeping', () => {
  it('removes with an offer to undo, which restores', async () => {
    const connection = new FakeConnection()
      .on('conversation.delete', () => ({}))
      .on('conversation.restore', () => ({}));
    const { keeping, told, shelves, undo } = desk(connection);
    expect(await keeping.remove(CONVERSATION)).toBe(true);
    expect(shelves).toEqual([`removed ${CONVERSATION}`]);
    undo();
    await settled();
    expect(connection.calls.map(({ method }) => method)).toEqual(['conversation.delete', 'conversation.restore']);
    expect(shelves.at(-1)).toBe('restored');
    expect(told).toEqual(['Conversation moved to the trash [Undo]', 'Conversation restored']);
  });

  it('tells why something was refused, and changes nothing', async () => {
    const connection = new FakeConnection().on('conversation.delete', () => {
      throw new RequestError('conflict', 'Something runs in this conversation');
    });
    const { keeping, told, shelves } = desk(connection);
    expect(await keeping.remove(CONVERSATION)).toBe(false);
    expect(told).toEqual(['error: Something runs in this conversation']);
    expect(shelves).toEqual([]);
  });
});
