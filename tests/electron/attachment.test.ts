/** The runtime behind the windows: which one it is, that pages are told, and that none stays open behind a quit. */
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { Attachment } from '../../electron/attachment.ts';

type Connected = Awaited<ReturnType<ConstructorParameters<typeof Attachment>[0]['connect']>>;

/** One runtime after the other, each opened by the test. */
function desk() {
  const done: string[] = [];
  const asked: PromiseWithResolvers<Connected>[] = [];
  const signals: AbortSignal[] = [];
  const names = new Map<unknown, string>();
  const attachment = new Attachment({
    connect: (signal) => {
      signals.push(signal);
      const opening = Promise.withResolvers<Connected>();
      asked.push(opening);
      return opening.promise;
    },
    use: (client) => void done.push(client === null ? 'none' : `uses ${names.get(client)}`),
  });
  const runtime = (name: string, owner = true) => {
    const lost = new AbortController();
    const close = async () => void done.push(`closes ${name}`);
    // Nothing is asked of it.
    const client = {} as Client;
    names.set(client, name);
    return { lost, connected: { client, owner, lost: lost.signal, close } };
  };
  return { attachment, asked, signals, done, runtime };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a runtime that connects after a quit is closed and never given to the pages', async () => {
  const { attachment, asked, signals, done, runtime } = desk();
  const running = attachment.run();
  const closing = attachment.close();
  expect(signals[0]?.aborted).toBe(true);
  asked[0]?.resolve(runtime('first').connected);
  await Promise.all([running, closing]);
  expect(done).toEqual(['closes first']);
});

test('a quit completes when the pending connection fails', async () => {
  const { attachment, asked } = desk();
  const running = attachment.run();
  const closing = attachment.close();
  asked[0]?.reject(new Error('The signal said so'));
  await expect(Promise.all([running, closing])).resolves.toBeDefined();
});

test('after the owning program ends, the pages lose the runtime and get the next one', async () => {
  const { attachment, asked, done, runtime } = desk();
  const running = attachment.run();
  const first = runtime('first', false);
  asked[0]?.resolve(first.connected);
  await settle();
  expect(attachment.isOwner).toBe(false);
  first.lost.abort();
  await settle();
  asked[1]?.resolve(runtime('second').connected);
  await settle();
  expect(attachment.isOwner).toBe(true);
  await attachment.close();
  await running;
  expect(done).toEqual(['uses first', 'none', 'closes first', 'uses second', 'none', 'closes second']);
});

test('a write failure in the own store ends the attachment with that reason', async () => {
  const { attachment, asked, runtime } = desk();
  const running = attachment.run();
  const first = runtime('first');
  asked[0]?.resolve(first.connected);
  await settle();
  first.lost.abort(new Error('The disk is full'));
  await expect(running).rejects.toThrow('The disk is full');
});
