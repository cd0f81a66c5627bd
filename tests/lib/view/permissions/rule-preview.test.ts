/** The figures of a preview, and the form of a rule. */
import { describe, expect, it } from 'vitest';
import { Permission } from '#contract/agent.ts';
import { Effect } from '#contract/permission.ts';
import type { JudgedCall, RulePreview } from '#contract/permissions/rule-edit.ts';
import {
  decidedBy,
  EFFECTS,
  figuresOf,
  formOf,
  formOfCall,
  PERMISSIONS,
  wishOf,
} from '#lib/view/permissions/rule-preview.ts';
import { ruleOf } from '../../../core/approvals/support.ts';

const ID = '01957a10-0000-7000-8000-000000000001';

function call(before: Effect, after: Effect, parts: Partial<JudgedCall> & { by?: string } = {}): JudgedCall {
  const { by = 'user:1', ...rest } = parts;
  return {
    conversationId: ID,
    workflowId: ID,
    runId: ID,
    toolCallId: 't',
    item: 0,
    at: '2026-03-01T12:00:00.000Z',
    agent: 'lead',
    tool: 'write_file',
    target: 'a',
    dangers: [],
    before: { effect: before, ruleId: before === after ? by : 'default' },
    after: { effect: after, ruleId: by },
    ...rest,
  };
}

function preview(calls: JudgedCall[], parts: Partial<RulePreview> = {}): RulePreview {
  const rule = ruleOf({ id: 'user:1', effect: 'allow', tool: '*' });
  return {
    calls,
    untold: [],
    rule,
    shadowedBy: null,
    dangers: [],
    startsNothing: false,
    bothNames: null,
    losesTrust: false,
    untrusted: false,
    ...parts,
  };
}

describe('figuresOf', () => {
  it('counts the calls decided by the rule, grouped by old and new effect, with changes first', () => {
    const calls = [
      call('allow', 'allow'),
      call('ask', 'allow'),
      call('ask', 'allow', { dangers: ['irreversible'] }),
      call('deny', 'deny', { by: 'user:2' }),
    ];
    const { looked, decides, turns, changed, loosened } = figuresOf(preview(calls));
    expect({ looked, decides, changed: changed.length, loosened: loosened.length }).toEqual({
      looked: 4,
      decides: 3,
      changed: 2,
      loosened: 1,
    });
    expect(turns).toEqual([
      { before: 'ask', after: 'allow', count: 2 },
      { before: 'allow', after: 'allow', count: 1 },
    ]);
  });

  it('decidedBy counts the calls that each current rule decides', () => {
    const gone = call('allow', 'ask', { before: { effect: 'allow', ruleId: 'user:1' }, by: 'default' });
    expect(decidedBy(preview([gone, gone]))).toEqual(new Map([['user:1', 2]]));
  });

  it('does not count a dangerous call that still needs approval as loosened', () => {
    expect(figuresOf(preview([call('allow', 'ask', { dangers: ['outside'] })])).loosened).toEqual([]);
  });
});

describe('the rule form', () => {
  it('offers every effect and permission of the schema', () => {
    expect([EFFECTS, PERMISSIONS]).toEqual([Effect.options, Permission.options]);
  });

  it('returns the filled fields, and omits empty fields', () => {
    const empty = { effect: 'deny', about: 'bash', agent: '', pattern: '' } as const;
    expect(wishOf(empty)).toEqual({ effect: 'deny', tool: 'bash' });
    expect(wishOf({ ...empty, about: 'Execute', agent: 'a' })).toEqual({
      effect: 'deny',
      permission: 'Execute',
      agent: 'a',
    });
    const rule = ruleOf({ effect: 'ask', permission: 'Execute', pattern: 'x' });
    expect(wishOf(formOf(rule))).toEqual({ effect: 'ask', permission: 'Execute', pattern: 'x' });
  });

  it('of a call takes its names and the opposite effect, but does not allow without a pattern', () => {
    const call = { agent: 'scout', tool: 'bash' };
    const names = { agent: 'spawned:scout', pattern: 'ls \\*.\\{js\\,ts\\}' };
    expect(formOfCall(call, { effect: 'ask', names })).toEqual({ effect: 'allow', about: 'bash', ...names });
    expect(formOfCall(call, { effect: 'allow', names })).toMatchObject({ effect: 'ask' });
    const spelled = { ...names, anyPattern: '{ls \\*,ls}' };
    expect(formOfCall(call, { effect: 'ask', names: spelled }).pattern).toBe(names.pattern);
    expect(formOfCall(call, { effect: 'allow', names: spelled }).pattern).toBe(spelled.anyPattern);
    const nothing = { ...names, pattern: null };
    expect(formOfCall(call, { effect: 'ask', names: nothing })).toMatchObject({ effect: 'ask', pattern: '' });
    expect(formOfCall(call, { effect: 'ask' })).toMatchObject({ effect: 'ask', agent: 'scout', pattern: '' });
  });
});
