// Going on elsewhere: a fork is made, the message goes there with its pictures and choices, and nothing that was written is lost.
import { expect, it } from 'vitest';
import { Forks } from '#lib/app/forks.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';

const { conversation } = new Rows().snapshot();
const image = { mediaType: 'image/png' as const, bytes: 3, width: 1, height: 1, sha256: 'a'.repeat(64) };
const turn = { id: 'workflow', conversationId: 'first', images: [image], chosen: { model: 'large' } };

function forks(connection: FakeConnection) {
  const told: string[] = [];
  const nothing = (): void => undefined;
  const toasts = { info: nothing, error: (message: string) => void told.push(message), offer: nothing };
  return { forks: new Forks(connection, toasts, () => void told.push('made')), told };
}

it('resends a message with its pictures to a fork that ends before it', async () => {
  const connection = new FakeConnection()
    .on('conversation.fork', () => conversation)
    .on('call.image', () => ({ data: 'AAAA' }))
    .on('message.send', () => ({ workflowId: 'w', runId: 'r', queued: false }));
  const { forks: made, told } = forks(connection);
  const sentAs = expect.any(String) as string;
  expect(await made.resend(turn, 'Again')).toEqual({ id: conversation.id, sent: true, sentAs });
  expect(connection.calls).toEqual([
    { method: 'conversation.fork', input: { conversationId: 'first', workflowId: 'workflow', end: 'before' } },
    { method: 'call.image', input: { conversationId: 'first', sha256: image.sha256 } },
    {
      method: 'message.send',
      input: {
        conversationId: conversation.id,
        text: 'Again',
        via: 'app',
        sentAs,
        model: 'large',
        images: [{ mediaType: 'image/png', data: 'AAAA' }],
      },
    },
  ]);
  expect(told).toEqual(['made', 'made']);
});

it('reports why a message was not forked or not sent', async () => {
  const refused = (): never => {
    throw new RequestError('conflict', 'It is in the trash');
  };
  const none = forks(new FakeConnection().on('conversation.fork', refused));
  expect(await none.forks.resend(turn, 'Again')).toBeNull();
  expect(none.told).toEqual(['It is in the trash']);
  const unsent = forks(
    new FakeConnection()
      .on('conversation.fork', () => conversation)
      .on('call.image', () => ({ data: 'AAAA' }))
      .on('message.send', refused),
  );
  expect(await unsent.forks.resend(turn, 'Again')).toMatchObject({ id: conversation.id, sent: false });
  expect(unsent.told).toEqual(['made', 'It was forked, and your message was not sent: It is in the trash']);
});

it('forks at a step, and continues only on request', async () => {
  const connection = new FakeConnection().on('conversation.fork', () => conversation);
  const { forks: made, told } = forks(connection);
  const run = { conversationId: 'first', workflowId: 'workflow' };
  const step = { runId: 'run', entry: 4 };
  expect(await made.forkAtStep(run, step, true)).toBe(conversation.id);
  expect(await made.forkAtStep(run, step, false)).toBe(conversation.id);
  expect(connection.calls.map(({ input }) => input)).toEqual([
    { ...run, ...step, goOn: true },
    { ...run, ...step, goOn: false },
  ]);
  expect(told).toEqual(['made', 'made']);
});

it('uses one step number in the title of a fork and in its mark', () => {
  const from = { conversationId: 'c', title: 'T', workflowId: 'w', last: null, message: 1 };
  const step = { runId: 'r', entry: 3 };
  const titles = [{ entry: 3 }, { step }].map((at) => text.turn.forkOf('T', { ...from, ...at }));
  expect([...new Set(titles)]).toEqual(['Step 3 of “T” (fork)']);
  expect(text.turn.forkOf('T', from)).toBe('Message 1 of “T” (fork)');
  const marks = [{ upTo: 3 }, { step }].map((at) => text.turn.forked({ end: 'after', ...at }));
  expect([...new Set(marks)]).toEqual(['Forked at step 3 of this']);
  expect(text.turn.forked({ end: 'before' })).toBe('Forked before this');
  expect(text.turn.forked({ end: 'before', step: { runId: 'r' } })).toBe('Forked to run a sub-agent again');
});

it('labels the link to the rerun and the link to the first run', () => {
  expect(text.again.compare).toEqual({ first: 'Compare with the rerun', again: 'Compare with the first' });
});
