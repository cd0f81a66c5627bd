/** What clients send is bounded at the door: an error of input, in one sentence, before anything is done. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

test('rejects a provider URL with a name and password and says where the key belongs', async () => {
  const { runtime } = await start(plainAnswer());
  const baseUrl = 'https://ada:s3cret@models.example';
  await expect(runtime.request('provider.set', { baseUrl })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('the key belongs into the key field') as string,
  });
});

test('rejects invalid input with a sentence about the given value', async () => {
  const { runtime, conversationId } = await startEngine(plainAnswer());
  const workflowId = conversationId;
  const refused = (asked: Promise<unknown>, message: string) =>
    expect(asked).rejects.toMatchObject({ code: 'bad_input', message });
  await refused(
    runtime.request('message.send', { conversationId, text: ' ' }),
    'The text is empty: write what the lead should do',
  );
  await refused(
    runtime.request('workflow.extend', { workflowId, add: { tokens: 2e12 }, seen: {} }),
    'The number of tokens is more than a limit may be: at most 1,000,000,000,000',
  );
  await refused(
    runtime.request('workflow.extend', { workflowId, add: { minutes: -1 }, seen: {} }),
    'The number of minutes must be more than 0, not -1',
  );
  const apiKey = 'sk-'.repeat(500);
  await refused(runtime.request('provider.set', { apiKey }), 'The key must have at most 1000 characters');
});

test('rejects an event number that is too large as bad input', async () => {
  const { runtime, conversationId } = await start(plainAnswer());
  const after = Number.MAX_SAFE_INTEGER;
  await expect(runtime.request('conversation.events', { conversationId, after })).rejects.toMatchObject({
    code: 'bad_input',
  });
  expect(await runtime.request('conversation.events', { conversationId, after: 2 ** 52 })).toEqual([]);
});
