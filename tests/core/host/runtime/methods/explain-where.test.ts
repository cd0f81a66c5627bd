/** The explainer where something runs or ran: with what was granted there, and with temporary agents by their names. */
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import type { GrantScope } from '#contract/permission.ts';
import { CHILD, LEAD, spawn } from '../../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';

const { start } = sharedEngine();

const write = (path: string, content: string) => toolUse('write_file', { path, content });

/** The lead writes `a.md`, then has a helper that may write do the same; each first question is answered with the grant. */
async function workflowWith(scope: Exclude<GrantScope, 'project'>) {
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply([write('a.md', '1')]);
  script.on({ ...LEAD, step: 2 }).reply([spawn({ name: 'helper', prompt: 'Write it too.', tools: ['write_file'] })]);
  script.on({ ...CHILD, step: 1 }).reply([write('a.md', '3')]);
  script.on({}).reply([text('Done.')]);
  const engine = await start(script, {
    person: ({ request }): Answer => ({
      kind: 'allow',
      ...(request.grant ? { grant: { scope, pattern: 'a.md' } } : {}),
    }),
  });
  const { workflowId } = await engine.ask('Write');
  const { conversationId } = engine;
  const explain = (agent: string, where: { conversationId?: string; workflowId?: string }, path = 'a.md') =>
    engine.runtime.request('permissions.explain', {
      agent,
      tool: 'write_file',
      // What stands there already is asked about nowhere.
      input: { path, content: '2' },
      ...where,
      ...(Object.keys(where).length === 0 ? { folder: engine.folder } : {}),
    });
  return { engine, workflowId, conversationId, explain };
}

test('a workflow grant applies to its workflow only', async () => {
  const { workflowId, conversationId, explain } = await workflowWith('workflow');
  const [granted] = (await explain('lead', { workflowId })).steps;
  expect(granted).toMatchObject({ kind: 'grant', effect: 'allow', decides: true });
  expect(await explain('lead', { workflowId }, 'b.md')).toMatchObject({ effect: 'ask', ruleId: 'default' });
  expect(await explain('lead', { conversationId })).toMatchObject({ effect: 'ask' });
  expect(await explain('lead', {})).toMatchObject({ effect: 'ask' });
});

test('a conversation grant applies in the conversation, separately for each agent', async () => {
  const { workflowId, conversationId, explain } = await workflowWith('conversation');
  for (const agent of ['lead', 'helper', 'spawned:helper'])
    expect(await explain(agent, { conversationId }), agent).toMatchObject({ effect: 'allow' });
  expect((await explain('helper', { workflowId })).ruleId).toBe((await explain('helper', { conversationId })).ruleId);
  expect((await explain('lead', { workflowId })).ruleId).not.toBe((await explain('helper', { workflowId })).ruleId);
});

test('explains a temporary agent with the tools of its start', async () => {
  const { engine, workflowId } = await workflowWith('workflow');
  const verdict = await engine.runtime.request('permissions.explain', {
    agent: 'helper',
    tool: 'todo_write',
    input: { items: [] },
    workflowId,
  });
  expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'ceiling' });
  expect(verdict.reason).toMatch(/^helper does not have the tool todo_write/);
});

test('explains an unknown temporary agent by its name, and rejects an unknown agent without the prefix', async () => {
  const { explain } = await workflowWith('workflow');
  expect(await explain('spawned:stranger', {})).toMatchObject({ effect: 'ask', ruleId: 'default' });
  for (const unknown of ['stranger', 'spawned:no such name!'])
    await expect(explain(unknown, {})).rejects.toThrow(/^agent not found: /);
});

test('a workflow of another conversation is refused', async () => {
  const { engine, workflowId, explain } = await workflowWith('workflow');
  const other = await engine.runtime.request('conversation.create', {});
  await expect(explain('lead', { workflowId, conversationId: other.id })).rejects.toMatchObject({
    code: 'bad_input',
  });
  await expect(explain('lead', { workflowId: other.id })).rejects.toMatchObject({ code: 'not_found' });
});
