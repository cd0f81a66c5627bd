/** A verdict tells all that was looked at, in the order in which it decides, and files that steer programs need to be named. */
import { describe, expect, test } from 'vitest';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { Grant, Rule } from '#contract/permission.ts';
import {
  type Action,
  alwaysPut,
  grantCovers,
  grantPhrase,
  invalidCallVerdict,
  isGrantable,
  isGrantLive,
  judge,
  matchesTargets,
  ruleApplies,
  rulePhrase,
  STEERING_ID,
} from '#core/approvals/judge.ts';
import { isSteering, namesSteering } from '#core/workspace/steering-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { actionOf, grantOf, NOW, ruleOf } from './support.ts';

const own = { patterns: ['secret/**'], place: { file: '/config.toml', line: 7 } };

function verdict(action: Partial<Action>, rules: Rule[] = [], grants: Grant[] = [], alwaysAsk = NO_FILES) {
  return judge(actionOf(action), { rules, faults: [], alwaysAsk }, grants, NOW);
}

const writing = (...values: string[]): Partial<Action> => ({ targets: { values, path: true } });
const kinds = ({ steps }: ReturnType<typeof verdict>) => steps.map(({ kind, id, effect }) => `${kind} ${id} ${effect}`);

const deny = ruleOf({ id: 'user:1', effect: 'deny', tool: 'write_file', pattern: 'docs/**' });
const ask = ruleOf({ id: 'user:2', effect: 'ask', tool: 'write_file' });
const allow = ruleOf({ id: 'user:3', effect: 'allow', tool: 'write_file' });
const inProject = { scope: 'project' as const, place: { file: '/work/.triad/config.toml', line: 3 } };

test('a verdict lists each applicable step once, the deciding step first', () => {
  const project = ruleOf({ id: 'project:1', effect: 'allow', tool: 'write_file', ...inProject });
  const faults = [{ file: '/config.toml', line: 9, column: 1, message: 'is broken' }];
  const action = actionOf({ ceiling: 'It cannot', requires: ['FilesystemWrite'] });
  const rules = [deny, ask, allow, project, ruleOf({ id: 'user:4', effect: 'deny', tool: 'grep' })];
  const all = judge(action, { rules, faults, alwaysAsk: NO_FILES }, [grantOf()], NOW);
  expect(kinds(all)).toEqual([
    'ceiling ceiling deny',
    'fault fault deny',
    'rule user:1 deny',
    'grant grant:g allow',
    'agent agent:requires_approval ask',
    'rule project:1 allow',
    'default default ask',
    'rule user:2 ask',
    'rule user:3 allow',
  ]);
  expect(all).toMatchObject({ effect: 'deny', ruleId: 'ceiling', reason: 'It cannot' });
  expect(all.steps[0]?.place).toEqual({ file: null, line: null });
  expect(all.steps[1]).toMatchObject({ text: '/config.toml:9: is broken', place: { file: '/config.toml', line: 9 } });
  expect(all.steps[2]?.place).toEqual(deny.place);
  expect(all.steps[4]?.text).toBe('The definition of lead requires approval for FilesystemWrite');
});

test('a deny rule of a project overrides an allow of the person, and the ask rules of the person still apply', () => {
  const project = ruleOf({ id: 'project:1', effect: 'deny', tool: 'write_file', pattern: 'private/**', ...inProject });
  expect(verdict(writing('docs/a.md', 'private/a'), [allow, project])).toMatchObject({ effect: 'deny' });
  expect(verdict({}, [allow, { ...project, pattern: '**' }]).effect).toBe('deny');
  const denies = ruleOf({ id: 'project:2', effect: 'deny', tool: 'write_file', ...inProject });
  expect(kinds(verdict({}, [ask, denies]))).toEqual(['rule project:2 deny', 'rule user:2 ask', 'default default ask']);
});

describe('the reason of a default decision', () => {
  test.for<[Partial<Action>, string, string, RegExp]>([
    [{ asks: false }, 'allow', 'default', /write_file changes nothing outside/],
    [{ reversible: false, mode: 'auto' }, 'ask', 'default', /cannot be undone is always asked/],
    [{ mode: 'auto', risk: 'high' }, 'allow', 'mode:auto', /mode auto allows what can be undone/],
    [{ mode: 'selective', risk: 'low' }, 'allow', 'mode:selective', /mode selective allows what is of low risk/],
    [{ mode: 'selective' }, 'ask', 'default', /Where no rule decides, write_file is asked about/],
    [{ mode: 'manual', risk: 'low' }, 'ask', 'default', /Where no rule decides/],
  ])('%o', ([action, effect, ruleId, reason]) => {
    expect(verdict(action)).toMatchObject({ effect, ruleId, reason: expect.stringMatching(reason) as string });
    expect(verdict(action).steps).toMatchObject([{ kind: 'default', place: { file: null, line: null } }]);
  });
});

describe('a control file, which can make other programs run code', () => {
  const broad = ruleOf({ effect: 'allow', tool: '*', pattern: '**' });
  const named = ruleOf({ effect: 'allow', tool: 'write_file', pattern: 'package.json' });

  test('requires approval unless a rule or grant names the file, and weaker rules are listed after the decision', () => {
    const asked = verdict(writing('package.json'), [broad], [grantOf({ pattern: '**' })]);
    expect(asked).toMatchObject({ effect: 'ask', ruleId: STEERING_ID });
    expect(asked.reason).toMatch(
      /^package\.json steers npm, which can run code: Triad asks before each write, unless a rule or a grant names the file$/,
    );
    expect(kinds(asked)).toEqual([`default ${STEERING_ID} ask`, 'default default ask', `rule ${broad.id} allow`]);
    expect(verdict(writing('package.json'), [named])).toMatchObject({ effect: 'allow', ruleId: named.id });
    expect(kinds(verdict(writing('package.json'), [named]))).toEqual([
      `rule ${named.id} allow`,
      `default ${STEERING_ID} ask`,
      'default default ask',
    ]);
    expect(verdict(writing('package.json'), [], [grantOf({ pattern: 'package.json' })]).effect).toBe('allow');
  });

  test('requires approval in every mode, once for several files, and each file must be named', () => {
    expect(verdict({ ...writing('package.json'), mode: 'auto' }).effect).toBe('ask');
    const both = { ...writing('package.json', 'Makefile'), mode: 'auto' as const };
    expect(kinds(verdict(both))).toEqual([`default ${STEERING_ID} ask`, 'default mode:auto allow']);
    const half = ruleOf({ effect: 'allow', tool: 'write_file', pattern: '{package.json,*}' });
    expect(verdict(both, [half]).effect).toBe('ask');
    const whole = ruleOf({ effect: 'allow', tool: 'write_file', pattern: '{package.json,Makefile}' });
    expect(verdict(both, [whole]).effect).toBe('allow');
  });

  test('requires approval only for writing, and only if the target is a path', () => {
    const reading = { ...writing('package.json'), permissions: ['FilesystemRead' as const], asks: false };
    expect(verdict(reading).effect).toBe('allow');
    expect(verdict({ targets: { values: ['package.json'], path: false }, mode: 'auto' }).effect).toBe('allow');
    expect(verdict({ targets: null, mode: 'auto' }).effect).toBe('allow');
  });

  test('cannot be named by a rule if the workspace itself is a control folder', () => {
    const rule = ruleOf({ effect: 'allow', tool: 'write_file', pattern: 'ci.yml' });
    for (const folder of ['/home/ada/app/.github/workflows', 'C:\\app\\.github\\workflows']) {
      expect(verdict({ ...writing('ci.yml'), folder }, [rule])).toMatchObject({ effect: 'ask', ruleId: STEERING_ID });
      expect(
        isGrantable(actionOf({ ...writing('ci.yml'), folder }), 'ci.yml', {
          rules: [],
          faults: [],
          alwaysAsk: NO_FILES,
        }),
      ).toBe(false);
    }
    expect(verdict({ ...writing('ci.yml'), folder: '/work/.github' }, [rule]).effect).toBe('allow');
    // Further up it says nothing.
    expect(verdict({ ...writing('ci.yml'), folder: '/work/.github/workflows/a/b' }, [rule]).effect).toBe('allow');
  });

  test('from the always_ask list requires approval with its location, and must be named like any other', () => {
    const asked = verdict({ ...writing('secret/a.txt'), mode: 'auto' }, [broad], [], own);
    expect(asked).toMatchObject({ effect: 'ask', ruleId: STEERING_ID });
    expect(asked.reason).toMatch(/^secret\/a\.txt is in permissions\.always_ask \(\/config\.toml:7\): Triad asks/);
    expect(asked.steps[0]?.place).toEqual(own.place);
    const names = ruleOf({ effect: 'allow', tool: 'write_file', pattern: 'secret/*.txt' });
    expect(verdict(writing('secret/a.txt'), [names], [], own).effect).toBe('allow');
    expect(verdict(writing('secret/package.json'), [names], [], own).reason).toMatch(/can run code/);
    expect(verdict(writing('secret/package.json'), [], [], own).steps[0]?.place).toEqual({ file: null, line: null });
    const onlyOne = ruleOf({ effect: 'allow', tool: 'write_file', pattern: '**/package.json' });
    expect(verdict(writing('secret/package.json'), [onlyOne], [], own).effect).toBe('ask');
  });

  test('is recognised at any depth, in any letter case and Unicode form', () => {
    for (const path of [
      'package.json',
      'a/b/PACKAGE.json',
      '.git/hooks/x',
      'm/.GIT/config',
      'Dockerfile',
      'x/Makefile',
    ])
      expect(isSteering(path, []), path).toBe(true);
    for (const path of ['package.json.md', 'git/config', 'src/index.ts'])
      expect(isSteering(path, []), path).toBe(false);
    expect(isSteering('u/caf\u00e9', ['u/cafe\u0301'])).toBe(true);
    expect(isSteering('src/index.ts', ['src/**'])).toBe(true);
  });

  test('is named only by a pattern with the words of its entry, not by wildcards that match it', () => {
    expect(namesSteering('.husky/*', '.husky/pre-push', [])).toBe(true);
    expect(namesSteering('.HUSKY/*', '.HUSKY/pre-push', [])).toBe(true);
    expect(namesSteering('*/pre-push', '.husky/pre-push', [])).toBe(false);
    expect(namesSteering('{x,.husky/**}', '.husky/pre-push', [])).toBe(true);
    expect(namesSteering('.husky/other', '.husky/pre-push', []), 'named, but not this one').toBe(false);
    expect(namesSteering('**/*.mk', 'build/rules.mk', [])).toBe(true);
    expect(namesSteering('**/*', 'build/rules.mk', [])).toBe(false);
    expect(namesSteering('**', 'a/b', ['**']), 'an entry of wildcards alone').toBe(false);
    expect(namesSteering('a/b', 'a/b', ['*/*']), 'a separator is no word').toBe(false);
  });
});

describe('a grant', () => {
  const rules = { rules: [], faults: [], alwaysAsk: NO_FILES };

  test('can be offered for reversible calls that are not denied, and must name a control file', () => {
    expect(isGrantable(actionOf({}), 'docs/*.md', rules)).toBe(true);
    expect(isGrantable(actionOf({ reversible: false }), 'docs/*.md', rules)).toBe(false);
    expect(isGrantable(actionOf({}), 'docs/*.md', { ...rules, rules: [deny] })).toBe(false);
    expect(
      isGrantable(actionOf({}), 'docs/*.md', { ...rules, faults: [{ file: 'x', line: 1, column: 1, message: 'y' }] }),
    ).toBe(false);
    const both = actionOf(writing('package.json', 'docs/a.md'));
    expect(isGrantable(both, '**', rules)).toBe(false);
    expect(isGrantable(both, '{package.json,docs/a.md}', rules)).toBe(true);
    const two = actionOf(writing('package.json', 'Makefile'));
    expect(isGrantable(two, '{package.json,*}', rules)).toBe(false);
  });
});

describe('an invalid call, or a call that only the person can answer', () => {
  test('is denied with the reason if it is invalid', () => {
    expect(invalidCallVerdict('It is outside')).toEqual({
      effect: 'deny',
      ruleId: 'fault',
      reason: 'It is outside',
      steps: [
        {
          kind: 'fault',
          id: 'fault',
          effect: 'deny',
          text: 'It is outside',
          place: { file: null, line: null },
          decides: true,
        },
      ],
    });
  });

  test('requires approval even if a rule allows it, unless a rule denies it', () => {
    const put = alwaysPut(verdict({}, [allow]));
    expect(put).toMatchObject({
      effect: 'ask',
      ruleId: 'default',
      reason: expect.stringMatching(/always come to you/) as string,
    });
    expect(put.steps.map(({ id, decides }) => [id, decides])).toEqual([
      ['default', true],
      ['user:3', false],
      ['default', false],
    ]);
    expect(put.steps[0]).toMatchObject({ kind: 'default', effect: 'ask' });
    const denied = verdict({}, [deny]);
    expect(alwaysPut(denied)).toBe(denied);
    const asked = verdict({});
    expect(alwaysPut(asked)).toBe(asked);
  });
});

describe('a rule', () => {
  test('about a similar tool applies to a call if it denies, but not if it allows', () => {
    const search = actionOf({ tool: 'semantic_search', like: 'grep' });
    expect(ruleApplies(ruleOf({ effect: 'deny', tool: 'grep' }), search)).toBe(true);
    expect(ruleApplies(ruleOf({ effect: 'ask', tool: 'semantic_search' }), search)).toBe(true);
    expect(ruleApplies(ruleOf({ effect: 'allow', tool: 'grep' }), search)).toBe(false);
    expect(ruleApplies(ruleOf({ effect: 'allow', tool: 'semantic_search' }), search)).toBe(true);
    expect(ruleApplies(ruleOf({ effect: 'deny', tool: 'glob' }), search)).toBe(false);
    expect(verdict({ tool: 'semantic_search', like: 'grep', requires: ['grep'] }).ruleId).toBe(
      'agent:requires_approval',
    );
  });

  test('ignores letter case if it denies or asks, and respects it if it allows', () => {
    expect(ruleApplies(ruleOf({ effect: 'deny', tool: 'WRITE_*' }), actionOf({}))).toBe(true);
    expect(ruleApplies(ruleOf({ effect: 'allow', tool: 'WRITE_*' }), actionOf({}))).toBe(false);
    expect(ruleApplies(ruleOf({ effect: 'ask', agent: 'Lead', tool: '*' }), actionOf({}))).toBe(true);
    expect(ruleApplies(ruleOf({ effect: 'allow', agent: 'Lead', tool: '*' }), actionOf({}))).toBe(false);
  });

  test('matches agent and tool names with slashes by a star', () => {
    const odd = actionOf({ agent: 'a/b', scope: 'a/b' });
    expect(ruleApplies(ruleOf({ effect: 'allow', agent: '*', tool: '*' }), odd)).toBe(true);
  });

  test('about a permission applies only to calls that need the permission', () => {
    expect(ruleApplies(ruleOf({ effect: 'deny', permission: 'NetworkAccess' }), actionOf({}))).toBe(false);
    expect(ruleApplies(ruleOf({ effect: 'allow', permission: 'NetworkAccess' }), actionOf({ permissions: [] }))).toBe(
      false,
    );
  });

  test('with a pattern denies but never allows unknown targets, and does not match an empty list of targets', () => {
    expect(matchesTargets('**', null, false)).toBe(true);
    expect(matchesTargets('**', null, true)).toBe(false);
    expect(matchesTargets('**', { values: [], path: true }, true)).toBe(false);
    expect(matchesTargets('**', { values: [], path: true }, false)).toBe(false);
    expect(matchesTargets('*', { values: ['a/b'], path: true }, true)).toBe(false);
    expect(matchesTargets('*', { values: ['a/b'], path: false }, true)).toBe(true);
  });
});

test('a grant is limited by its scope only: the project, one conversation or one workflow', () => {
  for (const scope of ['conversation', 'workflow', 'project'] as const)
    expect(grantCovers(grantOf({ scope }), actionOf({}), NOW), scope).toBe(true);
  const elsewhere = actionOf({ conversationId: 'other', workflowId: 'other' });
  expect(grantCovers(grantOf({ scope: 'project' }), elsewhere, NOW)).toBe(true);
  expect(grantCovers(grantOf({ scope: 'conversation' }), actionOf({ workflowId: 'other' }), NOW)).toBe(true);
  expect(grantCovers(grantOf({ scope: 'workflow' }), actionOf({ conversationId: 'other' }), NOW)).toBe(true);
  expect(grantCovers(grantOf({ scope: 'workflow' }), actionOf({ workflowId: null }), NOW)).toBe(false);
});

test('a grant is live before its expiry time and its last allowed call, and not above its maximum number of calls', () => {
  expect(isGrantLive(grantOf({ expiresAt: new Date(NOW + 1).toISOString() }), NOW)).toBe(true);
  expect(isGrantLive(grantOf({ maxCalls: 2, calls: 1 }), NOW)).toBe(true);
  expect(isGrantLive(grantOf({ maxCalls: 2, calls: 3 }), NOW)).toBe(false);
});

describe('one sentence describes a rule or a grant', () => {
  test.for<[Partial<Rule>, string]>([
    [{ effect: 'deny', tool: 'grep' }, 'Your rule denies the tool grep for all agents (/config.toml:1)'],
    [
      { effect: 'ask', permission: 'NetworkAccess', agent: 'x', pattern: 'a/**', ...inProject },
      "The project's rule asks about what needs NetworkAccess on a/** for the agent x (/work/.triad/config.toml:3)",
    ],
    [
      { effect: 'allow', tool: 'grep', place: { file: '/c.toml', line: null } },
      'Your rule allows the tool grep for all agents (/c.toml:1)',
    ],
    [
      { effect: 'allow', tool: 'grep', place: { file: null, line: null } },
      'Your rule allows the tool grep for all agents',
    ],
  ])('%o', ([parts, words]) => {
    expect(sentenceOf(rulePhrase(ruleOf(parts)))).toBe(words);
  });

  test.for([
    ['workflow', 'in this workflow'],
    ['conversation', 'in this conversation'],
    ['project', 'always for this project'],
  ] as const)('a grant for the %s', ([scope, where]) => {
    expect(sentenceOf(grantPhrase(grantOf({ scope })))).toBe(
      `You allowed lead to use write_file on docs/*.md ${where}`,
    );
  });
});
