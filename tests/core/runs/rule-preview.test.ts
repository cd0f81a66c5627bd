/** What a change of the rules is said to decide about the calls of the past is what the gate then decides. */
import { rm, writeFile as put } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Effect } from '#contract/permission.ts';
import type { RuleEdit, RulePreview, RuleWish } from '#contract/permissions/rule-edit.ts';
import { CHILD } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { fullTest, inFullRun, variations } from '../../support/samples.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start, configFolder } = sharedEngine();
const CONFIG = join(configFolder, 'config.toml');

const FILES = { 'README.md': 'Read me.', 'docs/a.md': 'old', '.npmrc': 'x' };

type Call = [name: string, input: Record<string, unknown>];
const CALLS: Call[] = [
  ['read_file', { path: 'README.md' }],
  ['write_file', { path: 'docs/a.md' }],
  ['write_file', { path: 'Makefile' }],
  ['edit_file', { path: 'README.md', edits: [{ old_text: 'Read', new_text: 'Reading' }] }],
  ['bash', { command: 'echo one && ls docs' }],
  ['delegate_task', { operation: 'delegate', agent_id: 'code-reviewer', prompt: 'Review.' }],
];

/** The lead makes these calls one after the other, each time with other content. */
function making(calls: readonly Call[]): Script {
  const script = new Script().on(CHILD).reply([text('# Report\n\n## Summary\n\nFine.')]);
  let time = 0;
  calls.forEach(([name, input], index) =>
    script.on({ step: index + 1, leads: true }).reply(() => {
      const content = name === 'write_file' ? { content: `time ${(time += 1)}` } : {};
      return [toolUse(name, { ...input, ...content })];
    }),
  );
  return script.on({}).reply([text('Done.')]);
}

async function worked(rules: string, calls: Call[] | Script = CALLS) {
  const engine = await start(calls instanceof Script ? calls : making(calls), { rules, files: FILES });
  const { runtime, folder, store } = engine;
  const listed = () => runtime.request('rules.list', { folder });
  const list = async () => (await listed()).files[0]!;
  const preview = async (edit?: RuleEdit) => {
    await store.settled();
    const base = (await list()).hash;
    const change = edit && ({ scope: 'user', base, edit } as const);
    return runtime.request('rules.preview', { folder, ...(change ? { change } : {}) });
  };
  const change = async (edit: RuleEdit) =>
    runtime.request('rules.change', { folder, change: { scope: 'user', base: (await list()).hash, edit } });
  const startingNothing = async () => (await listed()).startsNothing;
  return { ...engine, preview, change, startingNothing };
}

/** Oldest first: what became of each call of a workflow, as its record says. */
function decisions(engine: Awaited<ReturnType<typeof worked>>, workflowId: string): Effect[] {
  const calls = engine.of('tool-end').filter((one) => one.workflowId === workflowId && one.parentRunId === null);
  const asked = engine.of('approval-request').filter((one) => one.workflowId === workflowId);
  return calls.map(({ entry }) => {
    const found = asked.find(({ approval }) => approval.toolCallId === entry.toolCallId);
    if (!found) return 'allow';
    const end = engine.of('approval-decide').find(({ approvalId }) => approvalId === found.approval.id);
    if (end?.decision.decidedBy === 'person') return 'ask';
    return end?.decision.allowed ? 'allow' : 'deny';
  });
}

const after = ({ calls }: RulePreview) => calls.map((one) => one.after.effect).toReversed();
const said = ({ calls }: RulePreview) => calls.map((one) => [one.tool, one.target, one.after.effect, one.after.ruleId]);

const RULES = '[[permissions.rules]]\neffect = "ask"\ntool = "read_file"\npattern = "*.md"\n';

const EDITS: [string, RuleEdit][] = [
  ['is removed', { kind: 'remove', index: 0 }],
  ['allows a folder', { kind: 'add', rule: { effect: 'allow', tool: 'write_file', pattern: 'docs/**' } }],
  ['allows all', { kind: 'add', rule: { effect: 'allow', tool: '*' } }],
  ['denies a part of a command', { kind: 'add', rule: { effect: 'deny', tool: 'bash', pattern: 'ls **' } }],
  ['names a command', { kind: 'add', rule: { effect: 'allow', tool: 'bash', pattern: '{echo,ls} **' } }],
  [
    'allows the start of an agent',
    { kind: 'add', rule: { effect: 'allow', tool: 'delegate_task', pattern: 'code-*' } },
  ],
  ['allows every start', { kind: 'add', rule: { effect: 'allow', tool: 'delegate_task' } }],
  ['denies an agent', { kind: 'add', rule: { effect: 'deny', tool: 'delegate_task', pattern: 'CODE-*' } }],
  ['allows a permission', { kind: 'change', index: 0, rule: { effect: 'allow', permission: 'FilesystemWrite' } }],
];

test.for(variations(EDITS))(
  'the gate decides as the preview of a rule that %s, and the preview changes nothing',
  async ([, edit]) => {
    // A command takes longer than all else; in the full run it is among the calls.
    const engine = await worked(RULES, inFullRun ? CALLS : CALLS.filter(([name]) => name !== 'bash'));
    const first = await engine.ask('Work');
    expect(after(await engine.preview())).toEqual(decisions(engine, first.workflowId));
    const seq = await engine.store.lastSeq(engine.conversationId);
    const requests = engine.model.requests.length;
    const told = await engine.preview(edit);
    expect(told.untold).toEqual([]);
    expect(await engine.store.lastSeq(engine.conversationId)).toBe(seq);
    expect(engine.model.requests).toHaveLength(requests);
    expect((await engine.runtime.request('permissions.list', { folder: engine.folder })).rules).toHaveLength(1);
    await engine.change(edit);
    const second = await engine.ask('Work');
    expect(decisions(engine, second.workflowId)).toEqual(after(told));
    for (const {
      toolCallId,
      after: { effect, ruleId },
    } of (await engine.preview()).calls.slice(0, CALLS.length)) {
      const request = engine.of('approval-request').find(({ approval }) => approval.toolCallId === toolCallId);
      const decided = engine.of('approval-decide').find((one) => one.approvalId === request?.approval.id);
      if (decided && effect !== 'ask') expect(decided.decision.ruleId).toBe(ruleId);
    }
  },
);

fullTest(
  'tests/core/runs/rule-preview.test.ts › the gate decides as the preview of a rule that %s, and the preview changes nothing',
)('after any rule is added, the decisions equal the preview of the addition', async () => {
  const engine = await worked(RULES);
  await engine.ask('Work');
  const pattern = fc.constantFrom('**', 'docs/**', '*.md', 'Makefile', '*', 'echo *', 'code-*', 'A.md');
  const rule = fc.record(
    {
      effect: fc.constantFrom('deny', 'ask', 'allow'),
      tool: fc.constantFrom('*', 'write_file', 'read_file', 'bash', '*_file', 'delegate_task'),
      agent: fc.constantFrom('lead', 'LEAD', 'other'),
      pattern,
    },
    { requiredKeys: ['effect', 'tool'] },
  ) as fc.Arbitrary<RuleWish>;
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 3 }), async (rules) => {
      await put(CONFIG, RULES);
      for (const one of rules) {
        const told = await engine.preview({ kind: 'add', rule: one });
        await engine.change({ kind: 'add', rule: one });
        const now = await engine.preview();
        expect(now.calls.map((call) => call.before)).toEqual(told.calls.map((call) => call.after));
        for (const call of now.calls.filter(({ tool }) => tool === 'read_file' || tool === 'bash')) {
          const input = CALLS.find(([name]) => name === call.tool)![1];
          const { workflowId, agent, tool } = call;
          const { effect, ruleId } = await engine.runtime.request('permissions.explain', {
            workflowId,
            agent,
            tool,
            input,
          });
          expect({ effect, ruleId }).toEqual(call.before);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('lists calls with a missing file or invalid arguments as unpredictable', async () => {
  const engine = await worked('', [
    ['delete_file', { path: 'docs/a.md' }],
    ['write_file', { path: 'a.md' }],
  ]);
  await engine.ask('Work');
  const { untold, calls } = await engine.preview();
  expect(untold).toMatchObject([{ tool: 'delete_file', why: 'gone' }]);
  expect(calls).toMatchObject([{ tool: 'write_file', target: 'a.md', before: { effect: 'ask' } }]);
  const refused = await worked('', [
    ['write_file', { path: '.npmrc' }],
    ['read_file', { wrong: 1 }],
    ['rm', {}],
  ]);
  await refused.ask('Work');
  expect((await refused.preview()).untold.map(({ tool, why }) => [tool, why])).toEqual([
    ['rm', 'tool'],
    ['read_file', 'arguments'],
    ['write_file', 'refused'],
  ]);
});

test('previews an earlier write that requires approval, also if the file was written or deleted since', async () => {
  const engine = await worked('', [['write_file', { path: 'docs/a.md' }]]);
  await engine.ask('Work');
  expect(said(await engine.preview())).toEqual([['write_file', 'docs/a.md', 'ask', 'default']]);
  await rm(join(engine.folder, 'docs'), { recursive: true });
  expect(said(await engine.preview())).toEqual([['write_file', 'docs/a.md', 'ask', 'default']]);
});

test('previews only the newest fifty calls of the folder', async () => {
  const many = Array.from({ length: 18 }, (_, index) => toolUse('read_file', { path: `${index}.md` }));
  const script = new Script()
    .on({ step: 1 })
    .reply(many)
    .on({})
    .reply([text('Done.')]);
  const engine = await worked('', script);
  for (let time = 0; time < 3; time += 1) await engine.ask('Work');
  const { calls } = await engine.preview();
  expect(calls).toHaveLength(50);
  expect(calls.slice(0, 3).map(({ target }) => target)).toEqual(['17.md', '16.md', '15.md']);
  const elsewhere = await worked('');
  expect((await elsewhere.preview()).calls).toEqual([]);
});

const SPAWN: Call[] = [['spawn_agent', { operation: 'spawn', name: 'scout', prompt: 'Look.' }]];

test.for([
  [{ effect: 'allow', tool: 'spawn_agent' }, 'ask', [], true],
  [{ effect: 'allow', tool: '*', pattern: '**' }, 'ask', ['outside'], true],
  [{ effect: 'allow', tool: 'spawn_agent', pattern: 'spawned:*' }, 'ask', [], false, '{*,spawned:*}'],
  [{ effect: 'allow', tool: 'spawn_agent', pattern: '{scout,spawned:scout}' }, 'allow', ['spawns'], false],
  [{ effect: 'allow', tool: 'spawn_agent', pattern: 'scout' }, 'ask', [], false, '{scout,spawned:scout}'],
] as const)(
  'the preview of the rule %j for a temporary sub-agent shows its dangers, and the gate decides: %s',
  async ([rule, effect, dangers, startsNothing, bothNames = null]) => {
    const engine = await worked('', SPAWN);
    await engine.ask('Work');
    const told = await engine.preview({ kind: 'add', rule });
    expect(told).toMatchObject({ startsNothing, bothNames, calls: [{ after: { effect }, dangers: ['spawns'] }] });
    expect(told.dangers).toEqual(dangers);
    await engine.change({ kind: 'add', rule });
    expect(await engine.startingNothing(), 'the list says the same').toEqual(startsNothing ? ['user:1'] : []);
    const { workflowId } = await engine.ask('Work');
    expect(decisions(engine, workflowId)).toEqual([effect]);
    expect((await engine.preview({ kind: 'add', rule: { ...rule, effect: 'ask' } })).dangers).toEqual([]);
  },
);

test('a rule with the pattern named by an explanation allows the explained call', async () => {
  const chain: Call = ['delegate_task', { operation: 'delegate', agent_id: 'code-reviewer', prompt: 'Review.' }];
  const engine = await worked('', [...SPAWN, chain, ['bash', { command: 'echo one && ls docs' }]]);
  const { workflowId } = await engine.ask('Work');
  const calls = [
    ['spawn_agent', { operation: 'spawn', name: 'scout', prompt: 'Look.' }, '{scout,spawned:scout}'],
    ['delegate_task', { operation: 'delegate', agent_id: 'code-reviewer', prompt: '-' }, 'code-reviewer'],
    ['write_file', { path: 'docs/a.md', content: 'x' }, 'docs/a.md'],
  ] as const;
  const { runtime, folder } = engine;
  for (const [tool, input, pattern] of calls) {
    const explain = async () => runtime.request('permissions.explain', { agent: 'lead', tool, input, workflowId });
    const { effect, names } = await explain();
    expect([effect, names]).toEqual(['ask', { agent: 'lead', pattern }]);
    await engine.change({
      kind: 'add',
      rule: { effect: 'allow', tool, agent: names!.agent, pattern: names!.pattern! },
    });
    expect((await explain()).effect).toBe('allow');
  }
  // What decided when it was asked stays with the question, whatever was saved since.
  expect(
    engine.of('approval-request').map(({ approval }) => approval.why?.map(({ id, effect }) => [id, effect])),
  ).toEqual(Array.from({ length: 3 }, () => [['default', 'ask']]));
  // By the name that rules know it by, and not by one that anybody may have.
  const write = { tool: 'write_file', input: { path: 'new.md', content: 'x' }, folder };
  const { names } = await runtime.request('permissions.explain', { agent: 'spawned:scout', ...write });
  expect(names).toEqual({ agent: 'spawned:scout', pattern: 'new.md' });
});

test('an explanation of a command names a valid rule pattern or none', async () => {
  const { runtime, folder, preview } = await worked('', []);
  for (const [command, pattern, anyPattern] of [
    ["rm '*'", "rm '\\*'", "{rm '\\*',rm \\*}"],
    ['echo a && echo b', 'echo a && echo b', '{echo a,echo b}'],
    ['psql <<E\na\nE', null],
    ['(rm a)', '(rm a)'],
    ['ls ../..', null],
    ['c:x run', null],
    ['/bin/ls', null, '{/bin/ls,ls}'],
    [' ls', null, 'ls'],
  ] as const) {
    const asked = { agent: 'lead', tool: 'bash', input: { command }, folder };
    const { names } = await runtime.request('permissions.explain', asked);
    expect(names).toEqual({ agent: 'lead', pattern, ...(anyPattern === undefined ? {} : { anyPattern }) });
    for (const one of [pattern, anyPattern])
      if (one != null) await preview({ kind: 'add', rule: { effect: 'ask', tool: 'bash', pattern: one } });
  }
});

test('the preview reports the dangers of a rule, and the earlier rule that shadows it', async () => {
  const engine = await worked('[[permissions.rules]]\neffect = "ask"\ntool = "bash_online"\n');
  const of = async (rule: RuleWish) => engine.preview({ kind: 'add', rule });
  expect(await of({ effect: 'allow', tool: 'bash', pattern: '**' })).toMatchObject({
    dangers: ['irreversible'],
    shadowedBy: null,
  });
  const namesOf = async (pattern: string) => (await of({ effect: 'allow', tool: 'spawn_agent', pattern })).bothNames;
  for (const lets of ['**', '{a,spawned:a,b}', '{a*,spawned:*b}']) expect(await namesOf(lets), lets).toBeNull();
  expect(await namesOf('{a,spawned:b}')).toBe('{a,spawned:a,b,spawned:b}');
  expect((await of({ effect: 'allow', tool: '*' })).dangers).toEqual(['outside']);
  expect((await of({ effect: 'allow', tool: 'write_file', pattern: '**' })).dangers).toEqual([]);
  expect((await of({ effect: 'allow', tool: 'delegate_task', pattern: '**' })).dangers).toEqual(['starts']);
  expect((await of({ effect: 'deny', tool: '*' })).dangers).toEqual([]);
  expect(await of({ effect: 'allow', tool: 'bash_online', pattern: '**' })).toMatchObject({
    rule: { id: 'user:2' },
    shadowedBy: 'user:1',
  });
});
