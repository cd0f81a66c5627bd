/** An agent's questions at the terminal: numbers, words, skipped ones, and the end of the terminal. */
import { expect, test } from 'vitest';
import type { Approval, PersonQuestion } from '#contract/approval.ts';
import { createAsker } from '#hosts/cli/follow/asker.ts';
import { decision, spawnRequest } from '../../support/events.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo, typing } from '../../support/memory-io.ts';

const questions: PersonQuestion[] = [
  {
    question: 'Which parser stays?',
    kind: 'single',
    choices: [
      { label: 'The old one', description: 'slow' },
      { label: 'The new one', description: null },
    ],
  },
  {
    question: 'Which formats?',
    kind: 'multiple',
    choices: ['YAML', 'TOML', 'JSON'].map((label) => ({ label, description: null })),
  },
  { question: 'What is it called?', kind: 'text', choices: [] },
];

/** What is sent, and what stood on the terminal, when these lines are typed. */
async function typed(...lines: (string | null)[]) {
  const client = memoryClient({ 'approval.decide': () => decision() });
  const terminal = typing(lines);
  const request = spawnRequest({ subject: { kind: 'questions', questions, folder: '/home/ada', hash: 'h' } });
  const approval: Approval = { request, decisions: [null] };
  createAsker(client, terminal, memoryIo({ client }).screen, () => true).update([approval]);
  await expect.poll(() => client.requests).toHaveLength(1);
  const [sent] = client.requests;
  return { answer: (sent?.input as { answer: unknown } | undefined)?.answer, shown: terminal.shown() };
}

test('a number selects a choice, other text is sent as text, and an empty line skips the question', async () => {
  const { answer, shown } = await typed('2', ' 1, 3 ', '');
  expect(answer).toEqual({
    kind: 'reply',
    replies: [{ chosen: ['The new one'], words: '' }, { chosen: ['YAML', 'JSON'], words: '' }, null],
  });
  expect(shown).toContain('1. Which parser stays?');
  expect(shown).toContain('     1  The old one — slow');
  expect(shown).not.toContain('Allow?');
});

test('asks again after a number without a choice; for a text question a number is text', async () => {
  const { answer, shown } = await typed('3', 'both', 'CSV', '42');
  expect(answer).toEqual({
    kind: 'reply',
    replies: [
      { chosen: [], words: 'both' },
      { chosen: [], words: 'CSV' },
      { chosen: [], words: '42' },
    ],
  });
  expect(shown).toContain('There are the numbers 1 to 2');
});

test('a closed terminal rejects the questions', async () => {
  expect((await typed('1', null)).answer).toMatchObject({ kind: 'reject' });
});
