/** Chains that do not come to their end: what is told, what is stopped, what is tried again, and what a restart goes on with. */
import { describe, expect, test } from 'vitest';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import type { Answers } from '../../support/flows/chains.ts';
import { CHAIN, chainScript, GOOD, resultOf, stagesOf, startChain } from '../../support/flows/chains.ts';
import { builtinAgents, settingsOf, withAgents } from '../../support/compose.ts';
import { type Harness, outcomes, startAgain } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { variations } from '../../support/samples.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { eventsIn } from '../../support/commit-items.ts';

const { start } = sharedEngine();

const retry = ({ runtime }: Harness, runId: string) => runtime.request('run.retry', { runId });
const says = (words: string): Answers[string] => ({ blocks: [text(words)] });
const fails: Answers[string] = {
  blocks: [text('x')],
  options: { status: 400, error: { type: 'invalid_request_error', message: 'It broke' } },
};
const hangs: Answers[string] = { blocks: [text('I begin', { deltas: 4 })], options: { hangAfter: 3 } };

/** How often each agent was asked. */
const asked = ({ model }: Pick<Harness, 'model'>): Record<string, number> =>
  Object.fromEntries(
    Object.keys(GOOD).map((name) => [
      name,
      model.requests.filter(({ seen }) => seen.system.includes(`You ${name}.`)).length,
    ]),
  );

describe('a chain that fails', () => {
  test.for(
    variations([
      ['JSON of another shape', '{"fact":"It rains."}', /is not what draft takes: .*facts/],
      ['no JSON', 'It rains.', /is not what draft takes: .*JSON/i],
    ]),
  )('with %s as the payload: the run before is an error, keeps its text, and no stage starts', async (parts) => {
    const [, words, why] = parts as [string, string, RegExp];
    const engine = await startChain(chainScript({ research: says(words) }), {}, CHAIN, start);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'error']);
    const [run] = await stagesOf(engine, end.workflowId);
    expect(run).toMatchObject({ outcome: 'error', text: words, error: { code: 'invalid_chain_payload' } });
    expect(run!.error!.message).toMatch(why);
    const result = resultOf(engine);
    expect(result).toMatchObject({ success: false, report: words });
    expect(result['error']).toMatch(/Not started after it: draft, polish$/);
    expect(result['error']).toMatch(why);
  });

  test('at a stage: the lead gets the failed stage, its error and the results of the runs before', async () => {
    const engine = await startChain(chainScript({ polish: fails }), {}, CHAIN, start);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed', 'error']);
    const [first, draft, polish] = await stagesOf(engine, end.workflowId);
    expect(resultOf(engine)).toMatchObject({
      success: false,
      outcome: 'error',
      child_id: first!.id,
      error: expect.stringMatching(/^Stage 2 of 2 \(polish\) ended as error: .*It broke/) as string,
      chained_stages: [
        { stage: 1, child_id: draft!.id, outcome: 'completed' },
        { stage: 2, child_id: polish!.id, outcome: 'error' },
      ],
      gave: [
        { agent: 'research', child_id: first!.id, report: '{"facts":["It rains."]}' },
        { agent: 'draft', child_id: draft!.id, report: 'It rains, they say.' },
      ],
    });
  });

  test('in the background reports the failed stage, its error, and the results of the runs before', async () => {
    const input = { operation: 'spawn', name: 'finder', agent: 'research', prompt: 'Find facts.', background: true };
    const engine = await startChain(chainScript({ polish: fails }, [toolUse('spawn_agent', input)]), {}, CHAIN, start);
    const end = await engine.ask('Go');
    const [first, draft, polish] = (await stagesOf(engine, end.workflowId)).map(({ id }) => id);
    const [reportEntry] = (await engine.store.entriesOf(end.runId)).filter((entry) => entry.kind === 'user').slice(1);
    const [head, ...rest] = reportEntry!.text.split('\n\n');
    const failure =
      /^Report of the sub-agent finder \(\S+\), outcome error \(Stage 2 of 2 \(polish\) ended as error: .*It broke/;
    expect(head).toMatch(failure);
    expect(head).toContain(`). Its stages: 1 draft (${draft}): completed, 2 polish (${polish}): error:`);
    expect(rest.slice(-4)).toEqual([
      `What finder (${first}) gave before:`,
      '{"facts":["It rains."]}',
      `What draft (${draft}) gave before:`,
      'It rains, they say.',
    ]);
  });

  test('caps the results of the runs before and names the tool call that returns the rest', async () => {
    const long = `{"facts":["${'It rains. '.repeat(6000)}"]}`;
    const engine = await startChain(chainScript({ research: says(long), draft: fails }));
    await engine.ask('Go');
    const { gave } = resultOf(engine) as { gave: { report: string; child_id: string }[] };
    expect(gave[0]!.report.length).toBeLessThan(26_000);
    expect(gave[0]!.report).toContain(`Read on with read_report: run_id "${gave[0]!.child_id}"`);
  });
});

describe('stopping a chain', () => {
  test.for([
    ['of the stage alone', 1],
    ['of the sub-agent that the chain began with', 0],
  ] as const)('a stop %s cancels the chain, and the lead continues', async ([, index]) => {
    const engine = await startChain(chainScript({ draft: hangs }));
    const { workflowId } = await engine.send('Go');
    await engine.event('message-delta', ({ agent }) => agent === 'draft');
    const runs = await stagesOf(engine, workflowId);
    const receipt = await engine.runtime.request('run.stop', { runId: runs[index]!.id });
    expect(receipt).toMatchObject({ agents: 2 - index, requests: 1, left: 0 });
    const end = await engine.ended(workflowId);
    expect(outcomes(end)).toEqual(['completed', 'completed', 'cancelled']);
    expect(resultOf(engine)).toMatchObject({ success: false, outcome: 'cancelled' });
    expect(asked(engine)).toEqual({ research: 1, draft: 1, polish: 0 });
  });

  test('before the retry of a stage has started prevents that retry', async () => {
    const [leadGate, readGate] = [new Gate(), new Gate()];
    const store = await memoryStore();
    let isSlow = false;
    const runsOf: Harness['store']['runsOf'] = async (ids) => {
      if (isSlow) await readGate.pass();
      return store.runsOf(ids);
    };
    const script = chainScript({ draft: fails });
    script.rules.splice(
      1,
      0,
      ...new Script().on({ ...LEAD, turn: 2 }).reply([text('So.')], { hold: leadGate.at(0) }).rules,
    );
    const engine = await startChain(script, { store: { ...store, runsOf } });
    const { workflowId } = await engine.send('Go');
    await leadGate.reached;
    const [first, draft] = await stagesOf({ store }, workflowId);
    isSlow = true;
    await retry(engine, draft!.id);
    await readGate.reached;
    const stop = engine.runtime.request('run.stop', { runId: first!.id });
    await Promise.race([stop, new Promise((resolve) => setTimeout(resolve, 50))]);
    isSlow = false;
    readGate.open();
    expect(await stop).toMatchObject({ agents: 1, left: 0 });
    leadGate.open();
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'completed', 'cancelled']);
    expect(engine.of('run-start').filter(({ agent }) => agent === 'draft')).toHaveLength(1);
  });

  test('by stopping the workflow cancels the stage that works', async () => {
    const engine = await startChain(chainScript({ draft: hangs }), {}, CHAIN, start);
    const { workflowId } = await engine.send('Go');
    await engine.event('message-delta', ({ agent }) => agent === 'draft');
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt).toMatchObject({ agents: 3, requests: 1, left: 0 });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['cancelled', 'completed', 'cancelled']);
    expect(asked(engine)).toEqual({ research: 1, draft: 1, polish: 0 });
  });

  test('by its lead with terminate, while the chain is listed as running', async () => {
    const start = toolUse('spawn_agent', {
      operation: 'spawn',
      name: 'finder',
      agent: 'research',
      prompt: 'Find facts.',
      background: true,
    });
    const script = chainScript({ draft: hangs }, [start]);
    let id = '';
    script.rules.splice(
      1,
      0,
      ...new Script()
        .on({ ...LEAD, turn: 2 })
        .reply(() => [toolUse('spawn_agent', { operation: 'list_children' })], { hold: { after: 0, until: drafting } })
        .on({ ...LEAD, turn: 3 })
        .reply((seen) => {
          const list = (JSON.parse(seen.results[0]!.text) as { children: { child_id: string; status: string }[] })
            .children;
          expect(list).toMatchObject([{ name: 'finder', status: 'running' }]);
          id = list[0]!.child_id;
          return [toolUse('spawn_agent', { operation: 'terminate', child_id: id })];
        }).rules,
    );
    const engine = await startChain(script);
    async function drafting(): Promise<unknown> {
      return engine.event('message-delta', ({ agent }) => agent === 'draft');
    }
    const end = await engine.ask('Go');
    expect(id).toBe(end.subAgents[0]!.runId);
    expect(outcomes(end)).toEqual(['completed', 'completed', 'cancelled']);
  });
});

describe('retrying a failed chain', () => {
  /** Fails as said, then is tried again by one of its runs and comes to its end. */
  async function triedAgain(answers: Answers, which: number) {
    const script = chainScript(answers);
    script.rules.splice(
      1,
      0,
      ...new Script().on({ ...LEAD, asked: /Report of the sub-agent research/ }).reply([text('Now I know.')]).rules,
    );
    const engine = await startChain(script, {}, CHAIN, start);
    const first = await engine.ask('Go');
    const before = asked(engine);
    const failed = await stagesOf(engine, first.workflowId);
    await retry(engine, failed[which]!.id);
    await eventually(async () =>
      expect(await engine.store.workflow(first.workflowId)).toMatchObject({ attempt: 2, text: 'Now I know.' }),
    );
    expect(outcomes(engine.of('workflow-end').at(-1)!)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(engine.of('approval-request')).toHaveLength(1);
    const handed = (await engine.store.entriesOf(first.runId)).filter(
      (entry) => entry.kind === 'user' && entry.reportsOf,
    );
    expect(handed).toMatchObject([{ reportsOf: [failed[0]!.id] }]);
    expect(JSON.stringify(handed)).toContain('Rain is coming.');
    return { engine, before, after: asked(engine), runs: await stagesOf(engine, first.workflowId) };
  }

  test.for(
    variations([
      ['that stage', 1],
      ['the run that it began with', 0],
    ] as const),
  )('with %s continues at the failed stage and repeats no finished request', async ([, which]) => {
    const { before, after, runs } = await triedAgain({ draft: fails }, which);
    expect(before).toEqual({ research: 1, draft: 1, polish: 0 });
    expect(after).toEqual({ research: 1, draft: 2, polish: 1 });
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });

  test('at a run whose answer broke the contract sends that run the error, then runs the stages', async () => {
    const { engine, runs, after } = await triedAgain({ research: says('It rains.') }, 0);
    expect(after).toEqual({ research: 2, draft: 1, polish: 1 });
    const entries = await engine.store.entriesOf(runs[0]!.id);
    const words = entries.flatMap((entry) => (entry.kind === 'user' && entry.source === 'engine' ? [entry.text] : []));
    expect(words).toHaveLength(1);
    expect(words[0]).toMatch(/^The answer is not what draft takes: .*\n\nWrite your last message again/);
  });

  test('at a stage that reached its limit works with a higher limit', async () => {
    const limited = CHAIN.map((one) => (one.name === 'draft' ? { ...one, maxIterations: 1 } : one));
    const script = chainScript({ draft: { blocks: [toolUse('list_directory', { path: '.' })] } });
    const engine = await startChain(script, {}, limited);
    const first = await engine.ask('Go');
    expect(outcomes(first)).toEqual(['completed', 'completed', 'budget_exceeded']);
    const [, draft] = await stagesOf(engine, first.workflowId);
    const more = { add: { iterations: 3 }, seen: { iterations: 1, costUsd: 2 } };
    await engine.runtime.request('run.extend', { runId: draft!.id, ...more });
    await eventually(() => expect(engine.of('workflow-end')).toHaveLength(2));
    expect(outcomes(engine.of('workflow-end')[1]!)).toEqual(['completed', 'completed', 'completed', 'completed']);
  });
});

describe('restarting the program during a chain', () => {
  test('before the start of a stage, followed by a stop, ends the chain and keeps its slot', async () => {
    const store = await memoryStore();
    const closeGate = new Gate();
    let isClosed = false;
    const commit: Harness['store']['commit'] = async (items) => {
      const events = eventsIn(items);
      if (isClosed) return;
      const last = events.findIndex(({ type, agent }) => type === 'run-queue' && agent === 'draft');
      if (last === -1) return store.commit(items);
      isClosed = true;
      for (const event of events.slice(0, last + 1)) await store.commit([{ event }]);
      closeGate.open();
    };
    const settings = 'limits.max_sub_agents = 1\n';
    const script = chainScript();
    script.rules.splice(1, 0, ...new Script().on({ ...LEAD, turn: 2 }).reply([delegateTo('polish', 'More.')]).rules);
    const engine = await startChain(script, { store: { ...lasting(store), commit }, settings });
    const { workflowId, runId } = await engine.send('Go');
    await closeGate.pass();
    await engine.runtime.close();
    const [first] = await stagesOf({ store }, workflowId);

    const readGate = new Gate();
    const entriesOf: Harness['store']['entriesOf'] = async (id) => {
      if (id === first!.id) await readGate.pass();
      return store.entriesOf(id);
    };
    const agents = withAgents(builtinAgents(engine.trust), CHAIN);
    const again = await startAgain(engine, { ...store, entriesOf }, { agents, settings: settingsOf(settings) });
    await again.request('workflow.resume', { workflowId });
    await readGate.reached;
    await again.request('run.stop', { runId: first!.id });
    readGate.open();
    await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'completed' }));
    const runs = await stagesOf({ store }, workflowId);
    expect(runs.map(({ agent, outcome, attempt }) => [agent, outcome, attempt])).toEqual([
      ['research', 'completed', 1],
      ['draft', 'cancelled', 0],
    ]);
    const outputs = (await store.entriesOf(runId)).flatMap((entry) => (entry.kind === 'tool' ? [entry.output] : []));
    expect(outputs.at(-1)).toContain('1 of them are taken: none can be started');
  });

  /** Closes the program at an event and goes on in another one, on the same store. */
  async function resumed(store: Harness['store'], engine: Harness, workflowId: string): Promise<void> {
    await engine.runtime.close();
    const agents = withAgents(builtinAgents(engine.trust), CHAIN);
    const again = await startAgain(engine, store, { agents });
    await again.request('workflow.resume', { workflowId });
    await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'completed' }));
  }

  test.for(variations(['draft', 'research', 'polish']))('while %s answers resumes at that run', async (agent) => {
    const store = await memoryStore();
    const engine = await startChain(chainScript({ [agent]: hangs }), { store: lasting(store) });
    const { workflowId } = await engine.send('Go');
    await engine.event('message-delta', (event) => event.agent === agent);
    await resumed(store, engine, workflowId);
    const runs = await stagesOf({ store }, workflowId);
    expect(runs.map((run) => [run.agent, run.outcome, run.attempt])).toEqual(
      Object.keys(GOOD).map((name) => [name, 'completed', name === agent ? 2 : 1]),
    );
    expect(asked(engine)).toEqual({ research: 1, draft: 1, polish: 1, [agent]: 2 });
  });

  test('during the retry of a stage resumes and hands the report over once', async () => {
    const store = await memoryStore();
    const script = chainScript({ draft: fails });
    script.rules.splice(
      -2,
      0,
      ...new Script().on({ system: /You draft/ }).reply(hangs.blocks, { ...hangs.options, times: 1 }).rules,
    );
    const engine = await startChain(script, { store: lasting(store) });
    const { workflowId, runId } = await engine.ask('Go');
    const [first, draft] = await stagesOf({ store }, workflowId);
    await retry(engine, draft!.id);
    await engine.event('message-delta', ({ agent }) => agent === 'draft');
    await resumed(store, engine, workflowId);
    const handed = (await store.entriesOf(runId)).filter((entry) => entry.kind === 'user' && entry.reportsOf);
    expect(handed).toMatchObject([{ reportsOf: [first!.id] }]);
    expect(asked(engine)).toEqual({ research: 1, draft: 3, polish: 1 });
  });
});
