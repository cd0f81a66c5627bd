/** A yes for more than once: what it answers, what it does not, and how it ends. */
import { describe, expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import type { GrantRequest } from '#contract/permission.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { type Harness, type HarnessOptions, startEngine } from '../../support/engine.ts';
import { CHILD, delegate, LEAD, spawn, spawnOne, writeFile } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { variations } from '../../support/samples.ts';
import { rebuilt } from '../../support/stores/rebuilt.ts';

const { start } = sharedEngine();

/** The lead writes these files one after the other, in each workflow anew, and never the same. */
function writes(...paths: string[]): Script {
  const script = new Script();
  let written = 0;
  paths.forEach((path, index) =>
    script.on({ step: index + 1 }).reply(() => [toolUse('write_file', { path, content: `${(written += 1)}` })]),
  );
  return script.on({}).reply([text('Done.')]);
}

/** The first question is answered with the grant, all others with a plain yes. */
async function engineWith(script: Script, grant: GrantRequest, options: HarnessOptions = {}) {
  let first = true;
  const person = (): Answer => {
    const answer: Answer = { kind: 'allow', ...(first ? { grant } : {}) };
    first = false;
    return answer;
  };
  return options.store
    ? startEngine(script, { person, configFolder: await folderWith(), ...options })
    : start(script, { person });
}

const deciders = (engine: Harness): string[] =>
  engine.of('approval-decide').map(({ decision }) => (decision.ruleId === null ? 'person' : 'grant'));

describe('the scope of a grant', () => {
  test('covers calls that match its pattern, and the decision records the grant', async () => {
    const script = writes('docs/a.md', 'docs/b.md', 'notes.md');
    const engine = await engineWith(script, { scope: 'project', pattern: 'docs/*.md' });
    await engine.ask('Write');
    expect(deciders(engine)).toEqual(['person', 'grant', 'person']);
    const [given, used] = engine.of('grant-change');
    expect(given).toMatchObject({ change: 'given', grant: { agent: 'lead', tool: 'write_file', calls: 0 } });
    expect(used).toMatchObject({ change: 'used', grant: { id: given?.grant.id, calls: 1 } });
    const [first, second] = engine.of('approval-decide').map(({ decision }) => decision);
    expect(first).toMatchObject({ optionId: 'allow_project', decidedBy: 'person' });
    expect(second).toMatchObject({ decidedBy: 'rule', ruleId: `grant:${given?.grant.id}` });
  });

  const scopes = [
    ['workflow', ['person', 'grant', 'person', 'person']],
    ['conversation', ['person', 'grant', 'grant', 'grant']],
  ] as const;
  test.for(variations(scopes))('limits a grant for the %s to its own calls', async ([scope, expected]) => {
    const engine = await engineWith(writes('a.md', 'a.md'), { scope, pattern: 'a.md' });
    await engine.ask('Write');
    await engine.ask('Write');
    expect(deciders(engine)).toEqual(expected);
  });

  test('lets only project grants apply to another conversation in the folder', async () => {
    for (const [scope, expected] of [
      ['conversation', 'person'],
      ['project', 'rule'],
    ] as const) {
      const engine = await engineWith(writes('a.md'), { scope, pattern: 'a.md' });
      await engine.ask('Write');
      const other = await engine.runtime.request('conversation.create', { folder: engine.folder });
      const { workflowId } = await engine.runtime.request('message.send', {
        conversationId: other.id,
        text: 'Write',
      });
      const decisions = async () => (await engine.store.approvalsOf([workflowId])).flatMap(({ decisions: all }) => all);
      await expect.poll(async () => (await decisions())[0]?.decidedBy).toBe(expected);
    }
  });

  test('excludes another agent', async () => {
    const script = new Script();
    const write = (content: string) => toolUse('write_file', { path: 'a.md', content });
    const child = spawn({ name: 'writer', prompt: 'Write it too.', tools: ['write_file'] });
    script.on({ ...LEAD, step: 1 }).reply([write('1')]);
    script.on({ ...LEAD, step: 2 }).reply([child]);
    script.on({ ...CHILD, step: 1 }).reply([write('2')]);
    script.on({}).reply([text('Done.')]);
    const engine = await engineWith(script, { scope: 'project', pattern: '**' });
    await engine.ask('Write');
    expect(deciders(engine)).toEqual(['person', 'person', 'person']);
    const [, , asked] = engine.of('approval-request').map(({ approval }) => approval);
    expect(asked?.grant).toEqual({
      agent: 'spawned:writer',
      tool: 'write_file',
      pattern: 'a.md',
      scopes: ['workflow', 'conversation'],
    });
  });
});

describe('the end of a grant', () => {
  test('comes after its maximum number of calls', async () => {
    const wish = { scope: 'project', pattern: 'a.md', calls: 1 } as const;
    const engine = await engineWith(writes('a.md', 'a.md', 'a.md'), wish);
    await engine.ask('Write');
    expect(deciders(engine)).toEqual(['person', 'grant', 'person']);
  });

  test('comes with its revocation, which is recorded once in the conversation of the grant', async () => {
    const engine = await engineWith(writes('a.md'), { scope: 'project', pattern: 'a.md' });
    await engine.ask('Write');
    const { grants } = await engine.runtime.request('permissions.list', { folder: engine.folder });
    const grantId = grants[0]!.id;
    const revoked = await engine.runtime.request('permissions.revoke', { grantId });
    expect(revoked.revokedAt).not.toBeNull();
    await expect(engine.runtime.request('permissions.revoke', { grantId })).rejects.toMatchObject({
      code: 'conflict',
    });
    await engine.ask('Write');
    expect(deciders(engine)).toEqual(['person', 'person']);
    expect(engine.of('grant-change').map(({ change }) => change)).toEqual(['given', 'revoked']);
    expect((await engine.runtime.request('permissions.list', { folder: engine.folder })).grants).toEqual([]);
  });

  test('does not come with a restart, which keeps the use count, or with the deletion of its conversation', async () => {
    const store = await memoryStore();
    const kept = lasting(store);
    const wish = { scope: 'project', pattern: 'a.md', calls: 3, minutes: 60 } as const;
    const before = await engineWith(writes('a.md', 'a.md'), wish, { store: kept });
    await before.ask('Write');
    await before.runtime.close();
    const again = await rebuilt(store);
    const after = await startEngine(writes('a.md'), { store: lasting(again), configFolder: await folderWith() });
    const { grants } = await after.runtime.request('permissions.list', {});
    expect(grants).toMatchObject([{ pattern: 'a.md', calls: 1, maxCalls: 3, folder: before.folder }]);
    expect(grants[0]?.expiresAt).not.toBeNull();
    const { conversationId } = before;
    await after.runtime.request('conversation.delete', { conversationId });
    await after.runtime.request('conversation.purge', { conversationId });
    await after.runtime.request('permissions.revoke', { grantId: grants[0]!.id });
    expect((await again.grants())[0]?.revokedAt).not.toBeNull();
  });
});

describe('a grant is rejected for', () => {
  async function refusedWith(script: Script, wish: GrantRequest): Promise<unknown> {
    const engine = await start(script, { person: () => null });
    const { workflowId } = await engine.send('Go');
    const asked = await engine.event('approval-request');
    const approvalId = asked.approval.id;
    const answer: Answer = { kind: 'allow', grant: wish };
    const problem: unknown = await engine.runtime
      .request('approval.decide', { approvalId, answer })
      .catch((error: unknown) => error);
    expect(engine.of('approval-decide')).toEqual([]);
    await engine.runtime.request('approval.decide', { approvalId, answer: { kind: 'reject', reason: '' } });
    await engine.ended(workflowId);
    expect(engine.of('grant-change')).toEqual([]);
    return problem;
  }

  test('a temporary agent, whose prompt can be anything', async () => {
    expect(await refusedWith(spawnOne(), { scope: 'project', pattern: '*' })).toMatchObject({
      code: 'bad_input',
      message: 'This question can be allowed once only',
    });
  });

  test.for(variations(['other.md', '../**', '/etc/**']))(
    'a pattern that does not match the call: %s',
    async (pattern) => {
      const problem = await refusedWith(writeFile({ path: 'a.md' }), { scope: 'project', pattern });
      expect(problem).toMatchObject({ code: 'bad_input' });
    },
  );
});

test('a grant allows repeated delegations to a defined agent', async () => {
  const engine = await engineWith(delegate(), { scope: 'conversation', pattern: 'code-reviewer' });
  await engine.ask('Review');
  await engine.ask('Review');
  expect(deciders(engine)).toEqual(['person', 'grant']);
});
