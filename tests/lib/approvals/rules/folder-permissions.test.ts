/** A rule is moved at once where that changes nothing that is decided; else nothing is written before it was looked at. */
import { expect, it } from 'vitest';
import type { JudgedCall, RulePreview } from '#contract/permissions/rule-edit.ts';
import { FolderPermissions } from '#lib/approvals/rules/folder-permissions.svelte.ts';
import { ruleOf } from '../../../core/approvals/support.ts';
import { FakeConnection } from '../../support/fake-connection.ts';

const HASH = 'a'.repeat(64);
const NEXT = 'b'.repeat(64);
const RULES = [1, 2].map((number) => ruleOf({ id: `user:${number}`, effect: 'ask', tool: `t${number}` }));
const PREVIEW: RulePreview = {
  calls: [],
  untold: [],
  rule: RULES[1]!,
  shadowedBy: null,
  dangers: [],
  losesTrust: false,
  untrusted: false,
  startsNothing: false,
  bothNames: null,
};
const turned = { before: { effect: 'ask' }, after: { effect: 'allow' }, dangers: [] } as unknown as JudgedCall;

async function page(preview: RulePreview) {
  const offered: string[] = [];
  const connection = new FakeConnection()
    .on('permissions.list', () => ({
      mode: 'manual',
      trusted: true,
      rules: RULES,
      grants: [],
      unsignedGrants: 0,
      faults: [],
    }))
    .on('rules.list', () => ({
      files: [{ scope: 'user', file: '/config.toml', hash: HASH, rules: RULES, trusted: true, fault: null }],
      shadowed: [],
      startsNothing: [],
    }))
    .on('rules.preview', () => preview)
    .on('rules.change', () => ({ hash: NEXT, line: null }));
  const toasts = { info: () => undefined, error: () => undefined, offer: (said: string) => void offered.push(said) };
  const permissions = new FolderPermissions(connection, toasts);
  await permissions.load('/x');
  const written = () => connection.calls.filter(({ method }) => method === 'rules.change').map(({ input }) => input);
  return { permissions, offered, written };
}

it('moves a rule in the file version that was loaded, and offers an undo', async () => {
  const { permissions, offered, written } = await page(PREVIEW);
  expect(await permissions.move(RULES[1]!, 0, 'ask t2')).toBe(true);
  const change = { scope: 'user', base: HASH, edit: { kind: 'move', index: 1, to: 0 } };
  expect(written()).toEqual([{ folder: '/x', change }]);
  expect(offered).toEqual(['Moved to place 1: ask t2']);
});

it.for<[string, RulePreview]>([
  ['decides a call otherwise', { ...PREVIEW, calls: [turned] }],
  ['ends the trust in the file', { ...PREVIEW, losesTrust: true }],
])('does not move a rule if the move %s', async ([, preview]) => {
  const { permissions, written } = await page(preview);
  expect(await permissions.move(RULES[1]!, 0, 'ask t2')).toBe(false);
  expect(written()).toEqual([]);
});
