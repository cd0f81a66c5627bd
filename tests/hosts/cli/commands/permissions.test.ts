/** `triad permissions`: the rules and grants, why a call is asked about, and taking a grant back. */
import { expect, test } from 'vitest';
import type { Grant, Rule, Verdict } from '#contract/permission.ts';
import { TriadError } from '#core/base/errors.ts';
import { previewLines } from '#hosts/cli/render/rule-preview.ts';
import { foundBy, parsedReference, referenceOf } from '#hosts/cli/render/rule-reference.ts';
import { grantOf, ruleOf } from '../../../core/approvals/support.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine } from '../../support/memory-io.ts';

const rules: Rule[] = [ruleOf({ effect: 'deny', tool: 'write_file', pattern: 'dist/**' })];
const grants: Grant[] = [grantOf({ id: '01957a10-0000-7000-8000-000000000301', maxCalls: 5, calls: 2 })];
const verdict: Verdict = {
  effect: 'deny',
  ruleId: 'user:deny',
  reason: 'Your rule denies it (/config.toml:1)',
  steps: [
    {
      kind: 'rule',
      id: 'user:deny',
      effect: 'deny',
      text: 'Your rule denies it (/config.toml:1)',
      place: { file: '/config.toml', line: 1 },
      decides: true,
    },
    {
      kind: 'default',
      id: 'default',
      effect: 'ask',
      text: 'No rule says anything about it',
      place: { file: null, line: null },
      decides: false,
    },
  ],
};

async function triad(...args: string[]) {
  const client = memoryClient({
    'permissions.list': () => ({
      mode: 'manual',
      trusted: false,
      rules,
      grants,
      unsignedGrants: 2,
      faults: ['x.toml:1: is broken'],
    }),
    'conversation.list': () => ({ items: [], next: null }),
    'permissions.explain': () => verdict,
    'permissions.revoke': ({ grantId }) => {
      const found = grants.find(({ id }) => id === grantId);
      if (!found) throw new TriadError('not_found', `There is no grant ${grantId}`);
      return { ...found, revokedAt: '2026-03-01T12:00:00.000Z' };
    },
  });
  const printed = await commandLine(client)('permissions', ...args);
  return { ...printed, sent: client.requests.map(({ input }) => input) };
}

test('list prints rules and grants, with faults and ignored grants on stderr', async () => {
  const { code, out, err } = await triad('list');
  expect(code).toBe(0);
  expect(out).toMatch(/deny +write_file +dist\/\*\* +all/);
  expect(out).toMatch(/01957a10-0000-7000-8000-000000000301 +lead +write_file +docs\/\*\.md +project/);
  expect(err).toContain('x.toml:1: is broken');
  expect(err).toContain('Grants that another installation wrote to the shared store are ignored: 2.');
  expect(err).toContain('not trusted');
  expect(JSON.parse((await triad('list', '--json')).out)).toMatchObject({ mode: 'manual', rules, grants });
  expect(out).toMatch(/user:deny-[0-9a-f]{8} +deny/);
});

test('explain accepts arguments as KEY=VALUE words or as one JSON object', async () => {
  const words = await triad('explain', 'lead', 'grep', 'pattern=a=b', 'ignore_case=true', '--cwd', '/tmp');
  expect(words.sent).toEqual([
    { agent: 'lead', tool: 'grep', input: { pattern: 'a=b', ignore_case: true }, folder: '/tmp' },
  ]);
  const whole = await triad('explain', 'lead', 'read_file', '{"path": "a"}');
  expect(whole.sent).toMatchObject([{ input: { path: 'a' } }]);
});

const ids = ['01957a10-0000-7000-8000-000000000001', '01957a10-0000-7000-8000-000000000002'] as const;

test('explain takes the workflow or the conversation of a call', async () => {
  const inWorkflow = await triad('explain', 'helper', 'grep', 'pattern=a', '--workflow', ids[0]);
  expect(inWorkflow.sent).toEqual([{ agent: 'helper', tool: 'grep', input: { pattern: 'a' }, workflowId: ids[0] }]);
  const inConversation = await triad('explain', 'spawned:helper', 'grep', 'pattern=a', '--conversation', ids[1]);
  expect(inConversation.sent).toMatchObject([{ agent: 'spawned:helper', conversationId: ids[1] }]);
});

test('explain prints the verdict first, then the other steps', async () => {
  const { code, out } = await triad('explain', 'lead', 'write_file', 'path=dist/a.js', 'content=');
  expect(code).toBe(0);
  expect(out.split('\n')[0]).toBe('deny: Your rule denies it (/config.toml:1)');
  expect(out).toContain('  ask    No rule says anything about it [default]');
  const json = await triad('explain', 'lead', 'write_file', '--json');
  expect(JSON.parse(json.out)).toEqual(verdict);
});

test.for([
  [['explain', 'lead', 'grep', 'word'], '"word" is not KEY=VALUE'],
  [['explain', 'lead', 'grep', '{"a": '], 'the arguments are not a JSON object'],
  [['revoke', 'nope'], '"nope" is not the id of a grant: see "triad permissions list"'],
  [['revoke', ids[0]], `There is no grant ${ids[0]}`],
  [
    ['explain', 'lead', 'grep', '--workflow', '123'],
    '"123" is not the id of a workflow: see "triad sessions trace ID"',
  ],
  [
    ['explain', 'lead', 'grep', '--conversation', 'abcdef12'],
    'No id of a session begins with abcdef12: see "triad sessions list"',
  ],
] as const)('%s is rejected in one clear line', async ([args, line]) => {
  const { code, out, err } = await triad(...args);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: `triad: ${line}\n` });
});

test('revoke revokes a grant by its id', async () => {
  const { code, err } = await triad('revoke', grants[0]!.id);
  expect({ code, err }).toEqual({
    code: 0,
    err: 'Revoked: it no longer allows lead to use write_file on docs/*.md.\n',
  });
});

const no = { losesTrust: false, untrusted: false, startsNothing: false, bothNames: null };
const none = { calls: [], untold: [], rule: null, shadowedBy: null, dangers: [], ...no };
const call = {
  conversationId: ids[0],
  workflowId: ids[0],
  runId: ids[0],
  toolCallId: 't',
  item: 0,
  at: '2026-03-01T12:00:00.000Z',
  agent: 'lead',
  tool: 'write_file',
  target: 'docs/a\u202E.md',
  dangers: [],
};

const mine = [
  ruleOf({ id: 'user:1', effect: 'deny', tool: 'write_file', pattern: 'dist/**' }),
  ruleOf({ id: 'user:2', effect: 'ask', tool: 'bash' }),
];
const [first, second] = mine.map(referenceOf) as [string, string];

async function changing(...args: string[]) {
  const rule = ruleOf({ id: 'user:2', effect: 'allow', tool: 'write_file', pattern: 'docs/**' });
  const client = memoryClient({
    'rules.list': () => ({
      files: [
        { scope: 'user', file: '/config.toml', hash: 'a'.repeat(64), rules: mine, trusted: true, fault: null },
        { scope: 'project', file: '/x/.triad/config.toml', hash: null, rules: [], trusted: true, fault: null },
      ],
      shadowed: [],
      startsNothing: [],
    }),
    'rules.preview': ({ change }) => ({
      ...none,
      calls: [
        { ...call, before: { effect: 'ask', ruleId: 'user:1' }, after: { effect: 'allow', ruleId: 'user:2' } },
        { ...call, before: { effect: 'deny', ruleId: 'fault' }, after: { effect: 'deny', ruleId: 'fault' } },
      ],
      untold: [{ ...call, why: 'gone' }],
      rule: change?.edit.kind === 'add' ? rule : null,
      dangers: ['outside'],
      untrusted: change?.scope === 'project',
    }),
    'rules.change': () => ({ hash: 'b'.repeat(64), line: 7 }),
  });
  const printed = await commandLine(client)('permissions', ...args);
  return { ...printed, asked: client.requests.map(({ method, input }) => [method, input]) };
}

test('add writes the rule and prints how many recent calls it decides', async () => {
  const { code, out, err, asked } = await changing('add', 'allow', 'write_file', '--on', 'docs/**', '--cwd', '/tmp');
  expect({ code, out, err }).toEqual({
    code: 0,
    out: 'Of the last 3 calls here it decides 1.\n   1  ask → allow\n   1  nobody can tell\n',
    err: 'Written to /config.toml:7. It holds in every folder.\ntriad: it can let through what reaches beyond the folder, without a question\n',
  });
  const edit = { kind: 'add', rule: { effect: 'allow', tool: 'write_file', pattern: 'docs/**' } };
  const change = { scope: 'user', base: 'a'.repeat(64), edit };
  expect(asked.at(-1)).toEqual(['rules.change', { folder: '/tmp', change }]);
});

test('--dry-run writes nothing and lists each call that changes, with hidden characters marked', async () => {
  const { code, out, asked } = await changing('add', 'deny', 'Execute', '--project', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain('ask → allow  write_file  docs/a⟦U+202E⟧.md  (lead)\n');
  expect(asked.map(([method]) => method)).toEqual(['rules.list', 'rules.preview']);
  const edit = { kind: 'add', rule: { effect: 'deny', permission: 'Execute' } };
  expect(asked[1]?.[1]).toMatchObject({ change: { scope: 'project', base: null, edit } });
});

test('remove finds the rule by its content at another position, and removes none if it is gone', async () => {
  const { asked } = await changing('remove', second.replace('user:2', 'user:1'));
  expect(asked.at(-1)?.[1]).toMatchObject({ change: { edit: { kind: 'remove', index: 1 } } });
  const other = referenceOf({ ...mine[1]!, pattern: 'rm **' });
  const gone = await changing('remove', other);
  expect(gone).toMatchObject({ code: 2, err: `triad: No rule is ${other} any more: see "triad permissions list"\n` });
  expect(gone.asked.map(([method]) => method)).toEqual(['rules.list']);
  // Rules that say the same in both files are two.
  expect(foundBy(mine, parsedReference(referenceOf({ ...mine[1]!, scope: 'project' }))!)).toBe(null);
});

test('move changes the position of a rule, and rejects a position that does not exist', async () => {
  const { err, asked } = await changing('move', second, '1', '--cwd', '/tmp');
  expect(err).toContain('Moved in /config.toml');
  expect(asked.at(-1)?.[1]).toMatchObject({ change: { scope: 'user', edit: { kind: 'move', index: 1, to: 0 } } });
  const wrong = await changing('move', second, '3');
  expect(wrong).toMatchObject({ code: 2, err: 'triad: "3" is no place in /config.toml: write 1 to 2\n' });
});

test('warns in separate sentences about rules for the start of sub-agents', () => {
  const { warnings } = previewLines({ ...none, dangers: ['spawns', 'starts'] }, null);
  expect(warnings).toEqual([
    expect.stringMatching(/^it lets temporary sub-agents start without a question: their lead chooses/),
    expect.stringMatching(/^it lets sub-agents start without a question/),
  ]);
  const idle = previewLines({ ...none, startsNothing: true }, null);
  expect(idle.warnings).toEqual([expect.stringMatching(/^it does not allow the start of sub-agents/)]);
});

test('remove removes a rule by its id, and rejects other words', async () => {
  const { err, out, asked } = await changing('remove', first, '--cwd', '/tmp');
  expect(err).toContain('Removed from /config.toml');
  expect(out).toContain('it decides 1.');
  expect(asked.at(-1)?.[1]).toMatchObject({ change: { edit: { kind: 'remove', index: 0 } } });
  for (const word of ['1', 'user:1', second.slice(0, -1)]) {
    const line = `triad: "${word}" is not the id of a rule: see "triad permissions list"\n`;
    expect(await changing('remove', word)).toMatchObject({ code: 2, err: line, asked: [] });
  }
  const effect = await changing('add', 'maybe', 'bash');
  expect(effect).toMatchObject({ code: 2, err: 'triad: "maybe" is no effect: write allow, ask or deny\n' });
});
