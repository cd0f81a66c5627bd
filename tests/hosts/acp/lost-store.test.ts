/** Where the store cannot be written any more the agent ends, and whoever started it is told why. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { memoryClient } from '../support/memory-client.ts';
import { memoryIo } from '../support/memory-io.ts';

const taken = new TriadError('store_failed', 'The lease was taken');
const inUse = new TriadError('conflict', 'The store is in use');

/** An agent that has answered a request; `isOwner`: it does the work itself, else a process that then ends. */
async function answering(isOwner: boolean) {
  const io = memoryIo({ client: memoryClient() });
  const stdin = new PassThrough();
  const connect = async () => {
    if (io.opened.length > 0) throw inUse;
    return { ...(await io.connect({ works: true })), owner: isOwner };
  };
  const ended = io.run(['acp'], { stdin, connect });
  for (const [id, method, params] of [
    [1, 'initialize', { protocolVersion: 1 }],
    [2, 'session/list', {}],
  ])
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  await expect.poll(() => io.out()).toContain('"id":2');
  return { io, ended };
}

test('an agent that owns the store ends with the error when the store is lost', async () => {
  const { io, ended } = await answering(true);
  io.fail(taken);
  expect([await ended, io.err()]).toEqual([1, 'triad: The lease was taken\n']);
  expect(io.opened).toEqual([{ closed: true }]);
});

test('an agent ends with the error when the owner has ended and the store is in use', async () => {
  const { io, ended } = await answering(false);
  io.fail(taken);
  expect(await ended).toBe(1);
  expect(io.err()).toContain('triad: The store is in use\n');
});
