/** A rule that is marked as one that never decides never does, whatever the call. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rule } from '#contract/permission.ts';
import { judge } from '#core/approvals/judge.ts';
import { shadowedIn } from '#core/approvals/shadowed.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { samples } from '../../support/samples.ts';
import { actionOf, NOW, ruleOf } from './support.ts';

const word = fc.constantFrom('*', '**', 'a', 'A', 'a*', 'b', 'a/**');
const rule = fc
  .record({
    scope: fc.constantFrom('user' as const, 'project' as const),
    effect: fc.constantFrom('deny' as const, 'ask' as const, 'allow' as const),
    agent: fc.option(word),
    about: fc.oneof(
      fc.record({ tool: word, permission: fc.constant(null) }),
      fc.record({
        tool: fc.constant(null),
        permission: fc.constantFrom('Execute' as const, 'FilesystemWrite' as const),
      }),
    ),
    pattern: fc.option(word),
  })
  .map(({ about, ...rest }) => ({ ...rest, ...about }));
const target = fc.constantFrom('a', 'A', 'b', 'a/b', 'A/b', 'Makefile');
const action = fc
  .record({
    agent: fc.constantFrom('a', 'A', 'b'),
    temporary: fc.boolean(),
    tool: fc.constantFrom('a', 'A', 'b', 'ab'),
    like: fc.option(fc.constant('b'), { nil: undefined }),
    permissions: fc.subarray(['Execute', 'FilesystemWrite'] as const),
    targets: fc.option(
      fc.record({
        values: fc.array(target, { maxLength: 2 }),
        path: fc.boolean(),
        each: fc.constantFrom(undefined, true),
      }),
    ),
    asks: fc.boolean(),
    reversible: fc.boolean(),
    nameable: fc.boolean(),
  })
  .map(({ temporary, targets, ...rest }) => {
    const whole = targets && {
      values: targets.values,
      path: targets.path,
      ...(targets.each ? { each: true as const } : {}),
    };
    return actionOf({ ...rest, targets: whole, scope: temporary ? `spawned:${rest.agent}` : rest.agent });
  });

/** As they are judged: the person's, then the project's, each numbered. */
function numbered(parts: readonly Partial<Rule>[]): Rule[] {
  const of = (scope: Rule['scope']) =>
    parts.filter((one) => one.scope === scope).map((one, index) => ruleOf({ ...one, id: `${scope}:${index + 1}` }));
  return [...of('user'), ...of('project')];
}

test('a rule that is marked as shadowed never decides a call', () => {
  let marked = 0;
  fc.assert(
    fc.property(fc.array(rule, { minLength: 2, maxLength: 5 }), action, (parts, call) => {
      const rules = numbered(parts);
      const never = new Set(shadowedIn(rules).map(({ id }) => id));
      marked += never.size;
      const { ruleId } = judge(call, { rules, faults: [], alwaysAsk: NO_FILES }, [], NOW);
      expect(never.has(ruleId)).toBe(false);
    }),
    samples(200, 20_000),
  );
  expect(marked).toBeGreaterThan(10);
});

test('reports common shadowed rules with the rule that overrides them', () => {
  const found = (...parts: Partial<Rule>[]) => shadowedIn(numbered(parts.map((one) => ({ scope: 'user', ...one }))));
  const allow = { effect: 'allow', tool: 'write_file', pattern: 'docs/**' } as const;
  expect(found(allow, { effect: 'deny', tool: '*' })).toEqual([{ id: 'user:1', by: 'user:2' }]);
  expect(found(allow, { effect: 'ask', tool: 'write_file' })).toEqual([{ id: 'user:1', by: 'user:2' }]);
  expect(found(allow, { ...allow, effect: 'ask', scope: 'project' })).toEqual([{ id: 'user:1', by: 'project:1' }]);
  expect(found(allow, allow)).toEqual([{ id: 'user:2', by: 'user:1' }]);
  expect(found(allow, { effect: 'deny', tool: 'write_file', pattern: 'docs/a/**' })).toEqual([]);
  expect(found({ effect: 'ask', tool: '*' }, { ...allow, scope: 'project' })).toEqual([]);
  // In another case of letters, what asks is about more than what allows.
  expect(found({ ...allow, effect: 'ask' }, { ...allow, scope: 'project' })).toEqual([]);
  // What allows in the project, but not this call, hides neither what asks nor what names tool and pattern.
  const all = { effect: 'allow', tool: '*', scope: 'project' } as const;
  expect(found({ effect: 'ask', tool: 'delegate_task' }, all)).toEqual([]);
  expect(found({ effect: 'allow', tool: 'delegate_task', pattern: 'helper' }, all)).toEqual([]);
  expect(found({ effect: 'allow', tool: 'write_file' }, all)).toEqual([{ id: 'user:1', by: 'project:1' }]);
  // Only the one that names tool and pattern allows what cannot be undone.
  expect(found({ effect: 'allow', tool: '*' }, { effect: 'allow', tool: 'bash', pattern: '**' })).toEqual([]);
});
