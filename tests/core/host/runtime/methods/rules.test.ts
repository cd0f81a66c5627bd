/** Rules are changed in their files by the person alone, over what they looked at, and nothing else of a file changes. */
import { chmod, mkdir, readFile, rm, symlink, writeFile as put } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RuleChange, RuleEdit } from '#contract/permissions/rule-edit.ts';
import { sha256 } from '#core/base/hash.ts';
import { startEngine } from '../../../../support/engine.ts';
import { writeFile } from '../../../../support/fake-model/scenarios.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { folderWith } from '../../../../support/workspace.ts';

const { start, configFolder } = sharedEngine();
const CONFIG = join(configFolder, 'config.toml');
const PROJECT = '.triad/config.toml';

const RULES = `# Careful.
[[permissions.rules]]
effect = "allow" # words only
tool = "write_file"
pattern = "docs/**"
`;
const ALLOW = { effect: 'allow', tool: 'write_file', pattern: 'docs/**' } as const;

async function editor(rules: string, files: Record<string, string> = {}) {
  const engine = await start(writeFile(), { rules, files: { 'README.md': '', ...files } });
  const { runtime, folder } = engine;
  const list = async () => (await runtime.request('rules.list', { folder })).files;
  const base = async (scope: RuleChange['scope']) => (await list()).find((one) => one.scope === scope)!.hash;
  const change = async (edit: RuleEdit, scope: RuleChange['scope'] = 'user') =>
    runtime.request('rules.change', { folder, change: { scope, base: await base(scope), edit } });
  const file = join(folder, PROJECT);
  return { ...engine, list, base, change, file, text: () => readFile(file, 'utf8') };
}

test('a changed rule applies to the next call, leaves the rest of the file unchanged and can be undone', async () => {
  const { change, runtime, folder } = await editor(RULES);
  const explain = async () => {
    const input = { path: 'docs/a.md', content: '' };
    return (await runtime.request('permissions.explain', { agent: 'lead', tool: 'write_file', input, folder })).effect;
  };
  expect(await explain()).toBe('allow');
  const { hash, line } = await change({ kind: 'change', index: 0, rule: { ...ALLOW, effect: 'deny' } });
  const text = await readFile(CONFIG, 'utf8');
  expect(text).toBe(RULES.replace('"allow"', '"deny"'));
  expect({ hash, line }).toEqual({ hash: sha256(text), line: 2 });
  expect(await explain()).toBe('deny');
  await runtime.request('rules.undo', { folder, scope: 'user', base: hash });
  expect(await readFile(CONFIG, 'utf8')).toBe(RULES);
});

test('saving another setting keeps an added rule', async () => {
  const { change, runtime } = await editor('');
  await change({ kind: 'add', rule: ALLOW });
  await runtime.request('settings.set', { path: 'limits.max_sub_agents', value: 2 });
  onTestFinished(() =>
    runtime.request('settings.set', { path: 'limits.max_sub_agents', value: null }).then(() => undefined),
  );
  expect(await readFile(CONFIG, 'utf8')).toContain('pattern = "docs/**"');
});

test('does not overwrite a rule file that changed on disk meanwhile', async () => {
  const { base, runtime, folder } = await editor(RULES);
  const change = { scope: 'user', base: await base('user'), edit: { kind: 'remove', index: 0 } } as const;
  await put(CONFIG, `${RULES}# mine\n`);
  for (const asked of [
    () => runtime.request('rules.change', { folder, change }),
    () => runtime.request('rules.preview', { folder, change }),
    () => runtime.request('rules.undo', { folder, scope: 'user', base: change.base }),
  ])
    await expect(asked()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/Look at it again/) as string,
    });
  expect(await readFile(CONFIG, 'utf8')).toBe(`${RULES}# mine\n`);
});

test('rejects the second of two changes based on one file state', async () => {
  const { base, runtime, folder } = await editor(RULES);
  const hash = await base('user');
  const add = (pattern: string) =>
    runtime.request('rules.change', {
      folder,
      change: { scope: 'user', base: hash, edit: { kind: 'add', rule: { ...ALLOW, pattern } } },
    });
  const done = await Promise.allSettled([add('a'), add('b')]);
  expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test.for([
  ['no effect that there is', { effect: 'allow', tool: 'a', permission: 'Execute' }, /needs a tool or a permission/],
  ['what it is not about', { effect: 'allow' }, /needs a tool or a permission/],
  ['a bomb', { ...ALLOW, pattern: `${'{a,b}'.repeat(12)}` }, /pattern has too many alternatives/],
  ['a long one', { ...ALLOW, pattern: `${'{,a}'.repeat(6)}${'*a'.repeat(400)}` }, /pattern is too long/],
  ['a bomb of tools', { ...ALLOW, tool: `${'{a,b}'.repeat(12)}` }, /tool has too many alternatives/],
  ['what leads out', { ...ALLOW, pattern: '../x' }, /pattern must not have "\.\."/],
  ['what turns text around', { ...ALLOW, pattern: 'docs/\u202Egpj' }, /cannot be seen: docs\/⟦U\+202E⟧gpj/],
  ['a name that looks like another', { ...ALLOW, agent: 'le\u200Bad' }, /agent has characters that cannot be seen/],
  ['another line', { ...ALLOW, pattern: 'a"\n[x]' }, /end of line/],
  ['a space', { ...ALLOW, pattern: 'docs/** ' }, /space/],
] as const)('rejects a rule with %s and explains the fault', async ([, rule, message]) => {
  const { change } = await editor(RULES);
  await expect(change({ kind: 'add', rule })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(message) as string,
  });
  expect(await readFile(CONFIG, 'utf8')).toBe(RULES);
});

test('a faulty settings file is listed with the location of its fault and cannot be changed', async () => {
  const { change, list } = await editor(`${RULES}[limits]\nmax_sub_agent = 1\n`);
  const [mine] = await list();
  expect(mine?.fault).toMatch(/config\.toml:7: limits\.max_sub_agent is not a setting \(did you mean/);
  await expect(change({ kind: 'remove', index: 0 })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('Put that right first') as string,
  });
});

test.for([
  [{ kind: 'remove', index: 1 }, 2],
  [{ kind: 'change', index: 5, rule: ALLOW }, 6],
  [{ kind: 'move', index: 0, to: 1 }, 2],
  [{ kind: 'move', index: 3, to: 0 }, 4],
  [{ kind: 'add', at: 2, rule: ALLOW }, 3],
] satisfies [RuleEdit, number][])(
  'rejects %o for a file with one rule: rule %i does not exist',
  async ([edit, number]) => {
    const { change } = await editor(RULES);
    await expect(change(edit)).rejects.toMatchObject({
      code: 'not_found',
      message: `${CONFIG} has no rule ${number}: it has 1`,
    });
    expect(await readFile(CONFIG, 'utf8')).toBe(RULES);
  },
);

test('does not change a rule file that other users can write', async () => {
  const { runtime, folder } = await editor(RULES);
  await chmod(CONFIG, 0o666);
  onTestFinished(() => chmod(CONFIG, 0o600));
  const change = { scope: 'user', base: sha256(RULES), edit: { kind: 'remove', index: 0 } } as const;
  await expect(runtime.request('rules.change', { folder, change })).rejects.toMatchObject({ code: 'not_allowed' });
});

test('an edit of a trusted project rule file revokes its trust, and undo restores the trusted rules', async () => {
  const { change, list, text, trust, folder, runtime } = await editor('', { [PROJECT]: RULES });
  const held = async () => (await runtime.request('permissions.list', { folder })).rules.map(({ effect }) => effect);
  const trusted = async () => (await list()).find(({ scope }) => scope === 'project')!.trusted;
  expect({ held: await held(), trusted: await trusted() }).toEqual({ held: [], trusted: false });
  await trust.set(folder, new Map([[PROJECT, sha256(RULES)]]));
  expect({ held: await held(), trusted: await trusted() }).toEqual({ held: ['allow'], trusted: true });
  const rule = { effect: 'deny', tool: 'bash' } as const;
  const asked = { scope: 'project', base: sha256(RULES), edit: { kind: 'add', rule } } as const;
  expect(await runtime.request('rules.preview', { folder, change: asked })).toMatchObject({ losesTrust: true });
  const { hash } = await change({ kind: 'add', rule }, 'project');
  expect(await text()).toBe(`${RULES}\n[[permissions.rules]]\neffect = "deny"\ntool = "bash"\n`);
  expect({ held: await held(), trusted: await trusted() }).toEqual({ held: ['deny'], trusted: false });
  await runtime.request('rules.undo', { folder, scope: 'project', base: hash });
  expect({ text: await text(), held: await held() }).toEqual({ text: RULES, held: ['allow'] });
});

test('adding a rule creates a missing project rule file, and undo removes the file again', async () => {
  const { change, text, runtime, folder, list } = await editor('');
  const { hash } = await change({ kind: 'add', rule: ALLOW }, 'project');
  expect(await text()).toBe('[[permissions.rules]]\neffect = "allow"\ntool = "write_file"\npattern = "docs/**"\n');
  const asked = { scope: 'project', base: hash, edit: { kind: 'move', index: 0, to: 0 } } as const;
  expect(await runtime.request('rules.preview', { folder, change: asked })).toMatchObject({ untrusted: true });
  expect((await list())[1]).toMatchObject({ trusted: false, rules: [{ id: 'project:1', effect: 'allow' }] });
  await runtime.request('rules.undo', { folder, scope: 'project', base: hash });
  await expect(text()).rejects.toThrow('ENOENT');
});

test.for(['.triad', PROJECT])('does not read or write project rules through a link at %s', async (at) => {
  const { runtime, folder, list } = await editor('');
  const elsewhere = await folderWith({ 'config.toml': RULES });
  if (at === PROJECT) await mkdir(join(folder, '.triad'));
  await symlink(at === PROJECT ? join(elsewhere, 'config.toml') : elsewhere, join(folder, at));
  expect((await list())[1]?.fault).toMatch(/is a link/);
  const change = { scope: 'project', base: sha256(RULES), edit: { kind: 'remove', index: 0 } } as const;
  await expect(runtime.request('rules.change', { folder, change })).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await readFile(join(elsewhere, 'config.toml'), 'utf8')).toBe(RULES);
});

test('records each rule change with author, hashes and the old and new rule, or makes no change', async () => {
  const data = await folderWith();
  const { runtime, folder } = await startEngine(writeFile(), {
    data,
    configFolder: await folderWith({ 'config.toml': RULES }),
  });
  const change = (base: string, edit: RuleEdit) =>
    runtime.request('rules.change', { folder, change: { scope: 'user', base, edit } });
  const { hash } = await change(sha256(RULES), { kind: 'change', index: 0, rule: { effect: 'ask', tool: 'bash' } });
  await runtime.request('rules.undo', { folder, scope: 'user', base: hash });
  const record = join(data, 'rule-changes.jsonl');
  const lines = (await readFile(record, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      by: 'person',
      scope: 'user',
      what: 'change',
      hashBefore: sha256(RULES),
      hashAfter: hash,
      before: ALLOW,
      after: { effect: 'ask', tool: 'bash' },
    },
    { by: 'person', what: 'undo', hashBefore: hash, hashAfter: sha256(RULES) },
  ]);
  // Where it cannot be recorded it is not made.
  await rm(record);
  await mkdir(record);
  await expect(change(sha256(RULES), { kind: 'remove', index: 0 })).rejects.toThrow();
  const [mine] = (await runtime.request('rules.list', { folder })).files;
  expect(mine?.hash).toBe(sha256(RULES));
});
