/** What a lead is told of starting sub-agents: the number that holds, and the tools only where one could start. */
import { expect, test } from 'vitest';
import type { ApprovePolicy } from '#contract/agent.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { settingsOf } from '../../support/compose.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { LEAD, plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { variations } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

const STARTING = ['delegate_task', 'parallel_tasks', 'spawn_agent'];
const spawn = (name: string) => toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Do ${name}.` });

/** What each request of the lead offered of the tools that start sub-agents. */
const offered = ({ model }: Pick<Harness, 'model'>): string[][] =>
  model.requests
    .filter(({ seen }) => seen.system.startsWith('You are the lead agent of Triad'))
    .map(({ body }) => (body.tools ?? []).map(({ name }) => name).filter((name) => STARTING.includes(name)));

test.for(
  variations([
    [2, 'At most 2 sub-agents can be started', 'One to 2 tasks'],
    [1, 'At most 1 sub-agent can be started', 'One task.'],
  ] as const),
)(
  'with a maximum of %s sub-agents the tools, the bounds of a batch and the prompt state that number',
  async ([max, sentence, tasks]) => {
    const engine = await startEngine(plainAnswer(), { settings: `limits.max_sub_agents = ${max}\n` });
    await engine.ask('Go');
    const body = engine.model.requests[0]!.body;
    const told = (body.tools ?? []).filter(({ name }) => STARTING.includes(name));
    expect(told.map(({ description }) => description?.includes(sentence))).toEqual([true, true, true]);
    const batch = told.find(({ name }) => name === 'parallel_tasks');
    expect(batch?.input_schema).toMatchObject({ properties: { tasks: { maxItems: max } } });
    expect(JSON.stringify(batch)).toContain(tasks);
    const system = JSON.stringify(body.system);
    expect(system).toContain(`At most ${max} can be started in one workflow`);
    expect(JSON.stringify([system, told])).not.toMatch(/\b(3|three)\b (sub-agents|tasks|existing)|at most 3/i);
    const { tools } = await engine.runtime.request('app.state', {});
    expect(tools.find(({ name }) => name === 'spawn_agent')?.description).toContain(sentence);
  },
);

test.for(
  variations<[string, ApprovePolicy, string[]]>(
    [
      ['', 'none', []],
      ['permissions.mode = "auto"', 'none', STARTING],
      ['permissions.mode = "selective"', 'none', []],
      [
        '[[permissions.rules]]\neffect = "allow"\ntool = "delegate_task"\npattern = "code-reviewer"\n[[permissions.rules]]\neffect = "allow"\ntool = "*"',
        'none',
        ['delegate_task'],
      ],
      ['', 'ask', STARTING],
      ['[[permissions.rules]]\neffect = "allow"\ntool = "*"\nagent = "writer"', 'none', []],
    ],
    4,
  ),
)(
  'with the rules %s and --approve %s offers only start tools that could be approved',
  async ([rules, approve, names]) => {
    const configFolder = await folderWith({ 'config.toml': rules });
    const engine = await startEngine(plainAnswer(), { settings: rules, configFolder });
    await engine.ask('Go', approve);
    expect(offered(engine)).toEqual([names]);
  },
);

test('a resumed workflow without free slots is offered no start tools, and a spawn is rejected', async () => {
  const held = new Gate();
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn('one')])
    .on({ ...LEAD, step: 2 })
    .reply([text('Never sent.')], { times: 1, hold: held.at(0) })
    .on({ ...LEAD, step: 2 })
    .reply([spawn('two')])
    .on(LEAD)
    .reply([text('Done.')])
    .on({})
    .reply([text('Report.')]);
  const { engine, resume } = await interrupted(script, 'limits.max_sub_agents = 1\n', held);
  expect(offered(engine)).toEqual([STARTING, STARTING]);
  const { runId, ended } = await resume();
  await ended;
  expect(offered(engine).slice(2)).toEqual([[], []]);
  const results = (await engine.store.entriesOf(runId)).flatMap((entry) =>
    entry.kind === 'tool' ? [entry.output] : [],
  );
  expect(results[1]).toContain('The maximum of sub-agents for one workflow is 1; 1 of them are taken');
});

test('a resumed lead keeps the start tools while one of its sub-agents still works', async () => {
  const held = new Gate();
  const working = new Gate();
  const task = { agent_id: 'code-reviewer', prompt: 'Task ' };
  const tasks = ['one', 'two'].map((name) => ({ ...task, prompt: `Task ${name}.` }));
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: false })])
    .on({ ...LEAD, step: 2 })
    .reply([text('Never sent.')], { times: 1, hold: held.at(0) })
    .on(LEAD)
    .reply(() => {
      working.open();
      return [text('Done.')];
    })
    .on({ prompt: /two/ })
    .reply([text('Report.')], { hold: working.at(0) })
    .on({})
    .reply([text('Report.')]);
  const { engine, resume } = await interrupted(script, 'limits.max_sub_agents = 2\n', held);
  const { ended } = await resume();
  await ended;
  const all = offered(engine);
  expect(all.length).toBeGreaterThan(3);
  expect(all).toEqual(all.map(() => STARTING));
});

/** Closed while the lead's request is held, and resumed in another runtime on the same store. */
async function interrupted(script: Script, settings: string, held: Gate) {
  const store = await memoryStore();
  const engine = await startEngine(script, { store: lasting(store), settings });
  const { workflowId, runId } = await engine.send('Go');
  await held.reached;
  await engine.runtime.close();
  held.open();
  const resume = async () => {
    const runtime = await startAgain(engine, store, { settings: settingsOf(settings) });
    await runtime.request('workflow.resume', { workflowId });
    const ended = eventually(async () => expect((await store.workflow(workflowId))?.outcome).toBe('completed'));
    return { runId, ended };
  };
  return { engine: { ...engine, store }, resume };
}
