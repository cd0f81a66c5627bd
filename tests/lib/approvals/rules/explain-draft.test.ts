/** What was explained is explained again as the rules are by now, whatever the form says meanwhile. */
import { expect, it } from 'vitest';
import { ExplainDraft } from '#lib/approvals/rules/explain-draft.svelte.ts';
import { FakeConnection } from '../../support/fake-connection.ts';

it('explains the last explained call again, and sends no request before a first explanation', async () => {
  let effect: 'ask' | 'allow' = 'ask';
  const connection = new FakeConnection().on('permissions.explain', () => ({
    effect,
    ruleId: 'default',
    reason: '',
    steps: [],
  }));
  const draft = new ExplainDraft(connection);
  await draft.again();
  expect(connection.calls).toEqual([]);
  draft.values = { path: 'a.md' };
  await draft.explain('/x');
  draft.values = { path: 'b.md' };
  effect = 'allow';
  await draft.again();
  expect(draft.verdict).toMatchObject({ effect: 'allow' });
  expect(draft.explained?.input).toEqual({ path: 'a.md' });
  expect(connection.calls.map(({ input }) => input)).toEqual([connection.calls[0]?.input, connection.calls[0]?.input]);
});
