/** The work of a client of another process is known by name, however it was started, so that the owner waits for it. */
import { expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { guestOf } from '#core/host/ownership/guest.ts';

const workflowId = '01957a10-0000-7000-8000-000000000001';
const runId = '01957a10-0000-7000-8000-000000000002';

test.each([
  ['message.send', { conversationId: runId, text: 'Go' }],
  ['workflow.resume', { workflowId }],
  ['workflow.extend', { workflowId, add: { tokens: 1 }, seen: {} }],
  ['run.extend', { runId, add: { tokens: 1 }, seen: {} }],
  ['run.retry', { runId }],
] as const)('%s', async (method, input) => {
  const runtime = {
    request: () => Promise.resolve({ workflowId }),
    subscribe: () => Promise.resolve(() => undefined),
  } as unknown as Client;
  const guest = guestOf(runtime, '/folder');
  await guest.client.request(method, input);
  expect([...guest.workflows]).toEqual([workflowId]);
});
