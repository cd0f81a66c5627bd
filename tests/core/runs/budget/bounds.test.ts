/** Bounds of a run: identical calls in a row, and iterations. */
import { describe, expect, test } from 'vitest';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { startAgain, startEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { LEAD, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { fullTest } from '../../../support/samples.ts';

const again = (): Script => new Script().on({}).reply([toolUse('list_directory', { path: '.' })]);

describe('bounds of a run', () => {
  test('the third identical call adds a note for the model, and the sixth ends the run', async () => {
    const engine = await startEngine(again());
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'doom_loop' } });
    expect(end.error?.message).toMatch(/Repetitive behaviour detected/);
    expect(engine.model.requests).toHaveLength(6);
    const notes = engine.of('tool-end').map(({ entry }) => entry.output.includes('3 times in a row'));
    expect(notes).toEqual([false, false, true, false, false, false]);
    const remark = engine.of('message-end').find(({ entry }) => entry.kind === 'system');
    expect(remark?.entry).toMatchObject({ code: 'doom_loop' });
  });

  test.for([
    ['the settings', 'limits.doom_loop_threshold = 2\n', '', 4],
    ['the definition', '', 'doom_loop_threshold: 4\n', 8],
  ] as const)('the limit of identical calls comes from %s', async ([, settings, line, requestCount]) => {
    const lead = `---\nname: lead\ndescription: d\nrole: primary\n${line}---\nYou lead.\n`;
    const engine = await startEngine(again(), { settings, files: { '.triad/agents/lead.md': lead } });
    await engine.trust.add(engine.folder, '.triad/agents/lead.md', lead);
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'error', error: { code: 'doom_loop' } });
    expect(engine.model.requests).toHaveLength(requestCount);
  });

  fullTest('tests/core/runs/budget/bounds.test.ts › the limit of identical calls comes from %s')(
    'a resumed run keeps the configured limit of identical calls, and a definition can set another limit',
    async () => {
      const held = new Gate();
      const call = [toolUse('list_directory', { path: '.' })];
      const script = new Script()
        .on({ step: 2 })
        .reply(call, { times: 1, hold: held.at(0) })
        .on({})
        .reply(call);
      const store = await memoryStore();
      const engine = await startEngine(script, { store: lasting(store), settings: 'limits.doom_loop_threshold = 2\n' });
      const { workflowId, runId } = await engine.send('Go');
      await held.reached;
      await engine.runtime.close();
      held.open();
      const resumed = await startAgain(engine, store);
      await resumed.request('workflow.resume', { workflowId });
      await eventually(async () =>
        expect(await store.run(runId)).toMatchObject({ outcome: 'error', error: { code: 'doom_loop' } }),
      );
      expect((await store.run(runId))?.envelope.limits.doomLoopThreshold).toBe(2);
      const results = (await store.entriesOf(runId)).flatMap((entry) => (entry.kind === 'tool' ? [entry.output] : []));
      expect(results.map((output) => output.includes('2 times in a row'))).toEqual([false, true, false, false]);
      const lead = `---\nname: lead\ndescription: d\nrole: primary\ndoom_loop_threshold: 4\n---\nYou lead.\n`;
      const named = await startEngine(again(), { files: { '.triad/agents/lead.md': lead } });
      await named.trust.add(named.folder, '.triad/agents/lead.md', lead);
      expect((await named.ask('Go')).error?.message).toContain('8 times in a row');
    },
  );

  test('at the limit of iterations one last request without tools asks for the report', async () => {
    let turn = 0;
    const script = new Script()
      .on({ lastUser: /You have no tools any more/ })
      .reply([text('What I have so far.')])
      .on({})
      .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })]);
    const engine = await startEngine(script, { settings: '[limits.run]\nmax_iterations = 2\n' });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({
      outcome: 'budget_exceeded',
      text: 'What I have so far.',
      error: { code: 'max_iterations' },
    });
    expect(engine.model.requests).toHaveLength(3);
    expect(engine.model.requests[2]?.body).toMatchObject({ tool_choice: { type: 'none' } });
  });

  test('a model that pauses at the iteration limit gets only one more request', async () => {
    const script = new Script().on({}).reply([text('Hm.')], { stopReason: 'pause_turn' });
    const engine = await startEngine(script, { settings: '[limits.run]\nmax_iterations = 3\n' });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'budget_exceeded', text: 'Hm.' });
    expect(engine.model.requests).toHaveLength(4);
  });

  test('rejects the second sub-agent if the limit of sub-agents is one', async () => {
    const call = (name: string) => toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Do ${name}.` });
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([call('one'), call('two')])
      .on({})
      .reply([text('Report.')]);
    const engine = await startEngine(script, { settings: '[limits]\nmax_sub_agents = 1\n' });
    const end = await engine.ask('Go');
    expect(end.subAgents.map(({ agent }) => agent)).toEqual(['one']);
    expect(engine.of('tool-end').find(({ entry }) => entry.status === 'error')?.entry.output).toMatch(
      /maximum of sub-agents for one workflow is 1/,
    );
  });

  test('sub-agents run in the order of their calls if only one may run at a time', async () => {
    const call = (name: string) => toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Do ${name}.` });
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply(['a', 'b', 'c'].map(call))
      .on({})
      .reply([text('Report.')]);
    const engine = await startEngine(script, { settings: '[limits]\nmax_concurrent = 1\n' });
    await engine.ask('Go');
    const steps = engine
      .durable()
      .flatMap(({ type, agent, parentRunId }) =>
        parentRunId && (type === 'run-start' || type === 'run-end') ? [`${agent} ${type}`] : [],
      );
    expect(steps).toEqual(['a run-start', 'a run-end', 'b run-start', 'b run-end', 'c run-start', 'c run-end']);
  });

  test('a lead and its sub-agents take turns if the provider allows one request at a time', async () => {
    const engine = await startEngine(threeChildren(), {
      settings: '[providers.anthropic]\nmax_concurrent = 1\n',
    });
    const end = await engine.ask('Go');
    expect(end.subAgents.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    const spans = engine.model.requests.map(({ receivedAt, endedAt }) => [receivedAt, endedAt ?? Infinity] as const);
    for (const [index, [, ended]] of spans.entries())
      expect(spans[index + 1]?.[0] ?? Infinity).toBeGreaterThanOrEqual(ended);
  });
});
