// A rule says in the list of rules where it does less than one would think.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import RuleTable from '#lib/approvals/rules/rule-table.svelte';
import { text } from '#lib/words/text.ts';
import { ruleOf } from '../../../core/approvals/support.ts';

const nothing = (): void => undefined;

it('marks a rule for a tool that starts sub-agents but names no agent', () => {
  const rules = ['delegate_task', 'edit_file'].map((tool, at) =>
    ruleOf({ id: `user:${at + 1}`, effect: 'allow', tool }),
  );
  const file = { scope: 'user', file: '/config.toml', hash: null, rules, trusted: true, fault: null } as const;
  const props = { files: [file], shadowed: [], startsNothing: ['user:1'], decided: null, looked: 0, folder: '/x' };
  const html = render(RuleTable, { props: { ...props, onedit: nothing, onremove: nothing, onmove: nothing } }).body;
  const marked = html.split('<tr').filter((row) => row.includes(text.rules.startsNothing));
  expect(marked).toHaveLength(1);
  expect(marked[0]).toContain('delegate_task');
});
