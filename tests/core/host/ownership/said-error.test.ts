/** What an error says as keys and values goes over a bridge with its English. */
import { expect, test } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Client } from '#contract/rpc.ts';
import { saidError } from '#core/base/errors.ts';
import { serveFrames } from '#core/host/ownership/frame-server.ts';

test('sends the phrases of an error to the client', async () => {
  const says = [phrase('undone_together')];
  const client = { request: () => Promise.reject(saidError('conflict', says)) } as unknown as Client;
  const sent = Promise.withResolvers<unknown>();
  const link = { send: (frame: unknown) => sent.resolve(frame), backlog: () => 0 };
  const server = serveFrames(link, client, () => undefined);
  server.receive({ kind: 'request', id: 1, method: 'change.list', input: {} });
  expect(await sent.promise).toMatchObject({ id: 1, reply: { ok: false, error: { code: 'conflict', says } } });
  server.close();
});
