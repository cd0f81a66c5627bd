/** A lead that other agents follow: its chain runs to the end after each message, and its last answer is the result. */
import { describe, expect, test, vi } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { builtinAgents, withAgents } from '../../../support/compose.ts';
import { type Harness, startAgain } from '../../../support/engine.ts';
import { definitionOf } from '../../../support/envelope.ts';
import { eventually } from '../../../support/eventually.ts';
import { delegateTo } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { type Answers, CHAIN, chainScript, stagesOf, startLed } from '../../../support/flows/chains.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';

const { start } = sharedEngine();

const led = (script: Script = chainScript(), options = {}) => startLed(script, 'research', options, { start });
const fails: Answers[string] = {
  blocks: [text('x')],
  options: { status: 400, error: { type: 'invalid_request_error', message: 'It broke' } },
};
const rows = ({ store }: Pick<Harness, 'store'>, workflowId: string): Promise<RunRow[]> => store.runsOf([workflowId]);

/** Three agents, each of which takes what the one before it gives as JSON of another shape. */
const taking = (name: string) => ({
  format: 'json' as const,
  schema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
});
const JSON_CHAIN = [
  definitionOf({ name: 'research', systemPrompt: 'You research.', next: ['draft'] }),
  definitionOf({ name: 'draft', systemPrompt: 'You draft.', input: taking('fact'), next: ['polish'] }),
  definitionOf({ name: 'polish', systemPrompt: 'You polish.', input: taking('sentence') }),
];
const jsonScript = (draft: string): Script =>
  new Script()
    .on({ system: /You research\./ })
    .reply([text('{"fact":"rain"}')])
    .on({ system: /You draft\./ })
    .reply([text(draft)])
    .on({ system: /You polish\./, prompt: /"sentence":"It rains\."/ })
    .reply([text('Rain is coming.')])
    .on({ turn: 1 })
    .reply([delegateTo('research', 'Find facts.')])
    .on({})
    .reply([text('Done.')]);

describe.for(['research', 'lead'])('a chain of three agents with JSON contracts below %s', (agent) => {
  const ask = async (draft: string) => {
    const engine = await startLed(jsonScript(draft), agent, {}, { definitions: JSON_CHAIN, start });
    const { workflowId } = await engine.ask('Find facts.');
    const runs = (await rows(engine, workflowId)).filter((run) => run.agent !== 'lead');
    return runs.map((run) => [run.agent, run.outcome, run.error?.code ?? null]);
  };

  test('completes all three stages', async () => {
    expect(await ask('{"sentence":"It rains."}')).toEqual([
      ['research', 'completed', null],
      ['draft', 'completed', null],
      ['polish', 'completed', null],
    ]);
  });

  test.for(['{"words":"It rains."}', 'It rains.'])(
    'ends with a payload error at the stage that returns %s',
    async (draft) => {
      expect(await ask(draft)).toEqual([
        ['research', 'completed', null],
        ['draft', 'error', 'invalid_chain_payload'],
      ]);
    },
  );
});

describe('a lead with next agents', () => {
  test('runs its stages at its own depth and returns the last answer as the result', async () => {
    const engine = await led();
    const end = await engine.ask('Find facts.');
    expect(end).toMatchObject({ outcome: 'completed', text: 'Rain is coming.', error: null });
    expect(end.subAgents.map(({ agent, kind, outcome }) => [agent, kind, outcome])).toEqual([
      ['draft', 'chain', 'completed'],
      ['polish', 'chain', 'completed'],
    ]);
    const [lead, draft, polish] = await rows(engine, end.workflowId);
    expect([draft, polish].map((row) => [row!.parentRunId, row!.place, row!.depth, row!.toolCallId])).toEqual([
      [lead!.id, 1, 0, null],
      [lead!.id, 2, 0, null],
    ]);
    expect(polish!.parentChain).toEqual(['user', 'research', 'draft', 'polish']);
    expect(JSON.parse(draft!.task)).toMatchObject({ facts: ['It rains.'] });
    expect(engine.of('approval-request')).toHaveLength(0);
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ text: 'Rain is coming.', subAgentCount: 0 });
    expect(end.usage.outputTokens).toBe(
      [lead!, draft!, polish!].reduce((sum, { usage }) => sum + usage.outputTokens, 0),
    );
  });

  test('sees the result of its chain in its next request', async () => {
    const engine = await led();
    await engine.ask('Find facts.');
    await engine.ask('Once more.');
    const second = engine.model.requests.findLast(({ seen }) => seen.system.includes('You research.'));
    expect(JSON.stringify(second!.body)).toContain('passed to draft, then to polish');
    expect(JSON.stringify(second!.body)).toContain('Rain is coming.');
  });

  test('ends with a payload error if its answer breaks the contract of the next stage', async () => {
    const engine = await led(chainScript({ research: { blocks: [text('{"fact":1}')] } }));
    const end = await engine.ask('Find facts.');
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'invalid_chain_payload' } });
    expect(await stagesOf(engine, end.workflowId)).toEqual([]);
  });

  test('ends at the failed stage, and a retry of that stage completes the workflow', async () => {
    const engine = await led(chainScript({ draft: fails }));
    const end = await engine.ask('Find facts.');
    expect(end).toMatchObject({
      outcome: 'error',
      error: { code: 'chain_failed', message: expect.stringMatching(/^Stage 1 of 2 \(draft\) .*polish$/) as string },
    });
    const [draft] = await stagesOf(engine, end.workflowId);
    await engine.runtime.request('run.retry', { runId: draft!.id });
    const again = await engine.event('workflow-end', ({ seq }) => seq > end.seq);
    expect(again).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
    const all = await rows(engine, end.workflowId);
    expect(all.map(({ agent, attempt, outcome }) => [agent, attempt, outcome])).toEqual([
      ['research', 1, 'completed'],
      ['draft', 2, 'completed'],
      ['polish', 1, 'completed'],
    ]);
  });

  test('keeps the failed stage if its retry is stopped while another message is in progress', async () => {
    const hangs = { blocks: [text('I begin', { deltas: 4 })], options: { hangAfter: 3 } };
    const script = chainScript({ draft: fails });
    const waiting = new Script().on({ lastUser: /Wait/ }).reply(hangs.blocks, hangs.options);
    script.rules.unshift(...waiting.rules);
    const engine = await led(script);
    const { workflowId, seq } = await engine.ask('Find facts.');
    const [draft] = await stagesOf(engine, workflowId);
    const other = await engine.send('Wait.');
    await engine.event('message-delta', (event) => event.workflowId === other.workflowId);
    await engine.runtime.request('run.retry', { runId: draft!.id });
    await engine.runtime.request('run.stop', { runId: draft!.id });
    await engine.runtime.request('workflow.stop', { workflowId: other.workflowId });
    const end = await engine.event('workflow-end', (event) => event.workflowId === workflowId && event.seq > seq);
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'chain_failed' } });
    const runs = await stagesOf(engine, workflowId);
    expect(runs.map(({ agent, attempt, outcome }) => [agent, attempt, outcome])).toEqual([['draft', 1, 'error']]);
  });

  test('ends as interrupted if a stage cannot be read, and completes after a resume', async () => {
    const engine = await led(chainScript({ draft: fails }));
    const { workflowId, seq } = await engine.ask('Find facts.');
    const [draft] = await stagesOf(engine, workflowId);
    const recordsOf = engine.store.recordsOf.bind(engine.store);
    const read = vi.spyOn(engine.store, 'recordsOf').mockImplementation(async (runs, kinds) => {
      if (runs.some(({ id }) => id === draft!.id)) throw new Error('The disk is away');
      return recordsOf(runs, kinds);
    });
    await engine.runtime.request('run.retry', { runId: draft!.id });
    const end = await engine.event('workflow-end', (event) => event.seq > seq);
    expect(end).toMatchObject({
      outcome: 'interrupted',
      error: { message: expect.stringContaining('away') as string },
    });
    read.mockRestore();
    await engine.runtime.request('workflow.resume', { workflowId });
    const again = await engine.event('workflow-end', (event) => event.seq > end.seq);
    expect(again).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
  });

  test('keeps its own answer in a fork, beside the failure of a stage', async () => {
    const engine = await led(chainScript({ draft: fails }));
    const { workflowId } = await engine.ask('Find facts.');
    const fork = await engine.runtime.request('conversation.fork', {
      conversationId: engine.conversationId,
      workflowId,
    });
    const copy = await engine.runtime.request('conversation.snapshot', { conversationId: fork.id });
    expect(copy.workflows[0]).toMatchObject({ outcome: 'error', error: { code: 'chain_failed' } });
    expect(copy.runs.map(({ agent, outcome, text: words }) => [agent, outcome, words])).toEqual([
      ['research', 'completed', '{"facts":["It rains."]}'],
      ['draft', 'error', ''],
    ]);
  });

  test('stops with the running stage', async () => {
    const hangs = { blocks: [text('I begin', { deltas: 4 })], options: { hangAfter: 3 } };
    const engine = await led(chainScript({ draft: hangs }));
    const { workflowId } = await engine.send('Find facts.');
    await engine.event('message-delta', ({ agent }) => agent === 'draft');
    await engine.runtime.request('workflow.stop', { workflowId });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'cancelled' });
    expect((await stagesOf(engine, workflowId)).map(({ outcome }) => outcome)).toEqual(['cancelled']);
  });

  test('resumes at its stage after a restart, without another request of the lead', async () => {
    const store = await memoryStore();
    const hangs = { blocks: [text('I begin', { deltas: 4 })], options: { hangAfter: 3 } };
    const engine = await startLed(chainScript({ draft: hangs }), 'research', { store: lasting(store) });
    const { workflowId } = await engine.send('Find facts.');
    await engine.event('message-delta', ({ agent }) => agent === 'draft');
    await engine.runtime.close();
    const agents = withAgents(builtinAgents(engine.trust), CHAIN);
    const again = await startAgain(engine, store, { agents });
    await again.request('workflow.resume', { workflowId });
    await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ text: 'Rain is coming.' }));
    const runs = await store.runsOf([workflowId]);
    expect(runs.map(({ agent, attempt, outcome }) => [agent, attempt, outcome])).toEqual([
      ['research', 1, 'completed'],
      ['draft', 2, 'completed'],
      ['polish', 1, 'completed'],
    ]);
    expect(engine.model.requests.filter(({ seen }) => seen.system.includes('You research.'))).toHaveLength(1);
  });

  test('resumes at the stage that reached the limit of the workflow, after a higher limit', async () => {
    const turns = new Script().on({ system: /You draft\./, turn: 1 }).reply([toolUse('think', { thought: 'Hm.' })]);
    const script = chainScript();
    script.rules.unshift(...turns.rules);
    const engine = await startLed(script, 'research', { settings: '[limits.workflow]\nmax_iterations = 2\n' });
    const end = await engine.ask('Find facts.');
    expect(end.outcome).toBe('budget_exceeded');
    const [draft] = await stagesOf(engine, end.workflowId);
    const { budget } = (await engine.store.workflow(end.workflowId))!;
    const more = { workflowId: end.workflowId, add: { iterations: 9 }, seen: budget ?? {} };
    await engine.runtime.request('workflow.extend', more);
    const again = await engine.event('workflow-end', ({ seq }) => seq > end.seq);
    expect(again).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
    expect(await engine.store.run(draft!.id)).toMatchObject({ outcome: 'completed', attempt: 2 });
  });

  test('resolves the open approval about a reached limit if the program is closed, resumed and stopped', async () => {
    const store = await memoryStore();
    const settings = '[limits.workflow]\nmax_iterations = 2\n';
    const turns = new Script().on({ system: /You draft\./, turn: 1 }).reply([toolUse('think', { thought: 'Hm.' })]);
    const script = chainScript();
    script.rules.unshift(...turns.rules);
    const engine = await startLed(script, 'research', { settings, atLimit: () => null, store: lasting(store) });
    const { workflowId } = await engine.send('Find facts.');
    const { approval } = await engine.event('approval-request');
    expect(approval).toMatchObject({ agent: 'draft', subject: { kind: 'limit', bound: { of: 'workflow' } } });
    await engine.runtime.close();
    const agents = withAgents(builtinAgents(engine.trust), CHAIN);
    const again = await startAgain(engine, store, { agents });
    await again.request('workflow.resume', { workflowId });
    await eventually(async () => expect(await store.run(approval.runId)).toMatchObject({ status: 'running' }));
    await again.request('workflow.stop', { workflowId });
    await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'cancelled' }));
    const decisions = (await store.approvalsOf([workflowId])).flatMap((one) => one.decisions);
    expect(decisions.map((decision) => decision?.outcome)).toEqual(['cancelled']);
  });

  test('rejects the retry of a sub-agent after the lead has passed its answer to a stage', async () => {
    const lead = definitionOf({ name: 'lead', role: 'primary', systemPrompt: 'You lead.', next: ['polish'] });
    const broken = { times: 1, status: 400, error: { type: 'invalid_request_error', message: 'It broke' } };
    const script = new Script()
      .on({ system: /You polish\./ })
      .reply([text('Rain is coming.')])
      .on({ system: /You draft\./ })
      .reply([text('x')], broken)
      .on({ turn: 1 })
      .reply([delegateTo('draft', 'Draft.')])
      .on({})
      .reply([text('It rains.')]);
    const [, draft, polish] = JSON_CHAIN.map(({ input: __, ...definition }) => definition);
    const { next: _, ...alone } = draft!;
    const definitions = [lead, alone, polish!];
    const engine = await startLed(script, 'lead', {}, { definitions, start });
    const end = await engine.ask('Find facts.');
    expect(end.text).toBe('Rain is coming.');
    const failed = (await rows(engine, end.workflowId)).find(({ agent }) => agent === 'draft');
    await expect(engine.runtime.request('run.retry', { runId: failed!.id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('lead has passed its answer to polish') as string,
    });
  });

  test('times out together with the stage that works when the time of the workflow is up', async () => {
    const hangs = { blocks: [text('I begin', { deltas: 4 })], options: { hangAfter: 3 } };
    const settings = '[limits.workflow]\nmax_minutes = 0.01\n';
    const engine = await startLed(chainScript({ draft: hangs }), 'research', { settings });
    const end = await engine.ask('Find facts.');
    expect(end).toMatchObject({ outcome: 'timed_out', error: { code: 'limit_reached' } });
    expect((await stagesOf(engine, end.workflowId)).map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['draft', 'timed_out'],
    ]);
  });
});
