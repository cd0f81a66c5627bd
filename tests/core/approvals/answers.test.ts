/** What is offered, what an answer becomes, and what a grant covers: without a store. */
import { describe, expect, test } from 'vitest';
import type { Reply, Subject } from '#contract/approval.ts';
import type { Grant } from '#contract/permission.ts';
import { Grants } from '#core/approvals/grants.ts';
import { checkReplies, decisionOf, optionsOf } from '#core/approvals/policy.ts';
import type { EventLog } from '#core/store/log/event-log.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import type { Store } from '#core/store/store.ts';
import { grantOf, NOW } from './support.ts';

test('an approval offers to allow once, each available grant, and to reject', () => {
  expect(optionsOf(undefined)).toEqual([
    { id: 'allow', name: 'Allow once', kind: 'allow_once' },
    { id: 'reject', name: 'Reject', kind: 'reject_once' },
  ]);
  const offer = { agent: 'lead', tool: 't', pattern: '*', scopes: ['workflow', 'conversation', 'project'] as const };
  expect(optionsOf({ ...offer, scopes: [...offer.scopes] }).slice(1, 4)).toEqual([
    { id: 'allow_workflow', name: 'Allow in this workflow', kind: 'allow_always' },
    { id: 'allow_conversation', name: 'Allow in this conversation', kind: 'allow_always' },
    { id: 'allow_project', name: 'Always allow for this project', kind: 'allow_always' },
  ]);
  expect(decisionOf({ kind: 'allow', grant: { scope: 'project', pattern: '*' } }, 2, 'h')).toMatchObject({
    item: 2,
    optionId: 'allow_project',
    allowed: true,
    hashBefore: 'h',
    hashAfter: 'h',
  });
});

describe('replies', () => {
  const choices = [
    { label: 'Yes', description: '' },
    { label: 'No', description: '' },
  ];
  const subjectOf = (...kinds: ('single' | 'multiple')[]): Subject =>
    ({ kind: 'questions', questions: kinds.map((kind, n) => ({ kind, choices, question: `Q${n}?` })) }) as never;
  const check = (subject: Subject, ...replies: Reply[]) => checkReplies(subject, replies);

  test('are trimmed, without duplicates and one for each question, and null for an empty reply', () => {
    const both = subjectOf('multiple', 'single');
    expect(check(both, { chosen: ['Yes', 'No', 'Yes'], words: ' and more ' }, null)).toEqual([
      { chosen: ['Yes', 'No'], words: 'and more' },
      null,
    ]);
    expect(check(both, { chosen: [], words: '  ' }, { chosen: ['No'], words: '' })).toEqual([
      null,
      { chosen: ['No'], words: '' },
    ]);
    expect(check(subjectOf('single'), { chosen: [], words: 'Other' })).toEqual([{ chosen: [], words: 'Other' }]);
  });

  test('that do not fit the questions are rejected with the valid choices', () => {
    expect(() => check({ kind: 'tool' } as Subject, null)).toThrow('answered with yes or no');
    expect(() => check(subjectOf('single', 'single'), null)).toThrow('There are 2 questions');
    expect(() => check(subjectOf('single'), { chosen: ['Maybe'], words: '' })).toThrow(
      '“Maybe” is no choice of “Q0?”: Yes, No',
    );
    expect(() => check(subjectOf('single'), { chosen: ['Yes', 'No'], words: '' })).toThrow('“Q0?” takes one answer');
    expect(() => check(subjectOf('single'), { chosen: ['Yes'], words: 'x' })).toThrow('“Q0?” takes one answer');
    const open = { kind: 'questions', questions: [{ kind: 'single', choices: [], question: 'Q?' }] } as never;
    expect(() => check(open, { chosen: ['x'], words: '' })).toThrow('“x” is no choice of “Q?”: write words');
  });
});

/** A store that holds these, and what it was told to keep. */
function grantsOn(stored: Grant[], isKept = true) {
  const saved: unknown[] = [];
  const appended: unknown[] = [];
  const store = {
    grants: () => Promise.resolve(stored),
    grant: (id: string) => Promise.resolve(stored.find((one) => one.id === id) ?? null),
    conversation: () => Promise.resolve(isKept ? {} : null),
  } as unknown as Store;
  const log = {
    open: () => Promise.resolve(),
    exclusive: (_: string, run: () => Promise<unknown>) => run(),
    knowRun: () => Promise.resolve(),
    append: (event: unknown) => Promise.resolve(appended.push(event)),
    save: (writes: unknown[]) => Promise.resolve(saved.push(...writes)),
  } as unknown as EventLog;
  return { grants: new Grants(store, log, null), saved, appended };
}

describe('grants', () => {
  const about = { scope: 'lead', tool: 'write_file', folder: '/work', conversationId: 'c', workflowId: 'w' };
  const source = {
    offer: { agent: 'lead', tool: 'write_file', pattern: 'docs/a.md', scopes: ['workflow' as const] },
    targets: { values: ['docs/a.md'], path: true },
    folder: '/work',
    ids: { conversationId: 'c', workflowId: 'w', runId: 'r', parentRunId: 'p', agent: 'writer' },
    approvalId: 'a',
  };
  const ids = (all: Grant[]) => all.map(({ id }) => id);

  test('are loaded from the store while they are live, and are found by the properties of a call', async () => {
    const { grants } = grantsOn([
      grantOf({ id: 'project' }),
      grantOf({ id: 'conversation', scope: 'conversation' }),
      grantOf({ id: 'workflow', scope: 'workflow' }),
      grantOf({ id: 'elsewhere', scope: 'workflow', workflowId: 'other' }),
      grantOf({ id: 'over', revokedAt: new Date(NOW).toISOString() }),
      grantOf({ id: 'short', expiresAt: '2099-01-01T00:00:00.000Z' }),
    ]);
    await grants.load();
    expect(ids(grants.live(NOW))).toEqual(['project', 'conversation', 'workflow', 'elsewhere', 'short']);
    expect(ids(grants.candidates(about, NOW)).sort()).toEqual(['conversation', 'project', 'short', 'workflow']);
    expect(ids(grants.candidates({ ...about, workflowId: null, conversationId: null }, NOW))).toEqual([
      'project',
      'short',
    ]);
    expect(grants.candidates({ ...about, tool: 'grep' }, NOW)).toEqual([]);
    const later = Date.parse('2099-01-01T00:00:00.000Z');
    expect(ids(grants.candidates(about, later))).not.toContain('short');
    expect(ids(grants.live(NOW)), 'what has ended does not come back').not.toContain('short');
  });

  test('are created with the requested limits, within the offer and only if they match the call', () => {
    const { grants } = grantsOn([]);
    const plain = grants.newGrant({ scope: 'workflow', pattern: 'docs/*.md' }, source);
    expect(plain).toMatchObject({
      agent: 'lead',
      tool: 'write_file',
      pattern: 'docs/*.md',
      folder: '/work',
      scope: 'workflow',
      conversationId: 'c',
      workflowId: 'w',
      runId: 'r',
      parentRunId: 'p',
      askedBy: 'writer',
      approvalId: 'a',
      expiresAt: null,
      maxCalls: null,
      calls: 0,
      revokedAt: null,
    });
    const bounded = grants.newGrant({ scope: 'workflow', pattern: '**', minutes: 2, calls: 3 }, source);
    expect(Date.parse(bounded.expiresAt ?? '') - Date.parse(bounded.givenAt)).toBe(120_000);
    expect(bounded).toMatchObject({ maxCalls: 3 });
    const make =
      (wish: object, from: object = {}) =>
      () =>
        grants.newGrant({ scope: 'workflow', pattern: 'docs/a.md', ...wish }, { ...source, ...from });
    expect(make({ scope: 'project' })).toThrow('can be allowed once only');
    expect(make({}, { offer: undefined })).toThrow('can be allowed once only');
    expect(make({ pattern: 'src/**' })).toThrow('must match what this question is about');
    expect(make({}, { targets: null })).toThrow('must match');
    expect(make({ pattern: '../docs/a.md' })).toThrow(/^The pattern /);
    expect(make({ pattern: '../x' }, { targets: { values: ['../x'], path: false } })).not.toThrow();
  });

  test('emit an event when they are given and at each use, and end with their last use', () => {
    const { grants } = grantsOn([]);
    const told: Payload[] = [];
    const record = (payload: Payload) => Promise.resolve(told.push(payload));
    grants.give(grantOf({ id: 'two', maxCalls: 2 }), record);
    grants.use('two', record);
    expect(ids(grants.candidates(about, NOW))).toEqual(['two']);
    grants.use('two', record);
    expect(told.map((one) => (one.type === 'grant-change' ? [one.change, one.grant.calls] : []))).toEqual([
      ['given', 0],
      ['used', 1],
      ['used', 2],
    ]);
    expect(grants.candidates(about, NOW)).toEqual([]);
    expect(() => grants.use('two', record)).toThrow('There is no grant two');
    expect(told).toHaveLength(3);
  });

  test('are revoked at once with an event of their conversation, or in their row if it is deleted', async () => {
    const { grants, appended, saved } = grantsOn([grantOf({ id: 'g1' }), grantOf({ id: 'old', revokedAt: 'x' })]);
    await grants.load();
    const revoking = grants.revoke('g1');
    expect(grants.candidates(about, NOW), 'before it is stored').toEqual([]);
    const revoked = await revoking;
    expect(revoked.revokedAt).not.toBeNull();
    const where = { conversationId: 'c', workflowId: 'w', runId: 'r', parentRunId: null, agent: 'lead' };
    expect(appended).toEqual([
      { type: 'grant-change', change: 'revoked', grant: revoked, at: revoked.revokedAt, ...where },
    ]);
    expect(saved).toEqual([]);
    await expect(grants.revoke('old')).rejects.toMatchObject({
      code: 'conflict',
      message: 'This grant has ended already',
    });
    await expect(grants.revoke('never')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no grant never',
    });
    const purged = grantsOn([grantOf({ id: 'g1' })], false);
    await purged.grants.load();
    const row = await purged.grants.revoke('g1');
    expect(purged.appended).toEqual([]);
    expect(purged.saved).toEqual([{ table: 'permission_grant', key: 'g1', row }]);
  });
});
