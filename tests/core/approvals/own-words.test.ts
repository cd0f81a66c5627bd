/** What is said of a sub-agent's own actions, and which rules and grants a call is held against: from what decides, without an engine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Grant, Rule } from '#contract/permission.ts';
import { Grants } from '#core/approvals/grants.ts';
import { ownActions } from '#core/approvals/own-actions.ts';
import { Permissions } from '#core/approvals/permissions.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { folderWith } from '../../support/workspace.ts';
import { actionOf, grantOf, NOW, ruleOf } from './support.ts';

describe('the description of actions that require approval', () => {
  const write = actionOf({ agent: 'w', scope: 'w', targets: null });
  const read = actionOf({
    agent: 'w',
    scope: 'w',
    tool: 'read_file',
    permissions: ['FilesystemRead'],
    targets: null,
    asks: false,
  });
  const decided = { approve: 'ask' as const, rules: [] as Rule[], grants: [] as Grant[], now: NOW };
  const said = (
    parts: Partial<typeof decided> | { approve: 'all' | 'none' } = {},
    own = [read],
    possible = [read, write],
  ) => ownActions({ own, possible }, { ...decided, ...parts });

  test('differs by mode, and lists the tools that would require approval', () => {
    const { writers, byMode, without } = said();
    expect(writers).toEqual(['write_file']);
    expect(byMode.manual).toMatch(/^Each of its own actions .* will be asked about first\. Files that run code/);
    expect(byMode.selective).toMatch(
      /those of low risk.*will not be asked about; the others will\. Files that run code/,
    );
    expect(byMode.auto).toMatch(/will not be asked about where they can be undone.*Files that run code/);
    expect(without).toBe('It has no tool that writes files or reaches out.');
  });

  test('says for the policy all in every mode that nothing will be asked, and for none that questions get a no', () => {
    const all = said({ approve: 'all' });
    expect([...Object.values(all.byMode), all.without]).toEqual(Array(4).fill(all.without));
    expect(all.without).toMatch(/nothing will be asked/);
    expect(said({ approve: 'none' }).byMode.manual).toMatch(/with a no to every question/);
  });

  test('names rules, grants and requirements of the definition only if they concern a possible call', () => {
    const rules = [
      ruleOf({ id: 'user:1', effect: 'deny', tool: 'write_file', pattern: 'private/**' }),
      ruleOf({ id: 'user:2', effect: 'ask', tool: 'bash' }),
      ruleOf({ id: 'user:3', effect: 'allow', tool: 'read_file' }),
    ];
    const grants = [
      grantOf({ id: '1' }),
      grantOf({ id: '2', tool: 'bash' }),
      grantOf({ id: '3', pattern: 'old/**', revokedAt: 'x' }),
    ];
    const requires = { requires: ['grep', 'FilesystemRead'] };
    const one = said(
      { rules, grants: [grants[0]!, ...grants] },
      [{ ...read, ...requires }],
      [{ ...read, ...requires }, write],
    );
    expect(one.byMode.manual).toContain(
      'What was decided before goes before that (denying first, then the project’s file before yours, and in one file asking before allowing): ' +
        'Your rule denies the tool write_file on private/** for all agents (/config.toml:1); ' +
        'Your rule allows the tool read_file for all agents (/config.toml:1); ' +
        'You allowed lead to use write_file on docs/*.md always for this project; ' +
        'Its definition wants you to be asked about grep, FilesystemRead.',
    );
    expect(one.without).toContain('Your rule allows the tool read_file');
    expect(one.without).not.toContain('write_file');
    expect(one.without).not.toContain('You allowed');
    expect(said({ rules: [rules[1]!] }).byMode.manual).not.toContain('decided before');
  });
});

describe('the forecast whether a call requires approval', () => {
  const decided = { approve: 'ask' as 'ask' | 'all' | 'none', rules: [] as Rule[], grants: [] as Grant[], now: NOW };
  const of = (call: Parameters<typeof actionOf>[0], parts: Partial<typeof decided> = {}) => {
    const action = actionOf({ targets: null, ...call });
    const [group] = ownActions({ own: [], possible: [action] }, { ...decided, ...parts }).calls ?? [];
    return Object.values(group?.asking ?? {});
  };
  const bash = { tool: 'bash', permissions: ['Execute', 'FilesystemWrite'] as const };
  const net = { tool: 'web_fetch', permissions: ['NetworkAccess'] as const };
  const read = { tool: 'read_file', permissions: ['FilesystemRead'] as const, asks: false };
  const all = (tool: string, more: Partial<Rule> = {}) => [ruleOf({ tool, ...more })];

  test.each([
    ['a write, by mode; what steers programs is asked about in any', {}, {}, ['all', 'some', 'some']],
    ['a command: whether it can be undone is not known', bash, {}, ['all', 'all', 'some']],
    ['the network', net, {}, ['all', 'all', 'none']],
    ['a server that changes something', { ...net, server: 'x' }, {}, ['all', 'all', 'all']],
    ['a read', read, {}, ['none', 'none', 'none']],
    ['a read that its definition names', { ...read, requires: ['read_file'] }, {}, ['all', 'all', 'all']],
    [
      'a read that a rule asks about in parts',
      read,
      { rules: all('read_file', { pattern: 'a/**' }) },
      ['some', 'some', 'some'],
    ],
    ['what a rule denies', {}, { rules: all('write_file', { effect: 'deny' }) }, ['refused', 'refused', 'refused']],
    ['what a rule allows', net, { rules: all('web_fetch', { effect: 'allow' }) }, ['none', 'none', 'none']],
    [
      'what a rule allows in parts',
      net,
      { rules: all('web_fetch', { effect: 'allow', pattern: 'a' }) },
      ['some', 'some', 'none'],
    ],
    ['what is granted', {}, { grants: [grantOf()] }, ['some', 'some', 'some']],
    ['a yes to everything', bash, { approve: 'all' }, ['none', 'none', 'none']],
    ['a no to every question', bash, { approve: 'none' }, ['refused', 'refused', 'refused']],
    ['a no does not concern what is not asked', read, { approve: 'none' }, ['none', 'none', 'none']],
  ] as const)('%s', (_, call, parts, asking) => {
    expect(of(call as Parameters<typeof actionOf>[0], parts as Partial<typeof decided>)).toEqual(asking);
  });

  test('groups tools with equal forecasts, and marks tools that an agent always has', () => {
    const possible = ['write_file', 'edit_file', 'read_file'].map((tool) =>
      actionOf({ tool, targets: null, ...(tool === 'read_file' ? read : {}) }),
    );
    const { calls } = ownActions({ own: [], possible, always: new Set(['read_file']) }, decided);
    expect(calls?.map(({ tools, always }) => [tools, always])).toEqual([
      [['write_file', 'edit_file'], undefined],
      [['read_file'], true],
    ]);
  });
});

describe('the permission check of a call', () => {
  const toml = (lines: string) => `[[permissions.rules]]\n${lines}\n`;
  async function permissionsWith(text: string, found: Grant[] = []) {
    const folder = await folderWith({});
    const file = join(await folderWith({ 'config.toml': text }), 'config.toml');
    const used: string[] = [];
    const grants = { candidates: () => found, use: (id: string) => used.push(id) } as unknown as Grants;
    const permissions = new Permissions(grants, {
      file,
      isTrusted: () => Promise.resolve(true),
      startedFrom: () => Promise.resolve([]),
    });
    return { permissions, folder, file, used };
  }
  const record = () => Promise.resolve();

  test('uses the current rules, and shares one read between concurrent checks', async () => {
    const { permissions, folder, file } = await permissionsWith(toml('effect = "deny"\ntool = "write_file"'));
    const action = actionOf({ folder });
    expect(permissions.rules(folder)).toBe(permissions.rules(folder));
    expect(await permissions.explain(action)).toMatchObject({ effect: 'deny', ruleId: 'user:1' });
    await writeFile(file, toml('effect = "allow"\ntool = "write_file"'));
    await new Promise(setImmediate);
    expect(await permissions.explain(action)).toMatchObject({ effect: 'allow' });
  });

  test('counts the use of a grant when it decides, and not when it explains', async () => {
    const { permissions, folder, used } = await permissionsWith('', [grantOf({ id: 'g9', expiresAt: null })]);
    const action = actionOf({});
    expect(await permissions.explain(action)).toMatchObject({ ruleId: 'grant:g9' });
    expect(used).toEqual([]);
    await permissions.decide(action, record);
    expect(used).toEqual(['g9']);
    await permissions.decide(actionOf({ folder, tool: 'grep' }), record);
    expect(used).toEqual(['g9']);
  });

  test('cannot spend the last use of a grant twice in concurrent calls', async () => {
    const store = await memoryStore();
    const grants = new Grants(store, new EventLog(store, () => undefined), null);
    grants.give(grantOf({ maxCalls: 1 }), record);
    const permissions = new Permissions(grants, {
      file: join(await folderWith({}), 'config.toml'),
      isTrusted: () => Promise.resolve(true),
      startedFrom: () => Promise.resolve([]),
    });
    const verdicts = await Promise.all([1, 2, 3].map(() => permissions.decide(actionOf({}), record)));
    expect(verdicts.map(({ effect }) => effect)).toEqual(['allow', 'ask', 'ask']);
    await store.close();
  });

  test('requires approval again after the grant expires', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const { permissions } = await permissionsWith('', [grantOf({ expiresAt })]);
    expect(await permissions.decide(actionOf({}), record)).toMatchObject({ effect: 'allow' });
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 660_000);
    onTestFinished(() => later.mockRestore());
    expect(await permissions.decide(actionOf({}), record)).toMatchObject({ effect: 'ask' });
  });

  test('of a search excludes files that rules deny to the tool or to reading, or that need separate approval', async () => {
    const { permissions, folder } = await permissionsWith(
      [
        toml('effect = "deny"\ntool = "grep"\npattern = "a/**"'),
        toml('effect = "deny"\ntool = "read_file"\npattern = "b/**"'),
        toml('effect = "deny"\ntool = "write_file"\npattern = "c/**"'),
        toml('effect = "ask"\ntool = "grep"\npattern = "d/**"'),
        toml('effect = "ask"\ntool = "grep"\npattern = "src/**"'),
        toml('effect = "ask"\ntool = "read_file"\npattern = "e/**"'),
        toml('effect = "allow"\ntool = "grep"\npattern = "f/**"'),
        toml('effect = "deny"\ntool = "grep"\nagent = "other"\npattern = "g/**"'),
        toml('effect = "deny"\ntool = "glob"'),
      ].join(''),
    );
    const about = { folder, permissions: ['FilesystemRead' as const], asks: false };
    const grep = actionOf({ ...about, tool: 'grep', targets: { values: ['src/x'], path: true } });
    const reading = actionOf({ ...about, tool: 'read_file', targets: { values: ['src/x'], path: true } });
    expect(await permissions.hidden(grep, reading)).toEqual(['a/**', 'b/**', 'd/**']);
  });
});
