/** One answer for all questions of a conversation, except about limits. */
import { expect, test } from 'vitest';
import { answerQuestions } from '#hosts/cli/follow/answers.ts';
import { asked, conversationId, decision, spawnRequest } from '../../support/events.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo } from '../../support/memory-io.ts';

test('a yes to everything extends no limit', async () => {
  const client = memoryClient({ 'approval.decide': () => decision() });
  const bound = { of: 'workflow', name: 'costUsd', value: 10 } as const;
  const limit = spawnRequest({
    subject: { kind: 'limit', bound, add: { costUsd: 10 }, folder: '/w', hash: 'h' },
  });
  const yes = { kind: 'allow', confirmed: true } as const;
  await answerQuestions(client, memoryIo({ client }).screen, yes, conversationId);
  client.emit('attention', { questions: [asked(), asked(limit)], asleep: [], running: [] });
  await expect
    .poll(() => client.requests.map(({ input }) => (input as { answer: object }).answer))
    .toEqual([yes, { kind: 'reject', reason: '' }]);
});
