/** Asking back at the terminal: what the agent says is shown, and the question is asked again. */
import { expect, test } from 'vitest';
import type { Approval, Context } from '#contract/approval.ts';
import { TriadError } from '#core/base/errors.ts';
import { createAsker } from '#hosts/cli/follow/asker.ts';
import { asked, decision } from '../../support/events.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo, typing } from '../../support/memory-io.ts';

const said: Context = {
  id: '01957a10-0000-7000-8000-000000000401',
  question: 'Why?',
  at: '2026-03-01T12:00:01.000Z',
  answer: 'Because of \u001b[2Jthe notes.',
  error: null,
};

test('? asks the agent, shows its answer without control characters, and asks the question again', async () => {
  const approval: Approval = asked();
  const client = memoryClient({
    'approval.ask': () => {
      // As the feed brings it: first without the answer, then with it.
      setImmediate(() => {
        asker.update([{ ...approval, context: [{ ...said, answer: null }] }]);
        asker.update([{ ...approval, context: [said] }]);
      });
      return {};
    },
    'approval.decide': () => decision(),
  });
  const terminal = typing(['?', ' Why? ', 'y']);
  const asker = createAsker(client, terminal, memoryIo({ client }).screen, () => true);
  asker.update([approval]);
  await expect.poll(() => client.requests).toHaveLength(2);
  expect(client.requests[0]).toMatchObject({ method: 'approval.ask', input: { question: 'Why?' } });
  expect(client.requests[1]).toMatchObject({
    method: 'approval.decide',
    input: { answer: { kind: 'allow' } },
  });
  expect(terminal.shown()).toMatch(/: Because of .*the notes\./);
  expect(terminal.shown()).not.toContain('\u001b[2J');
});

test('an empty question sends nothing, and a refused question shows why; neither answers the approval', async () => {
  const client = memoryClient({
    'approval.ask': () => {
      throw new TriadError('conflict', 'The agent still answers your last question: wait for it');
    },
    'approval.decide': () => decision(),
  });
  const terminal = typing(['?', '', '?', 'Why?', 'n', 'no']);
  createAsker(client, terminal, memoryIo({ client }).screen, () => true).update([asked()]);
  await expect.poll(() => client.requests).toHaveLength(2);
  expect(terminal.shown()).toContain('still answers your last question');
  expect(client.requests[1]).toMatchObject({ input: { answer: { kind: 'reject', reason: 'no' } } });
});
