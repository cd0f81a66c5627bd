/** Sub-agents from the lead's call to the report in its answer, each way of starting them. */
import { describe, expect, test, vi } from 'vitest';
import { outcomes, outputOf, startEngine } from '../../support/engine.ts';
import {
  batch,
  childSpawns,
  delegate,
  fourth,
  LEAD,
  reportOf,
  spawn,
  spawnOne,
  spawnThenDelegate,
  threeChildren,
} from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const DENY_SPAWN = '[[permissions.rules]]\neffect = "deny"\ntool = "spawn_agent"\n';

describe('starting sub-agents', () => {
  test('runs a spawned sub-agent with its tools, and the report reaches the answer of the lead', async () => {
    const engine = await start(spawnOne());
    const end = await engine.ask('Look at my workspace');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    expect(end.text).toContain('# Report: the workspace');
    expect(end.subAgents).toMatchObject([{ agent: 'inspector', kind: 'spawn', status: 'completed' }]);
    expect(engine.model.requests).toHaveLength(4);
    engine.model.expectDone();
  });

  test('runs three sub-agents side by side and returns their reports in the order of the calls', async () => {
    const engine = await start(threeChildren());
    const end = await engine.ask('Look at all parts');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed', 'completed']);
    const order = ['alpha', 'beta', 'gamma'].map((name) => end.text.indexOf(`Report: part ${name}`));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order.every((index) => index >= 0)).toBe(true);
    expect(engine.model.requests).toHaveLength(8);
    engine.model.expectDone();
  });

  test('delegates to a permanent agent with its own prompt and tools', async () => {
    const engine = await start(delegate());
    const end = await engine.ask('Review the code');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    const reviewer = (await engine.agents.of(engine.folder)).lookup('code-reviewer');
    const request = engine.model.requests.find(({ seen }) => !seen.tools.includes('spawn_agent'));
    expect(request?.seen.system).toMatch(/\n\n# Environment\n/);
    expect(request?.seen.system.split('\n\n# Environment\n')[0]).toBe(reviewer?.systemPrompt);
    // What every agent has is always there.
    const baseline = [
      'glob',
      'grep',
      'list_directory',
      'list_notes',
      'read_file',
      'read_note',
      'read_output',
      'semantic_search',
    ];
    expect(request?.seen.tools).toEqual([...new Set([...(reviewer?.tools ?? []), ...baseline])].sort());
  });

  test('counts a spawn and a later delegation together', async () => {
    const engine = await start(spawnThenDelegate());
    const end = await engine.ask('Look, then review');
    expect(end.subAgents.map(({ kind }) => kind)).toEqual(['spawn', 'delegate']);
    const workflow = await engine.store.workflow(end.workflowId);
    expect(workflow?.subAgentCount).toBe(2);
  });

  test('sends the reports of all steps to the lead before it answers, in order', async () => {
    const engine = await start(spawnThenDelegate());
    await engine.ask('Look, then review');
    const messages = JSON.stringify(engine.model.requests.at(-1)?.body.messages);
    const order = ['the workspace', 'the code'].map((part) => messages.indexOf(`Report: ${part}`));
    expect(order[0]).toBeGreaterThan(0);
    expect(order[1]).toBeGreaterThan(order[0]!);
  });

  test('returns separate reports for two runs of one agent in a batch', async () => {
    const engine = await start(batch());
    await engine.ask('Review both halves');
    const result = engine.of('tool-end').find(({ entry }) => entry.name === 'parallel_tasks');
    const output = outputOf(result?.entry.output);
    expect(output).toMatchObject({ success: true, completed: 2, failed: 0 });
    expect(output.results?.map((one) => one.report)).toEqual([
      reportOf('the first half').trim(),
      reportOf('the second half').trim(),
    ]);
    const report = (number: number, half: string) =>
      `## ${number}. code-reviewer: completed\n\n${reportOf(half).trim()}`;
    expect(output.aggregated_report).toBe(`${report(1, 'the first half')}\n\n${report(2, 'the second half')}`);
  });

  test('a rejected sub-agent releases its slot, so that three others run', async () => {
    const names = ['alpha', 'beta', 'gamma', 'delta'];
    const [firstCall, ...otherCalls] = names.map((name) => spawn({ name, prompt: `Inspect ${name}.` }));
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([firstCall!])
      .on({ ...LEAD, step: 2 })
      .reply(otherCalls)
      .on(LEAD)
      .reply([text('Done.')])
      .on({})
      .reply([text('Report.')]);
    const engine = await start(script, {
      person: ({ request }) =>
        request.title.includes('alpha') ? { kind: 'reject', reason: 'Not this one' } : { kind: 'allow' },
    });
    const end = await engine.ask('Look at the parts');
    expect(end.subAgents.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['alpha', 'rejected'],
      ['beta', 'completed'],
      ['gamma', 'completed'],
      ['delta', 'completed'],
    ]);
  });

  test('a rejection without a reason is reported as such', async () => {
    const engine = await start(spawnOne(), { person: () => ({ kind: 'reject', reason: ' ' }) });
    await engine.ask('Look at my workspace');
    const { entry } = engine.of('tool-end')[0]!;
    expect(entry.status).toBe('error');
    expect(outputOf(entry.output)).toMatchObject({ error: 'Rejected by the person: no reason given' });
  });

  test.for([
    ['a rule', DENY_SPAWN, 'all', / by a rule: .*denies the tool spawn_agent/],
    ['the approval policy of the workflow', '', 'none', /^Rejected: Every question of this workflow is answered no/],
  ] as const)('a rejection by %s is reported as such', async ([, rules, approve, message]) => {
    const engine = await start(spawnOne(), { rules });
    await engine.ask('Look at my workspace', approve);
    expect(outputOf(engine.of('tool-end')[0]?.entry.output)).toMatchObject({ success: false, outcome: 'rejected' });
    expect(outputOf(engine.of('tool-end')[0]?.entry.output).error).toMatch(message);
  });

  test('rejects a fourth sub-agent and reports the maximum and the count', async () => {
    const engine = await start(fourth());
    const end = await engine.ask('Look at four parts');
    expect(end.outcome).toBe('completed');
    expect(end.subAgents).toHaveLength(3);
    const refusal = engine.of('tool-end').find(({ entry }) => entry.status === 'error');
    expect(refusal?.entry.output).toMatch(
      /maximum of sub-agents for one workflow is 3; 3 of them are taken: none can be started/,
    );
  });

  test('rejects a call of spawn_agent by a sub-agent, which is not offered that tool', async () => {
    const engine = await start(childSpawns());
    const end = await engine.ask('Manage this');
    expect(end.subAgents).toHaveLength(1);
    const refusal = engine
      .of('tool-end')
      .find(({ entry, parentRunId }) => parentRunId !== null && entry.name === 'spawn_agent');
    expect(refusal?.entry).toMatchObject({
      status: 'error',
      output:
        'Maximum agent depth (2) exceeded: only the primary agent can start sub-agents; sub-agents cannot start others',
    });
    for (const { seen } of engine.model.requests) {
      if (seen.prompt.startsWith('Manage the workspace')) expect(seen.tools).not.toContain('spawn_agent');
    }
  });

  test('emits the depth, the start, the report or the error, and the metrics of each run', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'good', prompt: 'Do it.' }), spawn({ name: 'bad', prompt: 'Fail.' })])
      .on(LEAD)
      .reply([text('Done.')])
      .on({ prompt: /Fail/ })
      .reply([], { status: 400 })
      .on({})
      .reply([text(reportOf('it'))], { usage: { input: 70, output: 9 } });
    const engine = await start(script);
    const { runId: leadId } = await engine.ask('Go');
    const events = engine.durable().filter(({ parentRunId }) => parentRunId === leadId);
    expect(engine.of('run-queue').map(({ agent, depth }) => [agent, depth])).toEqual([
      ['lead', 0],
      ['good', 1],
      ['bad', 1],
    ]);
    for (const agent of ['good', 'bad']) {
      const types = events.filter((event) => event.agent === agent).map(({ type }) => type);
      expect(types.filter((type) => /^run-(start|end)$/.test(type))).toEqual(['run-start', 'run-end']);
      expect(types.indexOf('run-start')).toBeLessThan(types.indexOf('turn-start'));
    }
    const ends = new Map(engine.of('run-end').map((event) => [event.agent, event]));
    expect(ends.get('good')).toMatchObject({
      outcome: 'completed',
      text: reportOf('it').trim(),
      error: null,
      usage: { inputTokens: 70, outputTokens: 9 },
      durationMs: expect.any(Number) as number,
    });
    expect(ends.get('bad')).toMatchObject({ outcome: 'error', error: { code: 'bad_request' } });
  });

  test('registers a temporary agent while it may run and removes it afterwards', async () => {
    const engine = await startEngine(spawnOne(), {
      person: () => {
        seen.push(temporaries());
        return { kind: 'allow' };
      },
    });
    const seen: string[][][] = [];
    const read = engine.agents.of.bind(engine.agents);
    let registry: Awaited<ReturnType<typeof read>> | null = null;
    vi.spyOn(engine.agents, 'of').mockImplementation(async (folder) => (registry = await read(folder)));
    const temporaries = () =>
      (registry?.list() ?? [])
        .filter(({ lifecycle }) => lifecycle === 'temporary')
        .map(({ name, source }) => [name, source]);
    await engine.ask('Look at my workspace');
    expect(seen).toEqual([[['inspector', 'spawned']]]);
    expect(temporaries()).toEqual([]);
  });
});
