/** Questions of the protocol: all that a yes would allow is in their words, and each answer is what was chosen. */
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '#contract/approval.ts';
import { answerOf, chosenOf, requestOf } from '#hosts/acp/question.ts';
import { childId, conversationId, envelope, spawnRequest } from '../support/events.ts';

const words = (request: ApprovalRequest) => {
  const [first] = requestOf({ approval: { request, decisions: [null] }, item: 0 }, null).toolCall.content ?? [];
  return first && 'content' in first && 'text' in first.content ? first.content.text : '';
};
const spawning = (change: Partial<typeof envelope>, title = 'review one file') =>
  spawnRequest({
    subject: {
      kind: 'envelopes',
      operation: 'spawn',
      items: [{ runId: childId, title, envelope: { ...envelope, ...change }, hash: 'h' }],
    },
  });

test('a sub-agent question shows every setting in full, and no text in it can hide or leave its block', () => {
  const { prompt: _, stages: _none, ...stage } = envelope;
  const asked = words(
    spawning({
      prompt: `# Not a heading\n\`\`\`\n${'x'.repeat(30_000)}\nthe end of the prompt\u202e`,
      mcpServers: ['tracker'],
      limits: { ...envelope.limits, budget: { tokens: 5000 } },
      stages: [{ ...stage, agent: 'checker', systemPrompt: 'You check it all.' }],
    }),
  );
  for (const setting of ['tracker', '5000 tokens', 'checker', 'You check it all.', 'the end of the prompt'])
    expect(asked).toContain(setting);
  expect(asked).not.toContain('\u202e');
  // One block, which nothing in it ends.
  expect(asked).toMatch(/^````\n[^]*\n````$/);
  const { toolCall } = requestOf({ approval: { request: spawning({}, 'a\u202eb'), decisions: [null] }, item: 0 }, null);
  expect(toolCall.title).toMatch(/^code-reviewer: a[^\u202e]+b$/);
});

test.for(['low', 'medium', 'high'] as const)('names a %s risk in the text and in the metadata', (risk) => {
  const request = { ...spawning({}), risk };
  expect(words(request)).toMatch(new RegExp(`^ +risk +${risk}`, 'm'));
  const { _meta } = requestOf({ approval: { request, decisions: [null] }, item: 0 }, null);
  expect(_meta).toMatchObject({ triad: { risk, envelope } });
});

test('a call without a preview shows its whole input, and a call with a diff shows the diff', () => {
  const tool = (more: object) =>
    spawnRequest({
      chain: ['user', 'lead', 'helper'],
      subject: { kind: 'tool', tool: 'bash', folder: '/w', preview: null, hash: 'h', input: {}, ...more },
    });
  const command = `echo ${'x'.repeat(30_000)}; rm -r tail`;
  expect(words(tool({ input: { command } }))).toContain('rm -r tail');
  const preview = { path: 'a.txt', diff: '@@ -0,0 +1 @@\n+one', added: 1, removed: 0, created: true };
  const request = tool({ tool: 'write_file', input: { path: 'a.txt' }, preview });
  const { toolCall, sessionId } = requestOf({ approval: { request, decisions: [null] }, item: 0 }, 'Not like that');
  expect(sessionId).toBe(conversationId);
  expect(toolCall.content).toMatchObject([
    { content: { text: 'Not like that' } },
    { content: { text: expect.stringMatching(/lead → helper[^]*a\.txt \(new file, \+1 −0\)/) as string } },
    { type: 'diff', path: '/w/a.txt', oldText: null, newText: 'one' },
  ]);
  const note = { ...preview, diff: 'a.txt is too large to show', whole: false as const };
  expect(words(tool({ tool: 'write_file', preview: note }))).toContain('too large to show');
});

test('each option maps to its answer, together with the reason, edit or grant beside it', () => {
  const request = spawnRequest({
    options: [
      { id: 'allow', name: 'Allow once', kind: 'allow_once' },
      { id: 'allow_project', name: 'Always', kind: 'allow_always' },
      { id: 'reject', name: 'Reject', kind: 'reject_once' },
      { id: 'never', name: 'Never', kind: 'reject_always' },
    ],
    grant: { tool: 'bash', pattern: 'make *', scopes: ['project'], agent: 'lead' },
  });
  const item = { approval: { request, decisions: [null] }, item: 0 };
  const { options } = requestOf(item, null);
  const answer = (optionId: string, triad?: object) =>
    answerOf(item, chosenOf({ options }, { outcome: { outcome: 'selected', optionId }, _meta: { triad } }));
  expect(options[1]?.name).toBe('Always: bash on make *');
  expect(answer('allow')).toEqual({ kind: 'allow' });
  expect(answer('allow_project')).toEqual({ kind: 'allow', grant: { scope: 'project', pattern: 'make *' } });
  expect(answer('reject', { reason: 'Not now', edit: { prompt: 'x' } })).toEqual({ kind: 'reject', reason: 'Not now' });
  expect(answer('never', { reason: 5 })).toEqual({ kind: 'reject', reason: '' });
  expect(answer('allow', { edit: { agent: 'other' } })).toMatchObject({ kind: 'edit', value: { agent: 'other' } });
  expect(answerOf(item, chosenOf({ options }, { outcome: { outcome: 'cancelled' } }))).toMatchObject({
    kind: 'reject',
  });
});
