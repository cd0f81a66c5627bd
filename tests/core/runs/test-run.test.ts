/** A conversation with a sub-agent itself: a person tries it out; it leads nobody. */
import { expect, test } from 'vitest';
import { Script, text } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

test('an agent answers the person with its own prompt and tools, without tools that start sub-agents', async () => {
  const script = new Script()
    .on({ prompt: /Try this/, without: ['spawn_agent', 'delegate_task', 'parallel_tasks', 'write_file'] })
    .reply([text('# Report\n\nTried.')]);
  const { runtime, folder, model } = await start(script);
  const { id, agent } = await runtime.request('conversation.create', { folder, agent: 'code-reviewer' });
  expect(agent).toBe('code-reviewer');
  const ended = Promise.withResolvers<unknown>();
  await runtime.subscribe('conversation', { conversationId: id }, (event) => {
    if (event.type === 'workflow-end') ended.resolve(event);
  });
  const { runId } = await runtime.request('message.send', { conversationId: id, text: 'Try this.' });
  expect(await ended.promise).toMatchObject({
    outcome: 'completed',
    text: '# Report\n\nTried.',
    subAgents: [],
  });
  const run = await runtime.request('run.get', { runId });
  const { definition } = await runtime.request('agents.get', { name: 'code-reviewer' });
  expect(run).toMatchObject({ kind: 'lead', depth: 0, parentRunId: null });
  expect(run.envelope).toMatchObject({ agent: 'code-reviewer', definitionHash: definition.hash });
  expect(model.requests[0]?.seen.system).toContain(definition.systemPrompt);
  // Also before its first message, what becomes of its calls can be explained.
  const { id: other } = await runtime.request('conversation.create', { folder, agent: 'code-reviewer' });
  const call = { agent: 'code-reviewer', tool: 'read_file', input: { path: 'README.md' }, folder };
  const verdict = await runtime.request('permissions.explain', { ...call, conversationId: other });
  expect(verdict.effect).toBe('allow');
});

test('rejects an unknown or disabled agent with a list of the available agents', async () => {
  const { runtime, folder } = await start(new Script(), {});
  const file = `${folder}/.triad/agents/off.md`;
  const off = '---\nname: "off"\ndescription: d\nenabled: false\n---\nP';
  await runtime.request('agents.save', { folder, file, text: off, before: null });
  for (const agent of ['nobody', 'off'])
    await expect(runtime.request('conversation.create', { folder, agent })).rejects.toMatchObject({
      code: 'not_found',
      message: `agent not found: "${agent}". Those that can be talked to are: BUILD-HITL, BUILD-JUDGE, BUILD-LOOP, BUILD-SMART, PLAN, TASK-SMART, code-reviewer, documentation-writer, fact-finder, lead, planner, report-checker, report-writer, reviewer, test-generator, worker`,
    });
});
