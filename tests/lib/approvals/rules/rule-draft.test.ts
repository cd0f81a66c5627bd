/** The form of a rule asks what it would decide, and believes no answer that is late. */
import { expect, it } from 'vitest';
import type { RulePreview } from '#contract/permissions/rule-edit.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { RuleDraft } from '#lib/approvals/rules/rule-draft.svelte.ts';
import { ruleOf } from '../../../core/approvals/support.ts';
import { FakeConnection } from '../../support/fake-connection.ts';

const HASH = 'a'.repeat(64);
const FILES = [
  { scope: 'user', file: '/config.toml', hash: HASH, rules: [], trusted: true, fault: null },
  { scope: 'project', file: '/x/.triad/config.toml', hash: null, rules: [], trusted: true, fault: null },
] as const;
const PREVIEW: RulePreview = {
  calls: [],
  untold: [],
  rule: null,
  shadowedBy: null,
  dangers: [],
  losesTrust: false,
  untrusted: false,
  startsNothing: false,
  bothNames: null,
};
const files = FILES.map((file) => ({ ...file, rules: [] }));

const writing = (preview = PREVIEW) =>
  new FakeConnection().on('rules.preview', () => preview).on('rules.change', () => ({ hash: 'b'.repeat(64), line: 1 }));

it('saves a dangerous rule only after the danger was shown', async () => {
  const connection = writing({ ...PREVIEW, dangers: ['outside'] });
  const draft = new RuleDraft(connection, { folder: '/x', files });
  draft.form.effect = 'allow';
  expect(await draft.save()).toBeNull();
  expect(draft.preview?.dangers).toEqual(['outside']);
  expect(await draft.save()).toBe('b'.repeat(64));
  draft.form.about = '*';
  expect(await draft.save()).toBeNull();
  expect(connection.calls.map(({ method }) => method)).toEqual([...['rules.preview', 'rules.change', 'rules.preview']]);
});

it('changes a rule at its position, with the loaded file hash as the base', async () => {
  const rule = ruleOf({ id: 'project:3', scope: 'project', effect: 'deny', tool: 'bash' });
  const connection = writing();
  const draft = new RuleDraft(connection, { folder: '/x', files, rule });
  draft.form.pattern = 'rm **';
  expect(await draft.save()).toBe('b'.repeat(64));
  const edit = { kind: 'change', index: 2, rule: { effect: 'deny', tool: 'bash', pattern: 'rm **' } };
  expect(connection.calls.slice(1)).toEqual([
    { method: 'rules.change', input: { folder: '/x', change: { scope: 'project', base: null, edit } } },
  ]);
});

it('ignores a late preview of an older form state', async () => {
  const answers: ((preview: RulePreview) => void)[] = [];
  const connection = new FakeConnection().on(
    'rules.preview',
    () => new Promise<RulePreview>((resolve) => answers.push(resolve)),
  );
  const draft = new RuleDraft(connection, { folder: '/x', files });
  const first = draft.look(draft.change);
  draft.form.about = 'bash';
  const second = draft.look(draft.change);
  answers[1]!({ ...PREVIEW, shadowedBy: 'user:1' });
  await second;
  answers[0]!(PREVIEW);
  await first;
  expect(draft.preview?.shadowedBy).toBe('user:1');
});

it('reports why a rule was not saved, and preserves the values of the form', async () => {
  const connection = writing().on('rules.change', () => {
    throw new RequestError('conflict', 'It is not what you looked at');
  });
  const draft = new RuleDraft(connection, { folder: '/x', files });
  draft.form.about = 'bash';
  expect(await draft.save()).toBeNull();
  expect(draft.failure?.code).toBe('conflict');
  expect([draft.form.about, draft.saving]).toEqual(['bash', false]);
});

it('moves a changed rule to a chosen position, and adds a new rule at any position', async () => {
  const mine = [1, 2, 3].map((number) => ruleOf({ id: `user:${number}`, effect: 'ask', tool: 'bash' }));
  const filled = files.map((file) => (file.scope === 'user' ? { ...file, rules: mine } : file));
  const draft = new RuleDraft(writing(), { folder: '/x', files: filled, rule: mine[1]! });
  expect([draft.place, draft.count, draft.change.edit]).toEqual([1, 3, expect.not.objectContaining({ to: 1 })]);
  draft.to = 0;
  expect(draft.change.edit).toMatchObject({ kind: 'change', index: 1, to: 0 });
  const fresh = new RuleDraft(writing(), { folder: '/x', files: filled });
  expect([fresh.place, fresh.count, fresh.change.edit]).toEqual([3, 4, expect.not.objectContaining({ at: 3 })]);
  fresh.to = 1;
  expect(fresh.change.edit).toMatchObject({ kind: 'add', at: 1 });
  // In another file it is the last one again.
  fresh.writeIn('project');
  expect(fresh.change).toMatchObject({ scope: 'project', edit: { kind: 'add' } });
  expect(fresh.change.edit).not.toHaveProperty('at');
});
