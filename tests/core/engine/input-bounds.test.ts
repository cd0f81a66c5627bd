/** What clients send is bounded at the door: an error of input, in one sentence, before anything is done. */
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';

test('an address with a name and password in it is refused, and the sentence says where the key belongs', async () => {
  const { runtime } = await startEngine(plainAnswer());
  const baseUrl = 'https://ada:s3cret@models.example';
  await expect(runtime.request('provider.set', { baseUrl })).rejects.toMatchObject({
    ...{
      code: 'bad_input',
      message: expect.stringContaining('the key belongs into the key field') as string,
    },
  });
});

test('events after one that no conversation can have are refused as input', async () => {
  const { runtime, conversationId } = await startEngine(plainAnswer());
  const after = Number.MAX_SAFE_INTEGER;
  await expect(runtime.request('conversation.events', { conversationId, after })).rejects.toMatchObject({
    code: 'bad_input',
  });
  expect(await runtime.request('conversation.events', { conversationId, after: 2 ** 52 })).toEqual([]);
});
