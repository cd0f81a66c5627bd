/** What decides about a question is asked for once, however often its state comes anew. */
import { expect, it } from 'vitest';
import { Explained } from '#lib/app/explained.svelte.ts';
import { FakeConnection } from '../support/fake-connection.ts';

const call = (path: string) => ({ agent: 'lead', tool: 'read_file', input: { path } });

it('requests the verdict of a call once, of another call anew, and again after a failure', async () => {
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
  void explained.ask(null);
  expect(explained.verdict, 'there is no call any more').toBeNull();
  await explained.ask(call('b'));
  fails = true;
  const failing = explained.ask(call('c'));
  expect(explained.verdict, 'that of another call is not told').toBeNull();
  await failing;
  expect(explained.failure).not.toBeNull();
  fails = false;
  await explained.ask(call('c'));
  expect([explained.failure, explained.verdict?.reason]).toEqual([null, '{"path":"c"}']);
  expect(connection.calls).toHaveLength(5);
});

it('ignores a late answer to an earlier request', async () => {
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

it('repeats the request when rules may differ, keeps the old verdict until then, and drops it on failure', async () => {
  const answers: PromiseWithResolvers<string>[] = [];
  const connection = new FakeConnection().on('permissions.explain', async () => {
    const answer = Promise.withResolvers<string>();
    answers.push(answer);
    return { effect: 'ask', ruleId: 'default', reason: await answer.promise, steps: [] };
  });
  const explained = new Explained(connection);
  await explained.again();
  expect(answers, 'nothing was asked').toHaveLength(0);
  const first = explained.ask(call('a'));
  const again = explained.again();
  answers[1]!.resolve('as rules are now');
  answers[0]!.resolve('as rules were');
  await Promise.all([first, again]);
  expect(explained.verdict?.reason).toBe('as rules are now');
  const third = explained.again();
  expect(explained.verdict?.reason).toBe('as rules are now');
  answers[2]!.reject(new Error('not now'));
  await third;
  expect([explained.verdict, explained.failure === null]).toEqual([null, false]);
  void explained.again();
  expect(connection.calls.at(-1)?.input).toEqual(call('a'));
});
