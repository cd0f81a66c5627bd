// A message is sent once: whoever leaves its box, comes back, presses twice or loses the connection.
import { beforeEach, expect, it, vi } from 'vitest';
import { App } from '#lib/app/app.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import type { Attachment } from '#lib/app/attachments/attachment.ts';
import type { KeptAttachments } from '#lib/app/attachments/kept-attachments.ts';
import { changeDraft, type Send, Unsent } from '#lib/chat/composer/unsent.svelte.ts';
import { readDraft } from '#lib/app/message-drafts.ts';
import { FakeConnection, settled } from '../../support/fake-connection.ts';
import { storage } from '../../support/storage.ts';
import { conversationId } from '../../../support/recording.ts';

beforeEach(() => void vi.stubGlobal('localStorage', storage()));

const note: Attachment = { kind: 'text', id: 'a1', name: 'a.md', size: 1, text: 'A', pages: null };

function memory(...attached: Attachment[]): KeptAttachments {
  let kept: readonly Attachment[] = attached;
  return { read: async () => [...kept], write: async (_key, all) => void (kept = all) };
}

/** `arrived`: ids of the messages that the host has. */
function open(kept = memory()) {
  const [warned, arrived]: [string[], string[]] = [[], []];
  const toasts = { info: () => undefined, error: (line: string) => void warned.push(line), offer: () => undefined };
  const connection = new FakeConnection()
    .on('conversation.list', () => ({ items: [], next: null }))
    .on('conversation.snapshot', () => ({ workflows: arrived.map((sentAs) => ({ sentAs })) }) as never);
  const app = new App(connection, toasts);
  return { make: () => Unsent.of(conversationId, app, kept), warned, arrived };
}

/** Each try waits until it is let go. */
function sender() {
  const ids: (string | undefined)[] = [];
  let gate = Promise.withResolvers<void>();
  const send: Send = (_message, { sentAs }) => {
    ids.push(sentAs);
    gate = Promise.withResolvers();
    return gate.promise;
  };
  return { send, ids, go: () => gate.resolve(), lose: () => gate.reject(new RequestError('disconnected', 'Lost')) };
}

it('sends one message on two presses, also after the box is left and reopened', async () => {
  const { make } = open();
  const { send, ids, go } = sender();
  const first = make();
  first.draft.write('Look');
  const sent = first.submit(send, {});
  void first.submit(send, {});
  const back = make();
  expect([back.draft.text, back.sending, back.isEmpty]).toEqual(['', true, true]);
  back.draft.write('Then');
  void back.submit(send, {});
  // As the palette does where no box is on the screen.
  changeDraft(conversationId, (draft) => `${draft} that`);
  await settled();
  go();
  await sent;
  expect(ids).toHaveLength(1);
  expect([back.draft.text, readDraft(conversationId), make().draft.text]).toEqual([
    'Then that',
    'Then that',
    'Then that',
  ]);
});

it('reports a failed message while its box is not visible, and restores its text', async () => {
  const { make, warned } = open();
  const { send, lose } = sender();
  const first = make();
  first.draft.write('Look');
  const sent = first.submit(send, {});
  await settled();
  lose();
  await sent;
  expect(warned).toEqual(['Not sent: Lost']);
  expect([make().draft.text, first.failure?.code]).toEqual(['Look', 'disconnected']);
});

it('sends a message without a reply again under its first id, or drops it once it is known to have arrived', async () => {
  const { make, arrived } = open(memory(note));
  const { send, ids, lose } = sender();
  const unsent = make();
  await unsent.attachments.settled;
  unsent.draft.write('Look');
  for (let time = 0; time < 2; time++) {
    const sent = unsent.submit(send, {});
    await settled();
    lose();
    await sent;
  }
  expect([new Set(ids).size, unsent.draft.text, unsent.attachments.all.length]).toEqual([1, 'Look', 1]);
  expect(await unsent.look(false), 'nobody has it').toBeNull();
  expect(unsent.draft.text).toBe('Look');

  arrived.push(ids[0] ?? '');
  const reloaded = make();
  expect(reloaded.draft.text).toBe('Look');
  expect(await reloaded.look(false), 'nothing was told here').toBeNull();
  expect([reloaded.draft.text, reloaded.attachments.all, readDraft(conversationId)]).toEqual(['', [], '']);
  expect(await unsent.look(false)).toBe(conversationId);
  expect([unsent.draft.text, unsent.attachments.all, unsent.failure]).toEqual(['', [], null]);
});
