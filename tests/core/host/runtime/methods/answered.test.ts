/** What was decided last, and what was granted in a workflow: with the grant, also after it was revoked. */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { memoryStore } from '../../../../support/stores/pooled.ts';
import { startEngine } from '../../../../support/engine.ts';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { Gate } from '../../../../support/gate.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { eventsIn } from '../../../../support/commit-items.ts';

const { start } = sharedEngine();

/** The first question is granted for the project, which answers the second; the third is rejected. */
async function answered(rules = '') {
  const paths = ['docs/a.md', 'docs/b.md', 'notes.md'];
  let written = 0;
  const script = new Script();
  paths.forEach((path, index) =>
    // Never the same: that would be asked about by nobody.
    script.on({ step: index + 1 }).reply(() => [toolUse('write_file', { path, content: `${(written += 1)}` })]),
  );
  script.on({}).reply([text('Done.')]);
  const answers: Answer[] = [
    { kind: 'allow', grant: { scope: 'project', pattern: 'docs/*.md' } },
    { kind: 'reject', reason: 'Not there.' },
  ];
  const engine = await startEngine(script, {
    configFolder: await folderWith({ 'config.toml': rules }),
    person: () => answers.shift() ?? { kind: 'reject', reason: '' },
  });
  const { workflowId } = await engine.ask('Write');
  return { ...engine, workflowId };
}

test('lists recent answers newest first, each with its decider and the grant that answered', async () => {
  const { runtime, workflowId, conversationId } = await answered();
  const recent = await runtime.request('approval.recent', {});
  expect(recent.map(({ title, decision }) => [title.split(' (')[0], decision.decidedBy, decision.allowed])).toEqual([
    ['Write notes.md', 'person', false],
    ['Write docs/b.md', 'rule', true],
    ['Write docs/a.md', 'person', true],
  ]);
  expect(recent[1]).toMatchObject({
    workflowId,
    conversationId,
    agent: 'lead',
    grant: { pattern: 'docs/*.md' },
  });
  expect(recent[1]?.decision.ruleId).toBe(`grant:${recent[1]?.grant?.id}`);
  expect(recent[0]?.grant).toBeNull();
});

test('an answer can be read as soon as the list of questions changes, even if storing takes long', async () => {
  const answering = new Gate();
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('write_file', { path: 'a.md', content: 'a' })])
    .on({})
    .reply([text('Done.')], { hold: answering.at(0) });
  const store = await memoryStore();
  const { runtime, ...engine } = await startEngine(script, {
    store: {
      ...store,
      commit: async (items) => {
        const events = eventsIn(items);
        if (events.some(({ type }) => type === 'approval-decide')) await setTimeout(100);
        await store.commit(items);
      },
    },
  });
  // What a page does that shows the list: it reads at each change, and nothing else makes it read.
  let read: Promise<number> = Promise.resolve(0);
  await runtime.subscribe('attention', { canAnswer: false }, () => {
    read = runtime.request('approval.recent', {}).then((recent) => recent.length);
  });
  await engine.send('Write');
  await answering.reached;
  await expect.poll(() => read).toBe(1);
  answering.open();
});

test('lists no answers of a conversation in the trash', async () => {
  const { runtime, conversationId } = await answered();
  await runtime.request('conversation.delete', { conversationId });
  expect(await runtime.request('approval.recent', {})).toEqual([]);
  await runtime.request('conversation.restore', { conversationId });
  expect(await runtime.request('approval.recent', {})).toHaveLength(3);
});

test('a workflow lists the grants given in the workflow and the grants that answered in it', async () => {
  const { workflowId, ...engine } = await answered();
  const { runtime } = engine;
  const [given] = (await runtime.request('workflow.get', { workflowId })).grants ?? [];
  expect(given).toMatchObject({ workflowId, scope: 'project', calls: 1, revokedAt: null });
  const second = await engine.ask('Again');
  const used = (await runtime.request('workflow.get', { workflowId: second.workflowId })).grants;
  expect(used).toMatchObject([{ id: given?.id, workflowId, calls: 3 }]);
  await runtime.request('permissions.revoke', { grantId: given!.id });
  const [revoked] = (await runtime.request('workflow.get', { workflowId })).grants ?? [];
  expect(revoked?.revokedAt).not.toBeNull();
  const third = await engine.ask('Once more');
  const detail = await runtime.request('workflow.get', { workflowId: third.workflowId });
  expect(detail.grants).toBeUndefined();
});

test('records an allowed read if a rule requires approval, and no read that requires none', async () => {
  const rules = '[[permissions.rules]]\neffect = "ask"\ntool = "read_file"\npattern = "README.md"\n';
  const script = new Script();
  for (const step of [1, 2]) script.on({ step }).reply([toolUse('read_file', { path: 'README.md' })]);
  script.on({ step: 3 }).reply([toolUse('list_directory', {})]);
  script.on({}).reply([text('Done.')]);
  const engine = await start(script, {
    rules,
    person: () => ({ kind: 'allow', grant: { scope: 'workflow', pattern: 'README.md' } }),
  });
  const { workflowId } = await engine.ask('Read');
  const { approvals, grants } = await engine.runtime.request('workflow.get', { workflowId });
  expect(approvals.map(({ decisions }) => decisions[0]?.ruleId)).toEqual([null, `grant:${grants?.[0]?.id}`]);
  expect(grants).toMatchObject([{ calls: 1 }]);
});
