/** The explainer says what the gate would do, with all that makes it so; what is unknown is never allowed. */
import { mkdir, symlink, writeFile as put } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startEngine } from '../../../../support/engine.ts';
import { plainAnswer, writeFile } from '../../../../support/fake-model/scenarios.ts';
import { samples } from '../../../../support/samples.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';

const { start, configFolder } = sharedEngine();

const RULES = `[[permissions.rules]]
effect = "allow"
tool = "*"

[[permissions.rules]]
effect = "deny"
tool = "write_file"
pattern = "private/**"
`;

async function explainer(rules: string, files: Record<string, string> = {}) {
  const engine = await start(writeFile(), { rules, files: { 'README.md': '', ...files } });
  const explain = (agent: string, tool: string, input: unknown) =>
    engine.runtime.request('permissions.explain', { agent, tool, input, folder: engine.folder });
  return { ...engine, configFolder, explain };
}

test('the verdict names the deciding rule with file and line, and the other rules considered', async () => {
  const { explain, configFolder } = await explainer(RULES);
  const verdict = await explain('lead', 'write_file', { path: 'private/a.md', content: '' });
  expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'user:2' });
  expect(verdict.steps.map(({ id, effect, decides }) => [id, effect, decides])).toEqual([
    ['user:2', 'deny', true],
    ['user:1', 'allow', false],
    ['default', 'ask', false],
  ]);
  expect(verdict.steps[0]?.place).toEqual({ file: join(configFolder, 'config.toml'), line: 5 });
});

test.for([
  ['write_file', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }],
  ['edit_file', 'write_file', { path: 'a.txt', content: 'two' }],
] as const)(
  'a rule that denies %s also denies %s, but a rule that allows the first does not allow the second',
  async ([named, tool, input]) => {
    for (const [effect, expected] of [
      ['deny', 'deny'],
      ['allow', 'ask'],
    ] as const) {
      const { explain, folder } = await explainer(`[[permissions.rules]]\neffect = "${effect}"\ntool = "${named}"\n`);
      await put(join(folder, 'a.txt'), 'one');
      expect(await explain('lead', tool, input)).toMatchObject({ effect: expected });
    }
  },
);

test('mode selective allows a new file, and requires approval for each start of a sub-agent', async () => {
  const { runtime, folder } = await startEngine(plainAnswer(), { settings: 'permissions.mode = "selective"\n' });
  const explain = (tool: string, input: unknown) =>
    runtime.request('permissions.explain', { agent: 'lead', tool, input, folder });
  expect(await explain('write_file', { path: 'new.md', content: '' })).toMatchObject({ effect: 'allow' });
  const spawn = { operation: 'spawn', name: 'helper', prompt: 'Look.' };
  expect(await explain('spawn_agent', spawn)).toMatchObject({ effect: 'ask' });
  const delegate = { operation: 'delegate', agent_id: 'code-reviewer', prompt: 'Look.' };
  expect(await explain('delegate_task', delegate)).toMatchObject({ effect: 'ask' });
});

test('a symbolic link does not bypass a rule', async () => {
  const { explain, folder } = await explainer(RULES);
  await mkdir(join(folder, 'private'));
  await symlink('private', join(folder, 'open'));
  expect(await explain('lead', 'write_file', { path: 'open/a.md', content: '' })).toMatchObject({
    effect: 'deny',
  });
});

test.for([
  ['a path outside', 'lead', 'read_file', { path: '../x' }, /outside the workspace/],
  ['a file of keys', 'lead', 'read_file', { path: '.env' }, /usually holds keys/],
  [
    'a tool that it has not',
    'code-reviewer',
    'write_file',
    { path: 'a.md', content: '' },
    /does not have the tool write_file/,
  ],
  [
    'a tool of leads alone',
    'code-reviewer',
    'spawn_agent',
    { operation: 'list_children' },
    /does not have the tool spawn_agent/,
  ],
] as const)('denies %s even if a rule allows everything', async ([, agent, tool, input, reason]) => {
  const { explain } = await explainer('[[permissions.rules]]\neffect = "allow"\ntool = "*"\n');
  const verdict = await explain(agent, tool, input);
  expect(verdict.effect).toBe('deny');
  expect(verdict.reason).toMatch(reason);
});

test.for([
  ['no such agent, which is said first', 'nobody', 'rm', null, 'not_found', /^agent not found: "nobody"/],
  [
    'no such tool',
    'lead',
    'rm',
    { path: 'README.md' },
    'not_found',
    /^There is no tool "rm"\. There are: .*write_file/,
  ],
  ['no arguments', 'lead', 'write_file', {}, 'bad_input', /^write_file needs path=… content=…$/],
  ['null', 'lead', 'read_file', null, 'bad_input', /^read_file must be a table, not null$/],
  ['a missing argument', 'lead', 'write_file', { content: '' }, 'bad_input', /^write_file needs path=…$/],
  ['no operation', 'lead', 'spawn_agent', {}, 'bad_input', /^spawn_agent needs operation=…$/],
  ['one of another kind', 'lead', 'read_file', { path: 1 }, 'bad_input', /^read_file: path must be a text, not 1$/],
  [
    'an unknown one',
    'lead',
    'read_file',
    { path: 'a', force: true },
    'bad_input',
    /^read_file has nothing named force$/,
  ],
] as const)(
  'rejects an invalid call with a one-line explanation: %s',
  async ([, agent, tool, input, code, message]) => {
    const { explain } = await explainer('');
    const found: unknown = await explain(agent, tool, input).catch((error: unknown) => error);
    expect(found).toMatchObject({ code, message: expect.stringMatching(message) as string });
  },
);

test.for([
  ['write_file', { path: 'new.md' }, 'ask'],
  ['edit_file', { path: 'README.md' }, 'ask'],
  ['edit_file', { path: 'docs/x.md' }, 'allow'],
  ['edit_file', { path: '../x' }, 'deny'],
  ['write_file', { path: '.env' }, 'deny'],
  ['spawn_agent', { name: 'helper' }, 'ask'],
  ['delegate_task', { agent_id: 'code-reviewer' }, 'ask'],
  ['delegate_task', { operation: 'list_agents' }, 'allow'],
  ['spawn_agent', { operation: 'list_children' }, 'allow'],
  ['spawn_agent', { operation: 'terminate', child_id: 'x' }, 'allow'],
] as const)(
  'evaluates %s with incomplete input %j if no rule concerns the missing arguments',
  async ([tool, input, effect]) => {
    const { explain } = await explainer(
      '[[permissions.rules]]\neffect = "allow"\ntool = "*_file"\npattern = "docs/**"\n',
    );
    expect(await explain('lead', tool, input)).toMatchObject({ effect });
  },
);

test('allows a write of unchanged content, unless a rule requires approval', async () => {
  const there = { path: 'README.md', content: '# Read me\n' };
  const files = { [there.path]: there.content };
  const { explain } = await explainer('', files);
  const written = await explain('lead', 'write_file', there);
  expect(await explain('lead', 'write_file', { ...there, content: 'Other.\n' })).toMatchObject({ effect: 'ask' });
  expect(written).toMatchObject({ effect: 'allow', ruleId: 'default' });
  const { explain: asking } = await explainer('[[permissions.rules]]\neffect = "ask"\ntool = "write_file"\n', files);
  expect(await asking('lead', 'write_file', there)).toMatchObject({ effect: 'ask', ruleId: 'user:1' });
});

test('evaluates each part of a compound command separately', async () => {
  const { explain } = await explainer(
    '[[permissions.rules]]\neffect = "deny"\ntool = "bash"\npattern = "rm **"\n[[permissions.rules]]\neffect = "ask"\ntool = "bash"\npattern = "git *"\n',
  );
  const { effect, parts } = await explain('lead', 'bash', { command: 'git status && rm -rf dist' });
  expect(effect).toBe('deny');
  expect(parts?.map((part) => [part.value, part.effect])).toEqual([
    ['git status', 'ask'],
    ['rm -rf dist', 'deny'],
  ]);
  expect(await explain('lead', 'bash', { command: 'git status' })).not.toHaveProperty('parts');
});

test('the verdict names the list of the settings that matches, with its file and line', async () => {
  const { explain, configFolder } = await explainer(
    '[permissions]\nsecret_files = ["customers/**"]\nalways_ask = ["deploy/**"]\n',
  );
  const file = join(configFolder, 'config.toml');
  const secret = await explain('lead', 'read_file', { path: 'customers/x.md' });
  const tail = 'tools neither read nor write it';
  expect([secret.effect, secret.reason]).toEqual([
    'deny',
    `customers/x.md is in permissions.secret_files (${file}:2): ${tail}`,
  ]);
  const asked = await explain('lead', 'write_file', { path: 'deploy/x', content: '' });
  const [step] = asked.steps;
  expect(step).toMatchObject({ effect: 'ask', place: { file, line: 3 } });
  expect(step?.text).toContain(`deploy/x is in permissions.always_ask (${file}:3): `);
});

test('never allows input that does not match the schema of the tool', async () => {
  const { explain } = await explainer('[[permissions.rules]]\neffect = "allow"\ntool = "*"\n');
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.record({ path: fc.jsonValue(), content: fc.oneof(fc.integer(), fc.constant(null)) }),
  );
  await fc.assert(
    fc.asyncProperty(junk, async (input) => {
      const verdict = await explain('lead', 'write_file', input).catch((error: unknown) => error);
      expect(verdict).not.toMatchObject({ effect: expect.stringMatching(/^(ask|allow)$/) as string });
    }),
    samples(10),
  );
});

test('explaining a call stores no grant and answers no later call', async () => {
  const { explain, ...engine } = await explainer('');
  const { runtime, folder } = engine;
  const listed = async () => (await runtime.request('permissions.list', { folder })).grants;
  expect(await explain('lead', 'write_file', { path: 'new.md', content: '' })).toMatchObject({
    effect: 'ask',
  });
  await engine.ask('Write');
  expect(engine.of('approval-request')).toHaveLength(1);
  expect(await listed()).toEqual([]);
});

test('the list of permissions reports faults in the rules with file and line', async () => {
  const rule = (lines: string) => `[[permissions.rules]]\n${lines}\n`;
  const { runtime, folder } = await explainer(rule('effect = "deny"\ntool = "write_fil"'), {
    '.triad/config.toml': rule('effect = "perhaps"\ntool = "*"'),
  });
  const { faults } = await runtime.request('permissions.list', { folder });
  expect(faults).toEqual([
    expect.stringMatching(/\.triad\/config\.toml:2: permissions\.rules\.0\.effect must be deny or ask or allow/),
    expect.stringMatching(/config\.toml:1: no tool matches "write_fil"/),
  ]);
});

test('a pattern is matched to the files that a grant for the pattern would allow', async () => {
  const settings = `[permissions]
secret_files = ["docs/keys/**"]
always_ask = ["docs/laws/**"]
[[permissions.rules]]
effect = "deny"
agent = "scout"
permission = "FilesystemWrite"
pattern = "docs/b/**"
`;
  const hidden = { 'docs/.npmrc': '', 'docs/keys/a': '', 'docs/laws/one.md': '', 'docs/Makefile': '' };
  const { runtime, folder } = await explainer(settings, { 'docs/a.md': '', 'docs/b/c.md': '', 'd.md': '', ...hidden });
  const match = (pattern: string, tool = 'write_file', agent = 'lead') =>
    runtime.request('permissions.match', { folder, agent, tool, pattern });
  expect(await match('docs/*.md')).toEqual({ files: ['docs/a.md'], more: false });
  expect(await match('docs/**')).toEqual({ files: ['docs/a.md', 'docs/b/c.md'], more: false });
  expect((await match('nothing')).files).toEqual([]);
  for (const agent of ['scout', 'spawned:scout'])
    expect((await match('docs/**', 'write_file', agent)).files).toEqual(['docs/a.md']);
  expect((await match('docs/Makefile')).files).toEqual(['docs/Makefile']);
  expect((await match('docs/**', 'read_file')).files).toEqual(
    expect.arrayContaining(['docs/Makefile', 'docs/laws/one.md']),
  );
});
