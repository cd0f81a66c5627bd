/** A chain: its stages run one after the other in the slot of the first, and its lead gets one report. */
import { describe, expect, test } from 'vitest';
import { inputTokensOf } from '#domain/tally.ts';
import { sha256 } from '#core/base/hash.ts';
import { CHAIN, chainScript, GOOD, resultOf, stagesOf, startChain } from '../../support/flows/chains.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { Script, toolUse } from '../../support/fake-model/script.ts';
import { outcomes } from '../../support/engine.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const batch = (names: string[], more: object = {}) =>
  toolUse('parallel_tasks', {
    operation: 'execute_batch',
    tasks: names.map((agent) => ({ agent_id: agent, prompt: 'Find facts.' })),
    ...more,
  });
const ALL = ['completed', 'completed', 'completed', 'completed'];

describe('a chain', () => {
  test('runs all stages after one approval, reports the last answer, and cannot be retried', async () => {
    const engine = await startChain(chainScript(), {}, CHAIN, start);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(ALL);
    expect(end.subAgents.map(({ agent, kind }) => [agent, kind])).toEqual([
      ['research', 'delegate'],
      ['draft', 'chain'],
      ['polish', 'chain'],
    ]);
    const approvals = engine.of('approval-request');
    expect(approvals).toHaveLength(1);
    const { subject } = approvals[0]!.approval;
    const { stages } = subject.kind === 'envelopes' ? subject.items[0]!.envelope : { stages: [] };
    expect(stages.map(({ agent }) => agent)).toEqual(['draft', 'polish']);
    const [first, draft, polish] = await stagesOf(engine, end.workflowId);
    expect([draft, polish].map((row) => [row!.parentRunId, row!.place, row!.depth, row!.toolCallId])).toEqual([
      [first!.id, 1, 1, first!.toolCallId],
      [first!.id, 2, 1, first!.toolCallId],
    ]);
    expect(draft).toMatchObject({ kind: 'chain', title: 'draft' });
    expect(polish!.parentChain).toEqual([...first!.parentChain, 'draft', 'polish']);
    expect(JSON.parse(draft!.task)).toEqual({
      facts: ['It rains.'],
      reason: 'Chained execution from agent__research',
    });
    expect(polish!.task).toBe('It rains, they say.');
    expect(draft!.envelope).toEqual({ ...stages[0], prompt: draft!.task, stages: [] });
    expect(resultOf(engine)).toMatchObject({
      success: true,
      child_id: first!.id,
      report: 'Rain is coming.',
      chained_stages: [
        { stage: 1, agent: 'draft', child_id: draft!.id, outcome: 'completed' },
        { stage: 2, agent: 'polish', child_id: polish!.id, outcome: 'completed' },
      ],
    });
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ subAgentCount: 1 });
    for (const { runId } of end.subAgents)
      await expect(engine.runtime.request('run.retry', { runId })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('has completed') as string,
      });
  });

  test('without a next agent returns the report of its only agent', async () => {
    const engine = await startChain(chainScript({}, [delegateTo('polish', 'Polish.')]));
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    const result = resultOf(engine);
    expect(result).toMatchObject({ success: true, report: 'Rain is coming.' });
    expect(Object.keys(result)).not.toContain('chained_stages');
  });

  test('runs the first agent of a next list and no other', async () => {
    const agents = { research: 'next: [polish, draft]\n', polish: '', draft: '' };
    const files = Object.fromEntries(
      Object.entries(agents).map(([name, next]) => [
        `.triad/agents/${name}.md`,
        `---\nname: ${name}\ndescription: Works.\n${next}---\nYou ${name}.\n`,
      ]),
    );
    const engine = await start(chainScript(), { files });
    await engine.trust.set(
      engine.folder,
      new Map(Object.entries(files).map(([path, content]) => [path, sha256(content)])),
    );
    const end = await engine.ask('Go');
    expect(end.subAgents.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['research', 'completed'],
      ['polish', 'completed'],
    ]);
  });

  test('counts each request once in runs, metrics and workflow, and its execution rows name place and parent', async () => {
    const usage = (input: number) => ({ blocks: GOOD['research']!.blocks, options: { usage: { input, output: 3 } } });
    const answers = { research: usage(10), draft: { ...GOOD['draft']!, options: { usage: { input: 20, output: 5 } } } };
    const engine = await startChain(chainScript(answers), {}, CHAIN, start);
    const end = await engine.ask('Go');
    const runs = await stagesOf(engine, end.workflowId);
    const requests = await engine.store.requestsOf(end.workflowId);
    for (const { id, usage: tally } of runs) {
      const own = requests.filter(({ runId }) => runId === id);
      expect(own).toHaveLength(1);
      expect(inputTokensOf(tally)).toBe(own.reduce((sum, one) => sum + one.inputTokens, 0));
    }
    expect(runs.slice(0, 2).map(({ usage: tally }) => [tally.inputTokens, tally.outputTokens])).toEqual([
      [10, 3],
      [20, 5],
    ]);
    const sum = (of: (tally: (typeof runs)[number]['usage']) => number) =>
      runs.reduce((all, run) => all + of(run.usage), 0);
    expect(resultOf(engine)).toMatchObject({
      metrics: { tokens_input: sum(inputTokensOf), tokens_output: sum((tally) => tally.outputTokens) },
    });
    expect(requests).toHaveLength(engine.model.requests.length);
    expect((await engine.store.workflow(end.workflowId))?.usage.outputTokens).toBe(
      requests.reduce((all, one) => all + one.outputTokens, 0),
    );
    const [, draft] = await engine.store.executionsOf(runs.map(({ id }) => id));
    expect(draft).toMatchObject({ chain_trigger: 'next', chain_index: 1, parent_execution_id: runs[0]!.id });
  });

  test('takes one slot for all its stages, and after three chains the workflow rejects another sub-agent', async () => {
    const script = chainScript({}, [batch(['research', 'research', 'research'])]);
    script.rules.splice(1, 0, ...new Script().on({ ...LEAD, turn: 2 }).reply([delegateTo('polish', 'More.')]).rules);
    const engine = await startChain(script);
    const end = await engine.ask('Go');
    expect(end.subAgents).toHaveLength(9);
    expect(outcomes(end)).toEqual(Array.from({ length: 10 }, () => 'completed'));
    expect(await engine.store.workflow(end.workflowId)).toMatchObject({ subAgentCount: 3 });
    const [first, second] = engine.of('tool-end').map(({ entry }) => entry.output);
    expect(JSON.parse(first!)).toMatchObject({
      completed: 3,
      results: Array.from({ length: 3 }, () => ({
        success: true,
        report: 'Rain is coming.',
        chained_stages: [{ stage: 1, agent: 'draft' }, { stage: 2 }],
      })),
    });
    expect(second).toContain('The maximum of sub-agents for one workflow is 3; 3 of them are taken');
  });

  test('releases its slot when rejected, so that the next chain can start', async () => {
    const engine = await startChain(chainScript({}, [batch(['research', 'research'])]), {
      settings: 'limits.max_sub_agents = 2\n',
      person: ({ request }, item) =>
        request.title.includes('batch') || item === 0 ? { kind: 'allow' } : { kind: 'reject', reason: 'no' },
    });
    engine.model.script.rules.splice(
      1,
      0,
      ...new Script().on({ ...LEAD, turn: 2 }).reply([delegateTo('research', 'Again.')]).rules,
    );
    const end = await engine.ask('Go');
    expect(end.subAgents.filter(({ outcome }) => outcome === 'rejected')).toHaveLength(1);
    expect(end.subAgents.filter(({ kind, outcome }) => kind === 'chain' && outcome === 'completed')).toHaveLength(4);
  });

  test('in the background reports when its last stage has ended', async () => {
    const start = toolUse('spawn_agent', {
      operation: 'spawn',
      name: 'finder',
      agent: 'research',
      prompt: 'Find facts.',
      background: true,
    });
    const engine = await startChain(chainScript({}, [start]));
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(ALL);
    const handed = (await engine.store.entriesOf(end.runId)).filter((entry) => entry.kind === 'user').slice(1);
    expect(handed).toHaveLength(1);
    const words = handed[0]?.kind === 'user' ? handed[0].text : '';
    expect(words).toContain('Report of the sub-agent finder');
    expect(words).toMatch(/Its stages: 1 draft \(.*\): completed, 2 polish \(.*\): completed/);
    expect(words.endsWith('Rain is coming.')).toBe(true);
  });

  test('in a batch that returns with the first report runs all its stages and reports once', async () => {
    const engine = await startChain(chainScript({}, [batch(['polish', 'research'], { wait_all: false })]));
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', ...ALL]);
    const entries = await engine.store.entriesOf(end.runId);
    const reports = entries.flatMap((entry) => (entry.kind === 'user' && entry.reportsOf ? [entry.text] : []));
    const results = entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.output] : []));
    expect([...reports, ...results].filter((one) => one.includes('draft'))).toHaveLength(1);
  });

  test('rejects a spawn by a stage because of the maximum depth', async () => {
    const call = toolUse('spawn_agent', { operation: 'spawn', name: 'more', prompt: 'Help.' });
    const engine = await startChain(chainScript({ draft: { blocks: [call] } }), {}, CHAIN, start);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(ALL);
    const refusal = engine.of('tool-end').find(({ agent }) => agent === 'draft')?.entry;
    expect(refusal).toMatchObject({ status: 'error' });
    expect(refusal?.output).toContain('Maximum agent depth (2) exceeded');
    const offered = engine.model.requests.filter(({ seen }) => /You (research|draft|polish)/.test(seen.system));
    expect(offered.flatMap(({ seen }) => seen.tools).filter((name) => name.startsWith('spawn'))).toEqual([]);
  });

  test('accepts its agents in any order of definition', async () => {
    const engine = await startChain(chainScript(), {}, [...CHAIN].reverse());
    expect(outcomes(await engine.ask('Go'))).toEqual(ALL);
  });
});
