/** Verdicts: deny over grants over asking over allowing, and nothing unknown is ever allowed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Permission } from '#contract/agent.ts';
import type { Grant, Rule } from '#contract/permission.ts';
import { type Action, ruleApplies, grantCovers, judge } from '#core/approvals/judge.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { actionOf, grantOf, NOW, ruleOf } from './support.ts';
import { samples } from '../../support/samples.ts';

const verdict = (action: Partial<Action>, rules: Rule[] = [], grants: Grant[] = []) =>
  judge(actionOf(action), { rules, faults: [], alwaysAsk: NO_FILES }, grants, NOW);

describe('the deciding rule', () => {
  const allow = ruleOf({ effect: 'allow', tool: 'write_file' });
  const ask = ruleOf({ effect: 'ask', permission: 'FilesystemWrite' });
  const deny = ruleOf({ effect: 'deny', tool: 'write_*', pattern: 'docs/**' });

  test('is the default without rules: a write requires approval, a read does not', () => {
    expect(verdict({})).toMatchObject({ effect: 'ask', ruleId: 'default' });
    expect(verdict({ permissions: ['FilesystemRead'], asks: false })).toMatchObject({ effect: 'allow' });
  });

  test('is the strictest one within a file, and a denial overrides a grant', () => {
    expect(verdict({}, [allow])).toMatchObject({ effect: 'allow', ruleId: allow.id });
    expect(verdict({}, [allow, ask])).toMatchObject({ effect: 'ask', ruleId: ask.id });
    expect(verdict({}, [allow, ask], [grantOf()])).toMatchObject({ effect: 'allow' });
    expect(verdict({}, [allow, ask, deny], [grantOf()])).toMatchObject({ effect: 'deny', ruleId: deny.id });
  });

  test('is the rule of the project between asking and allowing, and any denial wins', () => {
    const inProject = ruleOf({ id: 'project:1', scope: 'project', effect: 'allow', tool: 'write_file' });
    expect(verdict({}, [ask, inProject])).toMatchObject({ effect: 'allow', ruleId: 'project:1' });
    expect(verdict({}, [deny, inProject])).toMatchObject({ effect: 'deny', ruleId: deny.id });
    const asksInProject = { ...inProject, effect: 'ask' as const };
    expect(verdict({}, [allow, asksInProject])).toMatchObject({ effect: 'ask', ruleId: 'project:1' });
  });

  test('is a rule of the person if the project rule that allows is too general to start a sub-agent', () => {
    const start: Partial<Action> = {
      tool: 'delegate_task',
      starts: 'defined',
      permissions: [],
      targets: { values: ['helper'], path: false },
    };
    const all = ruleOf({ id: 'project:1', scope: 'project', effect: 'allow', tool: '*' });
    const own = ruleOf({ id: 'user:1', effect: 'allow', tool: 'delegate_task', pattern: 'helper' });
    const asks = ruleOf({ id: 'user:2', effect: 'ask', tool: 'delegate_task' });
    expect(verdict(start, [own, all])).toMatchObject({ effect: 'allow', ruleId: 'user:1' });
    expect(verdict(start, [own, asks, all])).toMatchObject({ effect: 'ask', ruleId: 'user:2' });
    expect(verdict({ ...start, mode: 'auto' }, [asks, all])).toMatchObject({ effect: 'ask', ruleId: 'user:2' });
    expect(verdict(start, [own, all, { ...all, id: 'project:2', effect: 'ask' }]).ruleId).toBe('project:2');
    expect(verdict(start, [own, { ...all, effect: 'deny' }]).effect).toBe('deny');
    // Less than a rule that names tool and pattern starts nobody who would not have been started before.
    const named: Partial<Action> = { ...start, tool: 'agent__helper', starts: 'named' };
    expect(verdict(named, [{ ...own, tool: 'agent__helper', pattern: null }, all]).effect).toBe('ask');
    expect(verdict(named, [{ ...own, tool: 'agent__helper' }, all])).toMatchObject({ ruleId: 'user:1' });
  });

  test('is the requirement of the agent definition over a rule that allows and over the mode', () => {
    const requires = ['FilesystemWrite'];
    expect(verdict({ requires, mode: 'auto' }, [allow])).toMatchObject({ ruleId: 'agent:requires_approval' });
    expect(verdict({ requires: ['grep'] }, [allow])).toMatchObject({ effect: 'allow' });
    expect(verdict({ requires }, [deny])).toMatchObject({ effect: 'deny' });
  });

  test('is the mode only if nothing else applies, and never for an irreversible call', () => {
    expect(verdict({ mode: 'selective' }).effect).toBe('ask');
    expect(verdict({ mode: 'selective', risk: 'low' })).toMatchObject({
      effect: 'allow',
      ruleId: 'mode:selective',
    });
    expect(verdict({ mode: 'auto', risk: 'high' })).toMatchObject({ effect: 'allow', ruleId: 'mode:auto' });
    expect(verdict({ mode: 'auto' }, [ask]).effect).toBe('ask');
    expect(verdict({ mode: 'auto', reversible: false }, [allow], [grantOf()]).effect).toBe('ask');
  });

  test('allows an irreversible command only if it belongs to the person and names tool and pattern', () => {
    const command: Partial<Action> = {
      tool: 'bash',
      permissions: ['Execute', 'FilesystemWrite'],
      reversible: false,
      mode: 'auto',
      targets: { values: ['npm test'], path: false },
    };
    const named = ruleOf({ effect: 'allow', tool: 'bash', pattern: 'npm *' });
    const grant = grantOf({ tool: 'bash', pattern: 'npm test' });
    const nameable = { ...command, nameable: true };
    expect(verdict(nameable).effect).toBe('ask');
    expect(verdict(nameable, [named]).effect).toBe('allow');
    expect(verdict(nameable, [], [grant]).effect).toBe('allow');
    for (const less of [{ tool: 'b*' }, { pattern: null }, { scope: 'project' as const }, { pattern: 'git *' }])
      expect(verdict(nameable, [{ ...named, ...less }]).effect, JSON.stringify(less)).toBe('ask');
    expect(verdict({ ...nameable, targets: null }, [named], [grant]).effect).toBe('ask');
    // Where it can reach everything, nothing but an answer allows it.
    expect(verdict(command, [named], [grant]).effect).toBe('ask');
  });

  test('allows a sub-agent only if it names tool and pattern, and a temporary one only if it belongs to the person', () => {
    const by = (tool: string, starts: Action['starts'], rule: Partial<Rule>, mode: Action['mode'] = 'manual') => {
      const targets = { values: starts === 'temporary' ? ['helper', 'spawned:helper'] : ['helper'], path: false };
      const rules = [ruleOf({ effect: 'allow', tool, pattern: '**', ...rule })];
      return verdict({ tool, starts, targets, permissions: [], mode }, rules);
    };
    expect(by('spawn_agent', 'temporary', {}).effect).toBe('allow');
    expect(by('delegate_task', 'defined', { pattern: 'helper' }).effect).toBe('allow');
    expect(by('delegate_task', 'defined', { scope: 'project' }).effect).toBe('allow');
    expect(by('agent__helper', 'named', { pattern: null }).effect).toBe('allow');
    for (const less of [{ tool: '*' }, { tool: 'spawn_*' }, { pattern: null }, { pattern: 'spawned:*' }])
      expect(by('spawn_agent', 'temporary', less).effect, JSON.stringify(less)).toBe('ask');
    expect(by('spawn_agent', 'temporary', { scope: 'project' })).toMatchObject({
      effect: 'ask',
      reason: expect.stringMatching(
        /temporary sub-agent is asked about unless a rule in your own file names/,
      ) as string,
    });
    expect(by('delegate_task', 'defined', { pattern: null })).toMatchObject({
      effect: 'ask',
      reason: 'The start of a sub-agent is asked about unless a rule names delegate_task and a pattern',
    });
    expect(by('agent__helper', 'named', { tool: 'agent__*' }).effect).toBe('ask');
    // The mode is another word of the person, and asking and denying need no name.
    expect(by('spawn_agent', 'temporary', { tool: '*' }, 'auto').ruleId).toBe('mode:auto');
    expect(by('spawn_agent', 'temporary', { tool: '*', effect: 'deny' }).effect).toBe('deny');
    expect(by('spawn_agent', 'temporary', { tool: '*', effect: 'ask' }, 'auto').effect).toBe('ask');
  });

  test('may be a different one for each part of a command, and each part needs a rule that allows it', () => {
    const does = (...values: string[]): Partial<Action> => {
      return {
        tool: 'bash',
        targets: { values, path: false, each: true },
        permissions: ['Execute', 'FilesystemWrite'],
      };
    };
    const npm = ruleOf({ id: 'npm', effect: 'allow', tool: 'bash', pattern: 'npm *' });
    const git = ruleOf({ id: 'git', effect: 'allow', tool: 'bash', pattern: 'git *' });
    expect(verdict(does('npm test', 'git status'), [npm, git])).toMatchObject({ effect: 'allow', ruleId: 'npm' });
    expect(verdict(does('npm test', 'git status'), [npm]).effect).toBe('ask');
    expect(verdict(does('npm test', 'rm a', 'git status'), [npm, git]).effect).toBe('ask');
    expect(
      verdict(does('npm test', 'git push'), [npm, git, ruleOf({ effect: 'deny', tool: 'bash', pattern: 'git push*' })])
        .effect,
    ).toBe('deny');
    expect(verdict(does(), [npm, git]).effect).toBe('ask');
    // A path by two names is one thing: one rule must match both.
    const both = { values: ['docs/a.md', 'notes/a.md'], path: true };
    const each = ['docs/**', 'notes/**'].map((pattern) => ruleOf({ effect: 'allow', tool: 'write_file', pattern }));
    expect(verdict({ targets: both }, each).effect).toBe('ask');
  });

  test('denies also through a link or in another letter case, and allows only if all names of the target match', () => {
    const targets = { values: ['real/a.md', 'docs/a.md'], path: true };
    expect(verdict({ targets }, [deny]).effect).toBe('deny');
    expect(verdict({ targets: { values: ['DOCS/a.md'], path: true } }, [deny]).effect).toBe('deny');
    const onDocs = { ...allow, pattern: 'docs/**' };
    expect(verdict({ targets }, [onDocs]).effect).toBe('ask');
    expect(verdict({ targets: { values: ['docs/a.md'], path: true } }, [onDocs]).effect).toBe('allow');
  });

  test('with a permission allows a call that needs only this permission, and denies any call that needs it', () => {
    const permissions: Permission[] = ['FilesystemRead', 'FilesystemWrite'];
    const onRead = ruleOf({ effect: 'allow', permission: 'FilesystemRead' });
    expect(verdict({ permissions }, [onRead]).effect).toBe('ask');
    expect(verdict({ permissions: ['FilesystemRead'] }, [onRead]).effect).toBe('allow');
    expect(verdict({ permissions }, [{ ...onRead, effect: 'deny' }]).effect).toBe('deny');
  });

  test('for a defined agent does not allow a temporary agent of that name', () => {
    const mine = { ...allow, agent: 'writer' };
    const temporary = { agent: 'writer', scope: 'spawned:writer' };
    expect(verdict({ agent: 'writer', scope: 'writer' }, [mine]).effect).toBe('allow');
    expect(verdict(temporary, [mine]).effect).toBe('ask');
    expect(verdict(temporary, [{ ...mine, effect: 'deny' }]).effect).toBe('deny');
    expect(verdict(temporary, [], [grantOf({ agent: 'writer' })]).effect).toBe('ask');
  });
});

test('a grant covers only its agent, tool, folder, pattern, scope, time and number of calls', () => {
  const action = actionOf({});
  expect(grantCovers(grantOf(), action, NOW)).toBe(true);
  const others: Partial<Grant>[] = [
    { agent: 'other' },
    { tool: 'grep' },
    { folder: '/other' },
    { pattern: 'docs/b.md' },
    { scope: 'conversation', conversationId: 'other' },
    { scope: 'workflow', workflowId: 'other' },
    { revokedAt: new Date(NOW).toISOString() },
    { expiresAt: new Date(NOW).toISOString() },
    { expiresAt: 'no date' },
    { maxCalls: 2, calls: 2 },
  ];
  for (const other of others) expect(grantCovers(grantOf(other), action, NOW), JSON.stringify(other)).toBe(false);
});

const names = fc.constantFrom('lead', 'writer', 'spawned:writer');
const tools = fc.constantFrom('write_file', 'read_file', 'unheard_of');
const patterns = fc.option(fc.constantFrom('**', 'docs/**', 'docs/a.md', '*', 'x'), { nil: null });
const rules = fc.array(
  fc
    .record({
      effect: fc.constantFrom('deny', 'ask', 'allow'),
      scope: fc.constantFrom('user', 'project'),
      agent: fc.option(names, { nil: null }),
      tool: fc.option(fc.oneof(tools, fc.constant('*')), { nil: null }),
      permission: fc.option(fc.constantFrom(...Permission.options), { nil: null }),
      pattern: patterns,
    })
    .map((parts) => ruleOf(parts as Partial<Rule>)),
  { maxLength: 6 },
);
const grants = fc.array(
  fc
    .record({ agent: names, tool: tools, pattern: fc.constantFrom('**', 'docs/**', 'docs/a.md') })
    .map((parts) => grantOf(parts)),
  { maxLength: 4 },
);
const actions = fc
  .record({
    agent: names,
    tool: tools,
    permissions: fc.subarray([...Permission.options]),
    targets: fc.oneof(
      fc.constant(null),
      fc.record({ values: fc.subarray(['docs/a.md', 'x', 'DOCS/b']), path: fc.boolean() }),
    ),
    requires: fc.subarray(['FilesystemWrite', 'write_file']),
    asks: fc.boolean(),
    reversible: fc.boolean(),
    risk: fc.constantFrom('low', 'medium', 'high'),
    mode: fc.constantFrom('manual', 'selective', 'auto'),
  })
  .map((parts) => actionOf({ ...parts, scope: parts.agent }));

describe('for any rules and grants', () => {
  test('a rule that denies wins', () => {
    fc.assert(
      fc.property(actions, rules, grants, (action, all, given) => {
        const denies = all.some((rule) => rule.effect === 'deny' && ruleApplies(rule, action));
        const { effect } = judge(action, { rules: all, faults: [], alwaysAsk: NO_FILES }, given, NOW);
        expect(effect === 'deny').toBe(denies);
      }),
      samples(100),
    );
  });

  test('adding a rule that denies the tool, a permission or a target rejects the call', () => {
    const where = fc.record({ at: fc.nat(), of: fc.constantFrom('tool', 'permission', 'target') });
    fc.assert(
      fc.property(actions, rules, grants, where, (action, all, given, { at, of }) => {
        const [permission = null] = action.permissions;
        const pattern = action.targets?.values[0] ?? '**';
        const about = {
          tool: { tool: action.tool },
          permission: { permission },
          target: { tool: '*', pattern },
        };
        if (of === 'permission' && permission === null) return;
        const denies = ruleOf({ effect: 'deny', tool: null, ...about[of] });
        const place = at % (all.length + 1);
        const more = [...all.slice(0, place), denies, ...all.slice(place)];
        const known = { ...action, targets: action.targets?.values.length === 0 ? null : action.targets };
        expect(judge(known, { rules: more, faults: [], alwaysAsk: NO_FILES }, given, NOW).effect).toBe('deny');
      }),
      samples(100),
    );
  });

  test('an impossible call or a faulty rule file allows nothing', () => {
    fc.assert(
      fc.property(actions, rules, grants, (action, all, given) => {
        const unable = judge({ ...action, ceiling: 'No' }, { rules: all, faults: [], alwaysAsk: NO_FILES }, given, NOW);
        const faults = [{ file: 'config.toml', line: 1, column: 1, message: 'is broken' }];
        const broken = judge(action, { rules: all, faults, alwaysAsk: NO_FILES }, given, NOW);
        expect([unable.effect, broken.effect]).toEqual(['deny', 'deny']);
      }),
    );
  });

  test('no rule or grant with a pattern allows a call without a known target', () => {
    fc.assert(
      fc.property(actions, rules, grants, (action, all, given) => {
        const onPatterns = all.filter(({ pattern }) => pattern !== null);
        const unknown = { ...action, targets: null, asks: true, mode: 'manual' as const };
        expect(judge(unknown, { rules: onPatterns, faults: [], alwaysAsk: NO_FILES }, given, NOW).effect).not.toBe(
          'allow',
        );
      }),
    );
  });

  test('the verdict names the deciding step and its reason', () => {
    fc.assert(
      fc.property(actions, rules, grants, (action, all, given) => {
        const { effect, ruleId, reason, steps } = judge(
          action,
          { rules: all, faults: [], alwaysAsk: NO_FILES },
          given,
          NOW,
        );
        const [first, ...rest] = steps;
        expect(first).toMatchObject({ effect, id: ruleId, text: reason, decides: true });
        expect(rest.every(({ decides }) => !decides)).toBe(true);
      }),
    );
  });
});
