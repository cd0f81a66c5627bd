/** `triad permissions`: the rules and grants, why a call is asked about, and taking a grant back. */
import { expect, test } from 'vitest';
import type { Grant, Rule, Verdict } from '#contract/permission.ts';
import { TriadError } from '#core/base/errors.ts';
import { main } from '#hosts/cli/program.ts';
import { grantOf, ruleOf } from '../../../core/approvals/support.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo } from '../../support/memory-io.ts';

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
  const io = memoryIo({ client });
  const code = await main(['permissions', ...args], io);
  await io.screen.flush();
  const sent = client.requests.map(({ input }) => input);
  return { code, out: io.out(), err: io.err(), sent };
}

test('rules and grants are listed, with what is wrong told beside them', async () => {
  const { code, out, err } = await triad('list');
  expect(code).toBe(0);
  expect(out).toMatch(/deny +write_file +dist\/\*\* +all/);
  expect(out).toMatch(/01957a10-0000-7000-8000-000000000301 +lead +write_file +docs\/\*\.md +project/);
  expect(err).toContain('x.toml:1: is broken');
  expect(err).toContain('not trusted');
  expect(JSON.parse((await triad('list', '--json')).out)).toMatchObject({ mode: 'manual', rules, grants });
});

test('arguments are words or one JSON object', async () => {
  const words = await triad('explain', 'lead', 'grep', 'pattern=a=b', 'ignore_case=true', '--cwd', '/tmp');
  expect(words.sent).toEqual([
    { agent: 'lead', tool: 'grep', input: { pattern: 'a=b', ignore_case: true }, folder: '/tmp' },
  ]);
  const whole = await triad('explain', 'lead', 'read_file', '{"path": "a"}');
  expect(whole.sent).toMatchObject([{ input: { path: 'a' } }]);
});

const ids = ['01957a10-0000-7000-8000-000000000001', '01957a10-0000-7000-8000-000000000002'] as const;

test('a call can be explained where it would be made', async () => {
  const inWorkflow = await triad('explain', 'helper', 'grep', 'pattern=a', '--workflow', ids[0]);
  expect(inWorkflow.sent).toEqual([{ agent: 'helper', tool: 'grep', input: { pattern: 'a' }, workflowId: ids[0] }]);
  const inConversation = await triad('explain', 'spawned:helper', 'grep', 'pattern=a', '--conversation', ids[1]);
  expect(inConversation.sent).toMatchObject([{ agent: 'spawned:helper', conversationId: ids[1] }]);
});

test('the verdict comes first, then what else was looked at', async () => {
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
] as const)('%s is one clear line', async ([args, line]) => {
  const { code, out, err } = await triad(...args);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: `triad: ${line}\n` });
});

test('a grant is taken back by its id', async () => {
  const { code, err } = await triad('revoke', grants[0]!.id);
  expect({ code, err }).toEqual({
    code: 0,
    err: 'Revoked: it no longer allows lead to use write_file on docs/*.md.\n',
  });
});
