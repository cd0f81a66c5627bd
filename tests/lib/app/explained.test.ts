/** What decides about a question is asked for once, however often its state comes anew. */
import { expect, it } from 'vitest';
import { Explained } from '#lib/app/explained.svelte.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const call = (path: string) => ({ agent: 'lead', tool: 'read_file', input: { path } });

it('asks about a call once, about another anew, and again where it failed', async () => {
  let fails = false;
  const connection = new FakeConnection().on('permissions.explain', ({ input }) => {
    if (fails) throw new Error('not now');
    return { effect: 'ask', ruleId: 'default', reason: JSON.stringify(input), steps: [] };
  });
  const explained = new Explained(connection);
  await explained.ask(null);
  await Promise.all([explained.ask(call('a')), explained.ask(call('a'))]);
  expect(connection.calls).toHaveLength(1);
  await explained.ask(call('b'));
  expect(explained.verdict?.reason).toBe('{"path":"b"}');
  fails = true;
  await explained.ask(call('c'));
  expect(explained.failure).not.toBeNull();
  fails = false;
  await explained.ask(call('c'));
  expect([explained.failure, explained.verdict?.reason]).toEqual([null, '{"path":"c"}']);
  expect(connection.calls).toHaveLength(4);
});

it('a late answer is not that of what was asked since', async () => {
  const answers: ((reason: string) => void)[] = [];
  const connection = new FakeConnection().on('permissions.explain', async () => {
    const reason = await new Promise<string>((resolve) => answers.push(resolve));
    return { effect: 'ask', ruleId: 'default', reason, steps: [] };
  });
  const explained = new Explained(connection);
  const both = Promise.all([explained.ask(call('a')), explained.ask(call('b'))]);
  answers[1]!('second');
  answers[0]!('first');
  await both;
  expect(explained.verdict?.reason).toBe('second');
});
